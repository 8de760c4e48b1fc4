// A panel with the control flow of a function. Its lines lead to the text.

import * as vscode from "vscode";

export class GraphPanel {
  private static current: GraphPanel | undefined;
  private source: vscode.Uri;

  /** Shows a drawing, in the panel that is open if there is one. */
  static show(title: string, svg: string, source: vscode.Uri): void {
    const open = GraphPanel.current ?? (GraphPanel.current = new GraphPanel(source));
    open.source = source;
    open.panel.title = title;
    open.panel.webview.html = page(svg);
    open.panel.reveal(undefined, true);
  }

  private readonly panel: vscode.WebviewPanel;

  private constructor(source: vscode.Uri) {
    this.source = source;
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.panel = vscode.window.createWebviewPanel("sil.graph", "Control Flow", column, { enableScripts: true });
    this.panel.onDidDispose(() => (GraphPanel.current = undefined));
    this.panel.webview.onDidReceiveMessage((line: number) => this.reveal(line));
  }

  private async reveal(line: number): Promise<void> {
    const at = new vscode.Position(Math.max(0, line - 1), 0);
    const document = await vscode.workspace.openTextDocument(this.source);
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at), viewColumn: vscode.ViewColumn.One });
  }
}

/** Returns the page. Only the script with the nonce runs; the drawing has no scripts, and its names are escaped. */
function page(svg: string): string {
  const nonce = Array.from({ length: 24 }, () => Math.floor(Math.random() * 36).toString(36)).join("");
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'">
<style>body { margin: 0; background: #fff; overflow: auto } svg { transform-origin: 0 0 } a { cursor: pointer }</style>
</head><body>${svg}<script nonce="${nonce}">
const vscode = acquireVsCodeApi();
document.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  const line = link && /#L(\\d+)$/.exec(link.getAttribute("href") ?? link.getAttribute("xlink:href") ?? "");
  if (line) { event.preventDefault(); vscode.postMessage(Number(line[1])); }
});
let scale = 1;
document.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  scale = Math.min(4, Math.max(0.1, scale * (event.deltaY < 0 ? 1.1 : 0.9)));
  document.querySelector("svg").style.transform = "scale(" + scale + ")";
}, { passive: false });
</script></body></html>`;
}

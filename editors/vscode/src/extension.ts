// The client: starts `silkit lsp`, and adds what the protocol has no name for.

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, Range as ProtocolRange, ServerOptions } from "vscode-languageclient/node";
import { FunctionsProvider } from "./functions";
import { GraphPanel } from "./graph";

let client: LanguageClient | undefined;

/** The commands that code lenses may name. */
const COMMANDS = ["sil.showGraph", "sil.run"];

interface SwiftFrame {
  function?: string;
  file: string;
  line: number;
  column: number;
  uri?: string;
}

function settings(): object {
  const own = vscode.workspace.getConfiguration("sil");
  const hint = (name: string) => own.get<boolean>(`inlayHints.${name}`, true);
  return {
    commands: COMMANDS,
    inlayHints: { types: hint("types"), predecessors: hint("predecessors"), endings: hint("endings") },
    codeLens: { enable: own.get<boolean>("codeLens.enable", true) },
  };
}

function serverPath(): string {
  return vscode.workspace.getConfiguration("sil").get<string>("server.path", "silkit");
}

async function start(): Promise<void> {
  const server: ServerOptions = { command: serverPath(), args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [{ language: "sil" }],
    initializationOptions: settings(),
  };
  client = new LanguageClient("sil", "SIL", server, options);
  try {
    await client.start();
  } catch (error) {
    const message = `The SIL server \`${serverPath()} lsp\` does not start: ${error}. The setting sil.server.path names the program.`;
    void vscode.window.showErrorMessage(message);
  }
}

/** Returns the parameters of a request about the cursor. */
function here(editor: vscode.TextEditor, position = editor.selection.active): object | undefined {
  return client && {
    textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(editor.document),
    position: client.code2ProtocolConverter.asPosition(position),
  };
}

async function show(uri: vscode.Uri, range: vscode.Range): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { selection: range, viewColumn: vscode.ViewColumn.Beside });
}

async function openSwift(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const place = editor && here(editor);
  if (!client || !place) {
    return;
  }
  const frames = await client.sendRequest<SwiftFrame[]>("sil/swiftPosition", place);
  if (frames.length === 0) {
    void vscode.window.showInformationMessage("This instruction has no Swift position. Compile with -g and -Xllvm -sil-print-debuginfo.");
    return;
  }
  const label = (frame: SwiftFrame) => `${frame.file.split("/").pop()}:${frame.line}:${frame.column}`;
  const items = frames.map((frame) => ({ label: label(frame), description: frame.function ?? "", frame }));
  const found = items.filter((item) => item.frame.uri);
  if (found.length === 0) {
    void vscode.window.showInformationMessage(`Not found: ${items.map((item) => item.frame.file).join(", ")}`);
    return;
  }
  const chosen = found.length === 1 ? found[0] : await vscode.window.showQuickPick(found, { placeHolder: "The innermost first" });
  if (chosen?.frame.uri) {
    const at = new vscode.Position(chosen.frame.line - 1, Math.max(0, chosen.frame.column - 1));
    await show(vscode.Uri.parse(chosen.frame.uri), new vscode.Range(at, at));
  }
}

async function ofSwift(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const texts = vscode.workspace.textDocuments.filter((document) => document.languageId === "sil");
  if (!client || !editor) {
    return;
  }
  const locations: vscode.Location[] = [];
  for (const text of texts) {
    const ranges = await client.sendRequest<ProtocolRange[]>("sil/ofSwift", {
      textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(text),
      file: editor.document.uri.fsPath,
      line: editor.selection.active.line + 1,
    });
    for (const range of ranges) {
      locations.push(new vscode.Location(text.uri, client.protocol2CodeConverter.asRange(range)));
    }
  }
  if (locations.length === 0) {
    void vscode.window.showInformationMessage("No open SIL has instructions of this line.");
    return;
  }
  await vscode.commands.executeCommand(
    "editor.action.goToLocations", editor.document.uri, editor.selection.active, locations, "peek", "No instructions",
  );
}

async function showGraph(uri?: string, at?: { line: number; character: number }): Promise<void> {
  const editor = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri)
    ?? vscode.window.activeTextEditor;
  const place = editor && here(editor, at ? new vscode.Position(at.line, at.character) : undefined);
  if (!client || !editor || !place) {
    return;
  }
  const drawing = await client.sendRequest<{ title: string; svg: string } | null>("sil/controlFlow", place);
  if (drawing) {
    GraphPanel.show(drawing.title, drawing.svg, editor.document.uri);
  } else {
    void vscode.window.showInformationMessage("There is no function with a body here.");
  }
}

function run(uri?: string): void {
  const target = uri ? vscode.Uri.parse(uri) : vscode.window.activeTextEditor?.document.uri;
  if (target?.scheme !== "file") {
    return;
  }
  // A task is given the arguments as they are: no shell reads the name of the file.
  const execution = new vscode.ProcessExecution(serverPath(), ["run", target.fsPath]);
  const task = new vscode.Task({ type: "sil" }, vscode.TaskScope.Workspace, "run", "silkit", execution);
  void vscode.tasks.executeTask(task);
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const functions = new FunctionsProvider(() => client);
  context.subscriptions.push(
    vscode.workspace.registerFileSystemProvider("sil", functions, { isReadonly: true }),
    vscode.commands.registerCommand("sil.showGraph", showGraph),
    vscode.commands.registerCommand("sil.openSwift", openSwift),
    vscode.commands.registerCommand("sil.ofSwift", ofSwift),
    vscode.commands.registerCommand("sil.openFolder", (uri?: vscode.Uri) => functions.open(uri)),
    vscode.commands.registerCommand("sil.run", run),
    vscode.commands.registerCommand("sil.restart", async () => {
      await client?.stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("sil")) {
        void client?.sendNotification("workspace/didChangeConfiguration", { settings: { sil: settings() } });
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

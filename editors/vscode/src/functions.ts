// A file that is too large to be opened, as a folder of its functions: `sil:/ENCODED-FILE/INDEX/NAME.sil`.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

interface Entry {
  name: string;
  title: string;
  bytes: number;
}

export class FunctionsProvider implements vscode.FileSystemProvider {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;

  constructor(private readonly client: () => LanguageClient | undefined) {}

  /** Asks for a function of a file, and opens it. */
  async open(file?: vscode.Uri): Promise<void> {
    const filters = { SIL: ["sil"] };
    const chosen = file ?? (await vscode.window.showOpenDialog({ canSelectMany: false, filters }))?.[0];
    const client = this.client();
    if (!chosen || !client) {
      return;
    }
    const uri = chosen.toString();
    const folder = await client.sendRequest<{ functions: Entry[] }>("sil/functions", { uri });
    const items = folder.functions.map((entry, index) => ({
      label: entry.title,
      description: entry.name === entry.title ? "" : entry.name,
      detail: `${entry.bytes} bytes`,
      index,
    }));
    const options = { matchOnDescription: true, placeHolder: `${items.length} functions` };
    const item = await vscode.window.showQuickPick(items, options);
    if (item) {
      const name = item.label.replace(/[^A-Za-z0-9_.]+/g, "_").slice(0, 80);
      const path = `/${encodeURIComponent(uri)}/${item.index}/${name}.sil`;
      await vscode.window.showTextDocument(vscode.Uri.from({ scheme: "sil", path }));
    }
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const [file, index] = uri.path.slice(1).split("/");
    const found = await this.client()?.sendRequest<{ text: string } | null>("sil/function", {
      uri: decodeURIComponent(file),
      index: Number(index),
    });
    if (!found) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return new TextEncoder().encode(found.text);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const size = (await this.readFile(uri)).length;
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size, permissions: vscode.FilePermission.Readonly };
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  writeFile(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions();
  }
}

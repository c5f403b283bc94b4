// Starts `gpulint server` and hands it what is open. All that is found comes from there.

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { find, isFile } from "./program";

/** What gpulint reads, by the names that the editor has for languages. */
const LANGUAGES = [
  "python", "rust", "shellscript", "powershell", "bat", "dockerfile", "makefile", "yaml", "toml", "json", "jsonc", "ini", "properties",
  "dotenv", "pip-requirements", "markdown",
];

let client: LanguageClient | undefined;
let log: vscode.LogOutputChannel | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  log = vscode.window.createOutputChannel("gpulint", { log: true });
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("gpulint.restart", restart),
    vscode.commands.registerCommand("gpulint.showLog", () => log?.show()),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      // The server is told of all others and takes them in.
      if (change.affectsConfiguration("gpulint.path")) {
        await restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose();
}

async function start(): Promise<void> {
  const setting = vscode.workspace.getConfiguration("gpulint").get<string>("path", "");
  const folders = (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === "file")
    .map((folder) => folder.uri.fsPath);
  const program = find({ setting, folders, env: process.env, platform: process.platform, isFile });
  if (program === undefined) {
    await missing();
    return;
  }
  log?.info(`starting ${program}`);
  const server: ServerOptions = { command: program, args: ["server"], options: { cwd: folders[0] } };
  const options: LanguageClientOptions = {
    documentSelector: LANGUAGES.flatMap((language) => ["file", "untitled"].map((scheme) => ({ scheme, language }))),
    synchronize: { configurationSection: "gpulint" },
    initializationOptions: vscode.workspace.getConfiguration("gpulint"),
    outputChannel: log,
  };
  client = new LanguageClient("gpulint", "gpulint", server, options);
  try {
    await client.start();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const shown = await vscode.window.showErrorMessage(`gpulint: ${program} does not start: ${why}`, "Open settings");
    if (shown !== undefined) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "gpulint.path");
    }
  }
}

async function missing(): Promise<void> {
  const message =
    "gpulint is not installed in an environment of this workspace and not in PATH. Install it, for example with `pip install gpulint`, or " +
    "name it in gpulint.path.";
  const chosen = await vscode.window.showWarningMessage(message, "Open settings", "Look again");
  if (chosen === "Open settings") {
    await vscode.commands.executeCommand("workbench.action.openSettings", "gpulint.path");
  } else if (chosen === "Look again") {
    await restart();
  }
}

// The server, spoken to by the library that the extension speaks with, as the extension speaks: it asks for diagnostics, for the
// changes of actions and for hints, and answers questions about settings. GPULINT names the program.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import protocol from "vscode-languageserver-protocol/node.js";

const { createProtocolConnection, StreamMessageReader, StreamMessageWriter } = protocol;
const program = process.env.GPULINT ?? "gpulint";

const WRONG = 'import os\nos.environ["CUDA_VISIBLE_DEVICES"] = "1"\nimport torch\ntorch.cuda.init()\n';

// What vscode-languageclient 9 says of itself, as far as the server looks at it.
const capabilities = {
  general: { positionEncodings: ["utf-16"] },
  window: { workDoneProgress: true, showDocument: { support: true } },
  workspace: {
    configuration: true,
    didChangeConfiguration: { dynamicRegistration: true },
    diagnostics: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
    workspaceEdit: { documentChanges: true },
  },
  textDocument: {
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
    codeAction: {
      dataSupport: true,
      resolveSupport: { properties: ["edit"] },
      codeActionLiteralSupport: { codeActionKind: { valueSet: ["", "quickfix", "source", "source.fixAll"] } },
    },
  },
};

test("a finding is shown, explained and mended", { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "gpulint-vscode-"));
  await writeFile(path.join(folder, "gpulint.yaml"), 'gpu: {visible-devices: "1", device-order: PCI_BUS_ID}\n');
  const server = spawn(program, ["server"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(server, "exit");
  const connection = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  const progress = [];
  let ignored = [];
  connection.onRequest(protocol.ConfigurationRequest.type, ({ items }) => {
    assert.deepEqual(items, [{ section: "gpulint" }]);
    return [{ path: "", select: null, ignore: ignored, mode: null, showCards: true }];
  });
  connection.onRequest(protocol.RegistrationRequest.type, () => undefined);
  connection.onRequest(protocol.WorkDoneProgressCreateRequest.type, ({ token }) => {
    connection.onProgress(protocol.WorkDoneProgress.type, token, ({ kind }) => progress.push(kind));
  });
  let refreshed = 0;
  connection.onRequest(protocol.DiagnosticRefreshRequest.type, () => void refreshed++);
  connection.onRequest(protocol.InlayHintRefreshRequest.type, () => undefined);
  connection.listen();

  const greeting = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid, rootUri: null, capabilities,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "app" }],
  });
  assert.equal(greeting.serverInfo.name, "gpulint");
  assert.equal(greeting.capabilities.diagnosticProvider.interFileDependencies, true);
  await connection.sendNotification(protocol.InitializedNotification.type, {});

  const uri = pathToFileURL(path.join(folder, "train.py")).href;
  const textDocument = { uri };
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "python", version: 1, text: WRONG },
  });
  const pull = () => connection.sendRequest(protocol.DocumentDiagnosticRequest.type, { textDocument });
  let found = await pull();
  assert.deepEqual(found.items.map((item) => item.code), ["missing-device-order"]);
  assert.deepEqual(progress, ["begin", "end"]);

  const range = found.items[0].range;
  const [hint] = await connection.sendRequest(protocol.InlayHintRequest.type, {
    textDocument, range: { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } },
  });
  assert.equal(hint.position.line, 3);
  assert.match(hint.label, /^→ /);

  const page = await connection.sendRequest(protocol.HoverRequest.type, { textDocument, position: range.start });
  // With a link once the page has an address.
  assert.match(page.contents.value, /^\*\*gpulint: (\[missing-device-order\]\(.*\)|missing-device-order)\*\*\n/);

  const actions = await connection.sendRequest(protocol.CodeActionRequest.type, { textDocument, range, context: { diagnostics: found.items } });
  const fix = actions.find((action) => action.isPreferred);
  assert.equal(fix.edit, undefined);
  const { edit } = await connection.sendRequest(protocol.CodeActionResolveRequest.type, fix);
  const [change] = edit.documentChanges[0].edits;
  assert.match(change.newText, /CUDA_DEVICE_ORDER/);
  await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 }, contentChanges: [{ range: change.range, text: change.newText }],
  });
  assert.deepEqual((await pull()).items, []);

  // A setting that changes is asked for.
  await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 3 }, contentChanges: [{ text: WRONG }],
  });
  assert.equal((await pull()).items.length, 1);
  ignored = ["missing-device-order"];
  await connection.sendNotification(protocol.DidChangeConfigurationNotification.type, { settings: null });
  while (refreshed === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.deepEqual((await pull()).items, []);

  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  assert.deepEqual(await ended, [0, null]);
  connection.dispose();
  await rm(folder, { recursive: true });
});

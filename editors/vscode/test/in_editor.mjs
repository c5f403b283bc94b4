// The extension in VS Code itself: code-server, shown by Chromium. Installs gpulint.vsix, opens a project with gpulint in its virtual
// environment, and looks at what stands on the screen.
//
//   GPULINT=path/to/gpulint node test/in_editor.mjs CODE_SERVER/out/node/entry.js CHROMIUM

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const [entry, browserPath] = process.argv.slice(2);
const program = path.resolve(process.env.GPULINT ?? "gpulint");
const vsix = fileURLToPath(new URL("../gpulint.vsix", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "gpulint-in-editor-"));
const project = path.join(folder, "project");
mkdirSync(path.join(project, ".venv/bin"), { recursive: true });
symlinkSync(program, path.join(project, ".venv/bin/gpulint"));
writeFileSync(path.join(project, "gpulint.yaml"), 'gpu: {visible-devices: "1", device-order: PCI_BUS_ID}\n');
writeFileSync(path.join(project, "train.py"), 'import os\nos.environ["CUDA_VISIBLE_DEVICES"] = "1"\nimport torch\ntorch.cuda.init()\n');

// Nothing of whoever runs this counts, and nothing is left there.
const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
const places = ["--extensions-dir", path.join(folder, "extensions"), "--user-data-dir", path.join(folder, "data")];
execFileSync(process.execPath, [entry, ...places, "--install-extension", vsix], { env, stdio: "inherit" });
const quiet = ["--disable-workspace-trust", "--disable-telemetry", "--disable-update-check"];
const server = spawn(process.execPath, [entry, ...places, ...quiet, "--auth", "none", "--bind-addr", "127.0.0.1:0"], { env });
let browser;
try {
  const address = await new Promise((resolve, reject) => {
    let said = "";
    const hear = (text) => {
      said += text;
      const found = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(said);
      if (found) resolve(found[1]);
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.on("exit", () => reject(new Error(`code-server ended: ${said}`)));
  });
  browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(60_000);
  await page.goto(`${address}/?folder=${project}`);
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "train.py" }).first().dblclick();
  const code = page.locator(".editor-instance .view-lines").first();
  await page.locator(".squiggly-error").first().waitFor({ state: "attached" });
  await code.getByText("→").waitFor();
  // The editor puts blanks of its own, and of no width, around hints.
  const shown = (await code.innerText()).replace(/[\s\u200b\u200c]+/g, " ");
  assert.match(shown, /torch\.cuda\.init\(\) ?→ the card that CUDA counts as 1/);
  await page.keyboard.press("Control+Shift+M");
  const problems = page.locator(".markers-panel").first();
  await problems.getByText("missing-device-order").first().waitFor();
  console.log((await problems.innerText()).split("\n").slice(0, 5).join("\n"));
} finally {
  await browser?.close();
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}

// Which program is started, without an editor.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { build } from "esbuild";

const folder = await mkdtemp(path.join(tmpdir(), "gpulint-vscode-"));
test.after(() => rm(folder, { recursive: true }));
const outfile = path.join(folder, "program.mjs");
const entry = new URL("../src/program.ts", import.meta.url).pathname;
await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm" });
const { find } = await import(outfile);

const around = (files, changes = {}) => ({
  setting: "",
  folders: ["/team/app"],
  env: { PATH: "/usr/local/bin:/usr/bin", HOME: "/somebody" },
  platform: "linux",
  isFile: (file) => files.includes(file),
  ...changes,
});

test("the environment of the workspace comes before PATH", () => {
  const files = ["/usr/bin/gpulint", "/team/app/venv/bin/gpulint", "/team/app/.venv/bin/gpulint"];
  assert.equal(find(around(files)), "/team/app/.venv/bin/gpulint");
  assert.equal(find(around(files.slice(0, 2))), "/team/app/venv/bin/gpulint");
  assert.equal(find(around(files.slice(0, 1))), "/usr/bin/gpulint");
  assert.equal(find(around([])), undefined);
  const active = { env: { PATH: "/usr/bin", VIRTUAL_ENV: "/envs/gpu" } };
  assert.equal(find(around(["/usr/bin/gpulint", "/envs/gpu/bin/gpulint"], active)), "/envs/gpu/bin/gpulint");
});

test("what the setting names is taken as it is", () => {
  const named = (setting) => find(around(["/usr/bin/gpulint"], { setting }));
  assert.equal(named("/opt/gpulint"), "/opt/gpulint");
  assert.equal(named("gpulint-next"), "gpulint-next");
  assert.equal(named("~/bin/gpulint"), "/somebody/bin/gpulint");
  assert.equal(named("tools/gpulint"), "/team/app/tools/gpulint");
  assert.equal(named("${workspaceFolder}/tools/gpulint"), "/team/app/tools/gpulint");
});

test("on Windows programs lie in other folders", () => {
  const windows = { platform: "win32", folders: ["C:\\app"], env: { Path: "C:\\bin;D:\\bin" } };
  assert.equal(find(around(["C:\\app\\.venv\\Scripts\\gpulint.exe"], windows)), "C:\\app\\.venv\\Scripts\\gpulint.exe");
  assert.equal(find(around(["D:\\bin\\gpulint.exe"], windows)), "D:\\bin\\gpulint.exe");
});

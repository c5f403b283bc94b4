// The playground's WebAssembly says of each text of each rule's examples what the program says of the same files on disk.
//
//     node tests/playground/same.mjs target/playground/gpulint.wasm target/release/gpulint [RULE…]
//
// What differs is printed, and has to be explained below.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";

// By `rule: title: text`: why it may differ.
const EXPLAINED = {
  "provider-without-build: by click, by Typer, in a file of settings, and inside of LangChain: bad":
    "on disk a file of settings is read when its own words may have to do with GPUs; of typed files all are read",
};

const [wasm, gpulint, ...only] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(wasm));
const outside = WebAssembly.Module.imports(module);
if (outside.length) throw new Error(`the module asks for what a page does not give: ${JSON.stringify(outside)}`);
let { exports } = new WebAssembly.Instance(module, {});

function ask(question) {
  const asked = new TextEncoder().encode(JSON.stringify(question));
  const room = exports.room(asked.length);
  new Uint8Array(exports.memory.buffer, room, asked.length).set(asked);
  let trap;
  try {
    exports.answer();
  } catch (error) {
    trap = error;
  }
  const answer = new TextDecoder().decode(new Uint8Array(exports.memory.buffer, exports.answered(), exports.length()));
  if (!trap) return JSON.parse(answer);
  // Its memory may be anything then.
  exports = new WebAssembly.Instance(module, {}).exports;
  return { refused: answer ? JSON.parse(answer).refused : String(trap) };
}

// What the program says: the same report.
function said(files, rule, mode) {
  const folder = mkdtempSync(join(tmpdir(), "gpulint-same-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const words = ["check", ".", "--format", "json", "--min-severity", "note", "--exit-zero", "--select", `recommended,${rule}`];
  if (mode) words.push("--mode", mode);
  const env = { ...process.env, CI: "1", XDG_CACHE_HOME: join(folder, ".cache") };
  return new Promise((resolve) => {
    execFile(gpulint, words, { cwd: folder, env, maxBuffer: 1 << 28 }, (error, out, err) => {
      rmSync(folder, { recursive: true });
      try {
        resolve(JSON.parse(out));
      } catch {
        resolve({ findings: [`the program: ${err.trim() || error}`], files: {} });
      }
    });
  });
}

const isPython = (files) => Object.keys(files).every((name) => name === "gpulint.yaml" || name.endsWith(".py"));
const cases = [];
for (const { id } of ask({ ask: "rules" })) {
  if (only.length && !only.includes(id)) continue;
  for (const { title, kind, files, mode } of ask({ ask: "examples", rule: id })) cases.push({ id, title, kind, files, mode });
}

const counts = { python: [0, 0], other: [0, 0] };
const different = [];
let times = [];
async function work() {
  for (let one = cases.shift(); one; one = cases.shift()) {
    const { id, title, kind, files, mode } = one;
    const begun = performance.now();
    const answer = ask({ ask: "check", files, rule: id, mode });
    times.push(performance.now() - begun);
    const here = answer.report?.findings ?? [answer.refused];
    const there = (await said(files, id, mode)).findings;
    const count = counts[isPython(files) ? "python" : "other"];
    count[1]++;
    if (JSON.stringify(here) === JSON.stringify(there)) count[0]++;
    else different.push({ name: `${id}: ${title}: ${kind}`, here, there });
  }
}
const begun = performance.now();
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));

const brief = (one) => (typeof one === "string" ? one : `${one.path}:${one.line}:${one.column} ${one.severity} ${one.rule} ${one.status} ${one.fix?.title ?? one.unfixed ?? ""}`);
for (const { name, here, there } of different.sort((one, other) => (one.name < other.name ? -1 : 1))) {
  console.log(`differs: ${name}${name in EXPLAINED ? ` (${EXPLAINED[name]})` : ""}`);
  const [mine, its] = [here, there].map((list) => list.map((one) => JSON.stringify(one)));
  here.filter((_, at) => !its.includes(mine[at])).forEach((one) => console.log(`  playground: ${brief(one)}`));
  there.filter((_, at) => !mine.includes(its[at])).forEach((one) => console.log(`  program:    ${brief(one)}`));
}
times = times.sort((one, other) => one - other);
const time = (part) => `${times[Math.floor((times.length - 1) * part)]?.toFixed(1)} ms`;
console.log(`Python alone: ${counts.python[0]} of ${counts.python[1]} the same; with other languages: ${counts.other[0]} of ${counts.other[1]}`);
console.log(`a check in WebAssembly: half below ${time(0.5)}, nine of ten below ${time(0.9)}, the longest ${time(1)}; all took ${Math.round((performance.now() - begun) / 1000)} s`);
process.exitCode = different.every(({ name }) => name in EXPLAINED) ? 0 : 1;

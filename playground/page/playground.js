// The page: files in an editor, what gpulint says of them beside it. All that is shown stands in the address behind `#`:
// `rule=ID` and `example=N` for an example of a rule, `code=…` for what somebody typed.
"use strict";

const POLICY = "gpulint.yaml";
// Longer than any check of what people type takes.
const PATIENCE = 20_000;
const START = {
  files: {
    "main.py": 'import torch\n\nimport cards\n\ncards.choose("1")\nmodel = torch.nn.Linear(8, 8).to("cuda:1")\n',
    "cards.py": 'import os\n\n\ndef choose(index):\n    os.environ["CUDA_VISIBLE_DEVICES"] = index\n',
    [POLICY]: '# What a team says about its GPUs.\ngpu:\n  visible-devices: "1"\n  device-order: PCI_BUS_ID\n  device: "cuda:0"\n',
  },
};

const element = (id) => document.getElementById(id);
const [text, marks, files, findings] = ["text", "marks", "files", "findings"].map(element);

// What is looked at: the files, the rule and the mode; which file is open; and what was found in it.
let project = { files: {} };
let open = "";
let found = [];
let rules = new Map();
let examples = [];
// An example was put there, and nobody has typed since.
let isFresh = false;

// ---- gpulint, in a worker: one question after the other.

let worker;
let waiting = new Map();
let number = 0;

function start() {
  worker?.terminate();
  for (const { reject } of waiting.values()) reject(new Error("gpulint was started anew"));
  waiting = new Map();
  worker = new Worker("worker.js");
  worker.onmessage = ({ data }) => {
    const one = waiting.get(data.number);
    waiting.delete(data.number);
    if (data.failed === undefined) return one?.resolve(data);
    one?.reject(new Error(data.failed));
    // After that its memory may be anything.
    start();
  };
  worker.onerror = () => say("gpulint cannot be loaded: this page needs a server and a browser with WebAssembly");
}

function ask(question) {
  const mine = ++number;
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      waiting.delete(mine);
      reject(new Error("gpulint takes too long for this text"));
      start();
    }, PATIENCE);
    const ended = (end) => (value) => { clearTimeout(late); end(value); };
    waiting.set(mine, { resolve: ended(resolve), reject: ended(reject) });
    worker.postMessage({ number: mine, question });
  });
}

// ---- Checks: the newest text counts.

let delay;
let wanted = 0;

function changed() {
  clearTimeout(delay);
  delay = setTimeout(check, 250);
}

async function check() {
  const mine = ++wanted;
  await keepInAddress();
  try {
    const { answer, took } = await ask({ ask: "check", ...project });
    if (mine !== wanted) return;
    answer.refused === undefined ? show(answer, took) : refuse(answer);
  } catch (error) {
    if (mine === wanted) refuse({ refused: error.message });
  }
}

async function fix(rule) {
  try {
    const { answer } = await ask({ ask: "fix", project, rule });
    if (answer.refused !== undefined) return refuse(answer);
    Object.assign(project.files, answer.files);
    openFile(open);
    await check();
    if (answer.dropped.length) findings.prepend(made("p", { className: "aside" }, `Not fixed: ${answer.dropped.join("; ")}`));
  } catch (error) {
    refuse({ refused: error.message });
  }
}

// ---- What is shown.

// An element with these properties and children; texts are text, whatever stands in them.
function made(name, properties, ...children) {
  const one = Object.assign(document.createElement(name), properties);
  one.append(...children.filter((child) => child !== null && child !== undefined));
  return one;
}

function say(words) {
  element("status").textContent = words;
}

function show(answer, took) {
  const { report, advice, unheard } = answer;
  found = report.findings;
  const { findings: _, files: looked } = report;
  const active = found.filter((one) => one.status === "active");
  const count = (severity) => active.filter((one) => one.severity === severity).length;
  const counts = ["error", "warning", "note"].map((word) => [word, count(word)]).filter(([, many]) => many);
  const told = counts.map(([word, many]) => `${many} ${word}${many === 1 ? "" : "s"}`).join(", ") || "nothing found";
  say(`${looked.checked} file${looked.checked === 1 ? "" : "s"} checked in ${Math.max(1, Math.round(took))} ms: ${told}`);
  element("fix").hidden = !active.some((one) => one.fix?.safety === "safe");
  const notes = looked.skipped.map(({ path, reason }) => `${path} is not read: ${reason}`);
  notes.push(...looked.unfinished.map((path) => `${path} is too large to be followed to its end`));
  notes.push(...unheard.map((key) => `${POLICY}: \`${key}\` names other files, which are not read here`));
  const articles = found.map((one, at) => articleOf(one, advice[at]));
  // What the reader came for stands first, and its file is open.
  const [meant, others] = [true, false].map((is) => articles.filter((_, at) => (found[at].rule === project.rule) === is));
  findings.replaceChildren(...notes.map((note) => made("p", { className: "aside" }, note)), ...meant, ...others);
  const first = isFresh && found.find((one) => one.rule === project.rule);
  isFresh = false;
  first ? openFile(first.path) : mark();
}

function refuse({ refused, path, line }) {
  found = path ? [{ path, line: line ?? 1, end_line: line ?? 1, column: 1, severity: "error", status: "active" }] : [];
  say("Not checked");
  element("fix").hidden = true;
  const where = path && placeOf(found[0]);
  findings.replaceChildren(made("article", { className: "error" }, where, made("p", {}, refused)));
  mark();
}

function articleOf(one, advice) {
  const { rule, severity, message, related, fix: offer, unfixed, status } = one;
  const isActive = status === "active";
  const article = made("article", { className: isActive ? severity : `${severity} silent` });
  article.dataset.rule = rule;
  const name = made("a", { href: `../rules/${encodeURIComponent(rule)}/` }, rule);
  article.append(made("h3", {}, made("span", { className: "kind" }, severity), " ", name, " ", placeOf(one)), made("p", {}, message));
  if (advice) article.append(made("p", { className: "advice" }, `What to do: ${advice}.`));
  if (related.length) article.append(made("ul", {}, ...related.map((other) => made("li", {}, placeOf(other), ` ${other.message}`))));
  if (!isActive) article.append(made("p", { className: "aside" }, "A comment silences it."));
  if (offer && isActive) {
    const button = made("button", { type: "button", onclick: () => fix(rule) }, `Fix: ${offer.title}`);
    const risk = offer.safety === "unsafe" ? made("span", { className: "aside" }, "may change what the program does") : null;
    article.append(made("footer", {}, button, risk));
  } else if (unfixed && isActive) {
    article.append(made("p", { className: "aside" }, `No fix: ${unfixed}.`));
  }
  return article;
}

function placeOf(one) {
  const label = one.cell ? `${one.path}, cell ${one.cell}, line ${one.line}` : `${one.path}:${one.line}`;
  return made("button", { type: "button", className: "place", onclick: () => go(one) }, label);
}

// Opens the file and selects what a finding is about. Columns count characters, as gpulint does.
function go({ path, cell, line, column = 1, end_line: endLine, end_column: endColumn }) {
  if (!(path in project.files)) return;
  openFile(path);
  text.focus();
  // The text of a notebook is JSON, where lines of cells are not.
  if (cell) return;
  const lines = project.files[path].split("\n");
  const offset = (line, column) => {
    const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    return before + Array.from(lines[line - 1] ?? "").slice(0, column - 1).join("").length;
  };
  const from = offset(line, column);
  text.setSelectionRange(from, endLine && endColumn ? offset(endLine, endColumn) : from);
  const step = marks.firstChild?.getBoundingClientRect().height ?? 20;
  text.scrollTop = Math.max(0, (line - 4) * step);
  text.scrollLeft = 0;
}

const WORST = ["note", "warning", "error"];

// The numbers of the lines, and which of them a finding stands on; the names of the files, and how many each has.
function mark() {
  const kinds = new Map();
  const counts = new Map();
  for (const { path, cell, line, end_line: endLine, severity, status } of found) {
    if (status !== "active") continue;
    const [many, worst] = counts.get(path) ?? [0, "note"];
    counts.set(path, [many + 1, WORST.indexOf(severity) > WORST.indexOf(worst) ? severity : worst]);
    if (path !== open || cell) continue;
    for (let at = line; at <= Math.min(endLine ?? line, line + 200); at++) {
      if (!kinds.has(at) || WORST.indexOf(severity) > WORST.indexOf(kinds.get(at))) kinds.set(at, severity);
    }
  }
  const many = text.value.split("\n").length;
  marks.replaceChildren(...Array.from({ length: many }, (_, at) => made("div", { className: kinds.get(at + 1) ?? "" }, made("span", {}, String(at + 1)))));
  const tabs = Object.keys(project.files).map((path) => {
    const [many, worst] = counts.get(path) ?? [0, ""];
    const count = many ? made("span", { className: `count ${worst}` }, ` ${many}`) : null;
    const tab = made("button", { type: "button", onclick: () => { openFile(path); files.querySelector("[aria-current]").focus(); } }, path, count);
    if (path === open) tab.setAttribute("aria-current", "true");
    return tab;
  });
  files.replaceChildren(...tabs);
}

function openFile(path) {
  open = path in project.files ? path : (Object.keys(project.files)[0] ?? "");
  text.value = project.files[open] ?? "";
  text.disabled = open === "";
  element("name").value = open;
  mark();
  scrolled();
}

function scrolled() {
  marks.style.transform = `translateY(${-text.scrollTop}px)`;
}

// ---- Rules and their examples.

function listRules() {
  const groups = new Map();
  for (const { id, family } of rules.values()) {
    if (!groups.has(family)) groups.set(family, made("optgroup", { label: family }));
    groups.get(family).append(made("option", { value: id }, id));
  }
  element("rule").append(...groups.values());
}

async function listExamples(rule) {
  examples = rule ? (await ask({ ask: "examples", rule })).answer : [];
  const options = examples.map(({ title, kind }, at) => made("option", { value: String(at) }, `${kind}: ${title}`));
  element("example").replaceChildren(made("option", { value: "" }, rule ? "what I typed" : "none"), ...options);
}

function showExample(at) {
  const { files, mode } = examples[at];
  put({ files: { ...files }, rule: project.rule, mode }, at);
}

// Shows a project, which is an example or what somebody typed.
function put(shown, example) {
  project = shown;
  if (!project.rule) delete project.rule;
  if (!project.mode) delete project.mode;
  element("rule").value = project.rule ?? "";
  element("mode").value = project.mode ?? "";
  element("example").value = example ?? "";
  const about = rules.get(project.rule);
  const link = about && made("a", { href: `../rules/${encodeURIComponent(about.id)}/` }, about.id);
  element("about").replaceChildren(...(about ? [link, `: ${about.summary}`] : []));
  found = [];
  isFresh = example !== undefined;
  openFile(Object.keys(project.files).find((path) => path !== POLICY) ?? POLICY);
  check();
}

function typed() {
  isFresh = false;
  element("example").value = "";
  changed();
}

// ---- The address.

const bytesOf = (stream) => new Response(stream).arrayBuffer();

async function packed(value) {
  const bytes = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const letters = Array.from(new Uint8Array(await bytesOf(bytes)), (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(word) {
  const letters = atob(word.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text());
}

let written;

async function keepInAddress() {
  const example = element("example").value;
  const parts = example === "" ? { code: await packed(project) } : { rule: project.rule, example };
  written = `#${new URLSearchParams(parts)}`;
  history.replaceState(null, "", written);
}

async function readAddress() {
  if (written !== undefined && location.hash === written) return;
  const said = new URLSearchParams(location.hash.slice(1));
  try {
    if (said.has("code")) {
      const { files, rule, mode } = await unpacked(said.get("code"));
      const texts = Object.entries(files).map(([path, content]) => [path, String(content)]);
      const known = rules.has(rule) ? rule : "";
      await listExamples(known);
      return put({ files: Object.fromEntries(texts), rule: known, mode: ["gpu", "cpu"].includes(mode) ? mode : "" });
    }
    if (said.has("rule")) return await choose(said.get("rule"), Number(said.get("example") ?? 0));
  } catch (error) {
    await listExamples("");
    put(structuredClone(START));
    return void (element("about").textContent = `The address says nothing that can be shown: ${error.message}`);
  }
  await listExamples("");
  put(structuredClone(START));
}

async function choose(rule, example) {
  if (!rules.has(rule)) throw new Error(`there is no rule ${rule}`);
  await listExamples(rule);
  project.rule = rule;
  showExample(examples[example] ? example : 0);
}

// ---- What people do.

text.addEventListener("input", () => {
  project.files[open] = text.value;
  // Marks of lines that moved would be wrong.
  found = found.filter((one) => one.path !== open);
  mark();
  typed();
});
text.addEventListener("scroll", scrolled);
element("rule").addEventListener("input", async ({ target }) => {
  if (target.value) return choose(target.value, 0);
  delete project.rule;
  await listExamples("");
  put(project);
});
element("example").addEventListener("input", ({ target }) => (target.value === "" ? typed() : showExample(Number(target.value))));
element("mode").addEventListener("input", ({ target }) => {
  project.mode = target.value || undefined;
  typed();
});
element("name").addEventListener("change", ({ target }) => {
  const name = target.value.trim();
  if (open === "" || name === "" || name in project.files) return void (target.value = open);
  project.files = Object.fromEntries(Object.entries(project.files).map(([path, content]) => [path === open ? name : path, content]));
  openFile(name);
  typed();
});
element("add").addEventListener("click", () => {
  const names = ["main.py", POLICY, ...Array.from({ length: 1000 }, (_, at) => `module${at + 1}.py`)];
  const name = names.find((one) => !(one in project.files));
  project.files[name] = "";
  openFile(name);
  element("name").select();
  element("name").focus();
  typed();
});
element("remove").addEventListener("click", () => {
  delete project.files[open];
  openFile("");
  typed();
});
element("fix").addEventListener("click", () => fix());
element("share").addEventListener("click", async () => {
  await keepInAddress();
  try {
    await navigator.clipboard.writeText(location.href);
    element("share").textContent = "Copied";
  } catch {
    element("share").textContent = "Copy it from the bar of the browser";
  }
  setTimeout(() => (element("share").textContent = "Copy the address"), 3000);
});
element("choices").addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", readAddress);

start();
ask({ ask: "rules" }).then(({ answer }) => {
  rules = new Map(answer.map((rule) => [rule.id, rule]));
  listRules();
  return readAddress();
}).catch((error) => refuse({ refused: error.message }));

// Filters the modules, sorts tables, and shows what a box of the picture is connected with.
const articles = [...document.querySelectorAll("#modules article")];
const form = document.getElementById("filters");
const pictures = [...document.querySelectorAll(".picture svg")].map((svg) => ({
  svg, boxes: [...svg.querySelectorAll("[data-box]")], lines: [...svg.querySelectorAll("path")],
}));
const boxes = pictures.flatMap((picture) => picture.boxes);
const modulesOf = (box) => (box.dataset.modules ?? "").split(" ");

const fade = ({ svg, boxes, lines }, shown) => {
  svg.classList.toggle("choosing", shown !== null);
  for (const box of boxes) box.classList.toggle("faded", shown !== null && !shown.has(box.dataset.box));
  for (const line of lines) {
    const { from, to } = line.dataset;
    line.classList.toggle("faded", shown !== null && !(shown.has(from) && shown.has(to)));
  }
};

// The modules that are shown, where those are not all.
let left = null;
const unfade = (picture) => {
  const isLeft = (box) => modulesOf(box).some((id) => left.has(id));
  fade(picture, left && new Set(picture.boxes.filter(isLeft).map((box) => box.dataset.box)));
};
// Of hundreds of pictures one is seen.
const repaint = () => pictures.filter(({ svg }) => svg.checkVisibility()).forEach(unfade);

if (form) {
  // Long pages have long texts: nobody waits for them before the first search.
  let texts = null;
  const has = (list, word) => !word || list.split(" ").includes(word);
  const filter = () => {
    const { text, part, severity, rule, family } = form.elements;
    const wanted = text.value.toLowerCase();
    if (wanted) texts ??= articles.map((article) => article.textContent.toLowerCase());
    left = new Set();
    articles.forEach((article, at) => {
      const own = article.dataset;
      const shown = (!part.value || part.value === own.part) && has(own.severities, severity.value)
        && has(own.rules, rule.value) && has(own.families, family.value) && (!wanted || texts[at].includes(wanted));
      article.hidden = !shown;
      if (shown) left.add(article.id);
    });
    form.elements.count.value = `${left.size} of ${articles.length} shown`;
    if (left.size === articles.length) left = null;
    repaint();
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
}

// A link into the page leads somewhere, whatever is filtered.
const reveal = () => {
  let id = "";
  try {
    id = decodeURIComponent(location.hash.slice(1));
  } catch {
    return;
  }
  const target = document.getElementById(id);
  repaint();
  const article = target?.closest("article");
  if (!article) return;
  article.hidden = false;
  for (const box of boxes) {
    box.classList.toggle("chosen", modulesOf(box).includes(article.id));
  }
  target.scrollIntoView();
};
window.addEventListener("hashchange", reveal);
reveal();

for (const picture of pictures) {
  for (const box of picture.boxes) {
    const own = box.dataset.box;
    const show = () => {
      const tied = ({ dataset }) => dataset.from === own || dataset.to === own;
      const ends = picture.lines.filter(tied).flatMap(({ dataset }) => [dataset.from, dataset.to]);
      fade(picture, new Set([own, ...ends]));
      for (const line of picture.lines) line.classList.toggle("faded", !tied(line));
    };
    const hide = () => unfade(picture);
    box.addEventListener("mouseenter", show);
    box.addEventListener("focus", show);
    box.addEventListener("mouseleave", hide);
    box.addEventListener("blur", hide);
  }
}

// Of several columns the one that was asked for last counts first.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const body = table.tBodies[0];
      const rows = [...body.rows];
      const text = (row) => row.cells[at].textContent.trim();
      rows.sort((one, other) => text(one).localeCompare(text(other), "en", { numeric: true }) * (up ? 1 : -1));
      body.append(...rows);
    });
  });
}

// `/` searches, Escape shows all again, and folds what was opened.
document.addEventListener("keydown", (event) => {
  if (!form || event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches?.("input, select, textarea");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    form.elements.text.focus();
  } else if (event.key === "Escape") {
    form.reset();
    form.dispatchEvent(new Event("input"));
    if (document.querySelector(".inside:target")) location.hash = "picture";
    if (typing) event.target.blur();
  }
});

// Shows the findings that the filters at the top of the page ask for.
const form = document.getElementById("filters");
if (form) {
  const articles = [...document.querySelectorAll("article")];
  const texts = articles.map((article) => article.textContent.toLowerCase());
  const filter = () => {
    const kinds = new Set([...form.querySelectorAll("[name=kind]:checked")].map((box) => box.value));
    const rule = form.elements.rule.value;
    const text = form.elements.text.value.toLowerCase();
    let count = 0;
    articles.forEach((article, at) => {
      const { kind, rule: own } = article.dataset;
      const shown = kinds.has(kind) && (!rule || rule === own) && texts[at].includes(text);
      article.hidden = !shown;
      count += shown;
    });
    for (const folded of document.querySelectorAll("details")) {
      const shown = [...folded.querySelectorAll("article")].some((article) => !article.hidden);
      folded.hidden = !shown;
      // Whoever looks for a text wants to see where it stands.
      folded.open = folded.open || (text !== "" && shown);
    }
    form.elements.count.value = `${count} of ${articles.length} shown`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
}

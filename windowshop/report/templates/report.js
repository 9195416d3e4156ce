"use strict";
const form = document.querySelector("form.filter");
if (form) {
  const rows = [...document.querySelectorAll("table.episodes tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const apply = () => {
    const words = form.elements.find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, place) => {
      const fits = ["site", "agent", "outcome"].every((name) => {
        const wanted = form.elements[name].value;
        return !wanted || row.dataset[name] === wanted;
      }) && words.every((word) => texts[place].includes(word));
      row.hidden = !fits;
      shown += fits;
    });
    form.querySelector("output").value = shown === rows.length ? `${shown} episodes` : `${shown} of ${rows.length}`;
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
}
addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  const article = document.querySelector("article.episode:target");
  if (!article) return;
  const links = [...article.querySelectorAll("nav.near a")];
  const find = (text) => links.find((link) => link.textContent.includes(text));
  const link = { j: find("next"), k: find("before"), Escape: links[0] }[event.key];
  if (link) { event.preventDefault(); location.hash = link.hash; }
});
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#e-")) scrollTo(0, 0);
});

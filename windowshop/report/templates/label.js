"use strict";
const form = document.getElementById("answers");
const state = document.getElementById("state");
const sets = [...form.querySelectorAll("fieldset")];
const store = form.dataset.store;
const read = () => { try { return JSON.parse(localStorage.getItem(store)) ?? {}; } catch { return {}; } };
const write = (pending) => {
  try {
    if (Object.keys(pending).length) localStorage.setItem(store, JSON.stringify(pending));
    else localStorage.removeItem(store);
  } catch { /* without a store an answer waits in this page alone */ }
};
let pending = read();
let sending = false;
let told = false;
let leaving = false;
let current = 0;

const say = (text, kind) => { state.textContent = text; state.className = `state ${kind}`; };
const send = async () => {
  const batch = { ...pending };
  const count = Object.keys(batch).length;
  if (sending || !count) return;
  sending = true;
  try {
    const answer = await fetch(form.action, {
      method: "POST", keepalive: true, headers: { "content-type": "application/json" }, body: JSON.stringify(batch),
    });
    if (answer.status >= 500) throw new Error(answer.status);
    for (const [name, value] of Object.entries(batch)) if (pending[name] === value) delete pending[name];
    write(pending);
    if (answer.ok) { if (!Object.keys(pending).length) say("Saved", "good"); } else say("An answer was not taken: reload the page", "bad");
    told = false;
  } catch {
    const waiting = Object.keys(pending).length;
    say(`The server does not answer. ${waiting} answer${waiting === 1 ? " is" : "s are"} kept here and will be sent.`, "bad");
    told = true;
  } finally {
    sending = false;
  }
  if (Object.keys(pending).length) { if (!told) send(); } else if (leaving) goOn();
};
const choose = (radio) => {
  radio.checked = true;
  pending[radio.name] = radio.value;
  write(pending);
  if (!told) say("Saving …", "");
  send();
};
const mark = (place, focus = true) => {
  current = Math.max(0, Math.min(sets.length - 1, place));
  sets.forEach((set, number) => set.classList.toggle("current", number === current));
  if (!focus) return;
  const radios = sets[current].querySelectorAll("input");
  ([...radios].find((radio) => radio.checked) ?? radios[0]).focus({ preventScroll: true });
  sets[current].scrollIntoView({ block: "nearest" });
};
const leave = (link) => { if (link) location.href = link.href; };
const goOn = () => leave(document.getElementById("after") ?? document.querySelector("nav.near a"));

for (const [name, value] of Object.entries(pending)) {
  const radio = [...form.elements].find((one) => one.name === name && one.value === value);
  if (radio) radio.checked = true;
}
form.addEventListener("change", (event) => choose(event.target));
form.addEventListener("focusin", (event) => {
  const place = sets.indexOf(event.target.closest("fieldset"));
  if (place >= 0 && place !== current) mark(place, false);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  leaving = true;
  if (Object.keys(pending).length) send(); else goOn();
});
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("summary, a, pre, button")) return;
  const radios = [...sets[current].querySelectorAll("input")];
  const named = { y: "yes", n: "no", u: "unknown" }[event.key];
  const radio = named ? radios.find((one) => one.value === named) : radios[Number(event.key) - 1];
  if (radio) { choose(radio); mark(current + 1); }
  else if (event.key === "j") mark(current + 1);
  else if (event.key === "k") mark(current - 1);
  else if (event.key === "Enter") form.requestSubmit();
  else if (event.key === "p") leave(document.getElementById("before"));
  else return;
  event.preventDefault();
});
mark(Math.max(0, sets.findIndex((set) => !set.querySelector(":checked"))), matchMedia("(min-width: 60rem)").matches);
setInterval(send, 1500);
addEventListener("online", send);
send();

// @ts-check
// Add to the page of lessons what needs a script: search, filters, progress, and the way back to the lab. The cards
// are the server's (ui/server/lessons_page.py).

import { runIn } from "../base/host.js";
import { placeInLab, readTries, readVisits, writeTries, writeVisits } from "../base/visits.js";
import { LESSONS } from "../hosts/lessons.js";
import { makePath } from "./path.js";
import { MOST, asText, broughtIn, doneSays, nextOf, shareOf, stateOf, wayOn } from "./progress.js";
import { findCards, foundSays } from "./search.js";

/** @typedef {import("./progress.js").Card & { element: HTMLElement, words: string[], level: string, link: HTMLAnchorElement }} Shown */

const SAYS = { "": "", opened: "Opened", answered: "Answered", done: "\u2713 Done" };
const QUERY = "q"; // field of the address

/** @template {Element} [T=HTMLElement] @param {string} selector @param {ParentNode} [within] @returns {T} */
const one = (selector, within = document) => /** @type {T} */ (within.querySelector(selector));

export default function lessonsPage() {
  runIn(LESSONS);
  const cards = [...document.querySelectorAll(".card")].map(read);
  const form = /** @type {HTMLFormElement} */ (one(".find"));
  const query = /** @type {HTMLInputElement} */ (one("input[name=q]", form));
  const level = /** @type {HTMLSelectElement} */ (one("select", form));
  const open = /** @type {HTMLInputElement} */ (one("input[name=open]", form));
  const onPath = document.body.classList.contains("on-path");
  let visits = readVisits(),
    tries = readTries();
  const state = (/** @type {import("./progress.js").Card} */ { key, ...rest }) =>
    stateOf(
      { key, ...rest },
      visits.find((visit) => visit.key === key),
      tries.get(key),
    );

  const find = () => {
    let count = 0;
    const found = findCards(
      query.value,
      cards.map(({ words }) => words),
    );
    for (const [i, card] of cards.entries()) {
      const shown =
        found[i] &&
        (!level.value || level.value === card.level) &&
        (!open.checked || state(card) !== "done");
      card.element.hidden = !shown;
      count += Number(shown);
    }
    for (const track of document.querySelectorAll(".track"))
      /** @type {HTMLElement} */ (track).hidden = !track.querySelector(".card:not([hidden])");
    const said = foundSays(count, cards.length);
    const output = one(".found", form);
    if (output.textContent !== said) output.textContent = said;
    one(".nothing").hidden = count > 0;
    const [address, asked] = [new URL(location.href), query.value.trim()];
    if (asked === (address.searchParams.get(QUERY) ?? "")) return;
    if (asked) address.searchParams.set(QUERY, asked);
    else address.searchParams.delete(QUERY);
    history.replaceState(history.state, "", address);
  };

  const tell = () => {
    for (const card of cards) {
      const now = state(card),
        element = one(".state", card.element);
      element.hidden = !now;
      element.textContent = SAYS[now];
      card.element.dataset.state = now;
      const ring = one(".ring", card.element);
      ring.hidden = !now || now === "done"; // then its sign stands before the word
      const visit = visits.find(({ key }) => key === card.key);
      ring.style.setProperty("--share", String(shareOf(card, visit, tries.get(card.key))));
    }
    for (const track of document.querySelectorAll(".track")) {
      const of = cards.filter(({ element }) => track.contains(element));
      const done = of.filter((card) => state(card) === "done").length;
      const count = one(".count", track);
      count.textContent = `${done} of ${of.length} done`;
      count.hidden = !of.some((card) => state(card));
    }
    const next = nextOf(cards, visits, state);
    const line = one(".continue");
    line.hidden = !next || onPath;
    if (onPath) goOn(cards, state, visits);
    const shown = cards.find(({ key }) => key === next?.key);
    if (shown) {
      const link = /** @type {HTMLAnchorElement} */ (one("a", line));
      link.href = shown.link.href;
      link.textContent = shown.link.textContent;
    }
  };

  const again = () => {
    [visits, tries] = [readVisits(), readTries()];
    tell();
    find();
  };

  query.value = new URLSearchParams(location.search).get(QUERY) ?? "";
  makePath(cards);
  one(".progress").hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", find);
  one(".nothing button").addEventListener("click", () => {
    form.reset();
    query.value = "";
    find();
    query.focus();
  });
  document.addEventListener("keydown", (event) => {
    const at = /** @type {Element | null} */ (event.target);
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (form.hidden || at?.closest("input, textarea, select")) return;
    event.preventDefault();
    query.focus();
    query.select();
  });
  // A link, so that it can be opened in another tab; where it leads is drawn when it is reached for.
  const surprise = /** @type {HTMLAnchorElement} */ (one(".surprise", form));
  const draw = () => {
    const left = cards.filter((card) => state(card) !== "done");
    const from = left.length ? left : cards;
    surprise.href = from[Math.floor(Math.random() * from.length)]?.link.href ?? surprise.href;
  };
  for (const kind of ["pointerenter", "focus"]) surprise.addEventListener(kind, draw);
  draw();
  keepProgress(again);
  const lab = /** @type {HTMLAnchorElement} */ (one("#to-lab"));
  lab.search = placeInLab();
  addEventListener("pageshow", again); // also when the browser shows the page as it was left
  addEventListener("storage", again);
  again();
}

/** Make the way to the first lesson of a path the way on, to the first that is not done.
 * @param {Shown[]} cards @param {(card: Shown) => string} state
 * @param {import("../base/visits.js").Visit[]} visits */
function goOn(cards, state, visits) {
  const start = /** @type {HTMLAnchorElement | null} */ (document.querySelector(".start"));
  if (!start) return;
  const { says, to } = wayOn(cards.map(state));
  start.textContent = says;
  start.href = cards[to].link.href;
  one(".count-all").textContent = doneSays(
    cards.map(state),
    cards.map(({ key }) => visits.find((visit) => visit.key === key)?.answered),
  );
}

/** @param {Element} element @returns {Shown} */
function read(element) {
  const {
    key = "",
    level = "",
    tries,
    asks,
    words = "",
  } = /** @type {HTMLElement} */ (element).dataset;
  return {
    element: /** @type {HTMLElement} */ (element),
    link: one("a.open", element),
    key,
    level,
    tries: Number(tries),
    asks: Boolean(asks),
    words: words.split(" "),
  };
}

/** Show the progress as a text, and take one in. @param {() => void} changed */
function keepProgress(changed) {
  const box = one("details.progress");
  const text = /** @type {HTMLTextAreaElement} */ (one("textarea", box));
  const said = one("output", box);
  text.maxLength = MOST + 1; // a text of megabytes would hold the page for seconds, and is refused
  const fill = () => (text.value = asText(readVisits(), readTries()));
  box.addEventListener("toggle", fill);
  const press = (/** @type {string} */ name, /** @type {() => void} */ does) =>
    one(`button[name=${name}]`, box).addEventListener("click", does);
  press("copy", async () => {
    fill();
    text.select();
    try {
      await navigator.clipboard.writeText(text.value);
      said.textContent = "Copied.";
    } catch {
      said.textContent = "It is selected: copy it by the keyboard.";
    }
  });
  press("add", () => {
    const after = broughtIn(text.value, readVisits(), readTries());
    if (!after) {
      said.textContent = "This is no progress of this page: paste the whole text that Copy gave.";
      return;
    }
    writeVisits(after.visits);
    writeTries(after.tries);
    changed();
    fill();
    said.textContent = "Brought in.";
  });
  press("forget", () => {
    if (said.dataset.sure !== "yes") {
      said.dataset.sure = "yes";
      said.textContent = "Press once more to forget it.";
      return;
    }
    delete said.dataset.sure;
    writeVisits([]);
    writeTries(new Map());
    changed();
    fill();
    said.textContent = "Forgotten.";
  });
}

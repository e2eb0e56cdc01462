// @ts-check
// Explain a word of the glossary on hover, focus and tap: one tooltip for the whole page, also for words in
// shadow trees and in text that Streamlit draws.

import { shared } from "./constants.js";
import { html } from "./dom.js";

/** How such a word looks, in each shadow tree. */
export const TERM_CSS =
  "dfn[data-term] { font-style: normal; text-decoration: underline dotted 1px; text-underline-offset: 3px; cursor: help; pointer-events: auto; } dfn[data-term]:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; border-radius: 2px; }";
const GAP = 6; // px between the word and its tooltip
const WIDE = 320; // px
const DELAY_MS = 250; // until a word under the pointer is explained

/** A word that the page explains. @param {string} word a key of the glossary @param {string} [text] as it stands here @returns {HTMLElement} */
export const term = (word, text = word) =>
  html(
    "dfn",
    { "data-term": word, tabindex: "0", "aria-description": shared.glossary[word] },
    text,
  );

/** Words of the glossary, the longest first, as lab/glossary.py finds them. */
const FORMS = Object.keys(shared.glossary)
  .sort((a, b) => b.length - a.length)
  .join("|");
const WORD = new RegExp(`\\b(${FORMS})(?:s|es)?\\b`, "gi");
const KEYS = Object.fromEntries(
  Object.keys(shared.glossary).map((word) => [word.toLowerCase(), word]),
);

/** Plain text in pieces: [piece, key of the glossary], with the first of each word as a piece of its own. Pure.
 * @param {string} text @returns {[piece: string, word?: string][]} */
export function piecesOf(text) {
  /** @type {[piece: string, word?: string][]} */
  const pieces = [];
  const once = new Set();
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    const word = KEYS[match[1].toLowerCase()];
    if (once.has(word)) continue;
    once.add(word);
    if (match.index > end) pieces.push([text.slice(end, match.index)]);
    pieces.push([match[0], word]);
    end = match.index + match[0].length;
  }
  return end < text.length ? [...pieces, [text.slice(end)]] : pieces;
}

/** Write a text in which the page explains the words of the glossary, unless it is there. @param {HTMLElement} host @param {string} text */
export function setExplained(host, text) {
  if (host.textContent !== text)
    host.replaceChildren(
      ...piecesOf(text).map(([piece, word]) => (word ? term(word, piece) : piece)),
    );
}

/** The place of a tooltip, in view and beside its word. Pure.
 * @param {{ left: number, top: number, bottom: number }} word @param {{ w: number, h: number }} size of the tooltip @param {{ w: number, h: number }} page
 * @returns {[x: number, y: number]} */
export function placeOf({ left, top, bottom }, { w, h }, page) {
  const x = Math.max(GAP, Math.min(left, page.w - w - GAP));
  return [x, bottom + GAP + h <= page.h ? bottom + GAP : Math.max(GAP, top - GAP - h)];
}

/** Explain words until the returned function is called. @returns {() => void} */
export function explainTerms() {
  const ending = new AbortController();
  const tip = html("div", { class: "av-tip", role: "tooltip", popover: "manual" });
  document.body.append(tip);
  let waiting = 0;
  const wordOf = (/** @type {Event} */ event) =>
    /** @type {HTMLElement | undefined} */ (
      event.composedPath().find((one) => one instanceof HTMLElement && one.dataset.term)
    );
  const hide = () => {
    clearTimeout(waiting);
    if (tip.matches(":popover-open")) tip.hidePopover();
  };
  const show = (/** @type {HTMLElement} */ word) => {
    hide();
    tip.textContent = shared.glossary[word.dataset.term ?? ""] ?? "";
    if (!tip.textContent || !word.isConnected) return;
    tip.style.maxWidth = `${Math.min(WIDE, innerWidth - 2 * GAP)}px`;
    tip.showPopover();
    const [x, y] = placeOf(
      word.getBoundingClientRect(),
      { w: tip.offsetWidth, h: tip.offsetHeight },
      { w: innerWidth, h: innerHeight },
    );
    Object.assign(tip.style, { left: `${x}px`, top: `${y}px` });
  };
  const on = (/** @type {string} */ kind, /** @type {(event: any) => void} */ act) =>
    document.addEventListener(kind, act, { capture: true, signal: ending.signal });
  on("pointerover", (event) => {
    const word = event.pointerType === "mouse" && wordOf(event);
    hide();
    if (word) waiting = window.setTimeout(() => show(word), DELAY_MS);
  });
  on("focusin", (event) => {
    const word = wordOf(event);
    if (word?.matches(":focus-visible")) show(word);
  });
  on("focusout", hide);
  on("click", (event) => {
    const word = wordOf(event);
    const isButtons =
      word instanceof HTMLButtonElement && event.pointerType !== "touch" && event.detail > 0; // the mouse pressed it for what it does
    if (word && !isButtons) show(word);
    else hide();
    if (word?.closest("label")) event.preventDefault(); // the field is not meant
  });
  on("keydown", ({ key }) => key === "Escape" && hide());
  on("scroll", hide);
  return () => {
    ending.abort();
    hide();
    tip.remove();
  };
}

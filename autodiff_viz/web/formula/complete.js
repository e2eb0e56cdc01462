// @ts-check
// Complete the word at the caret, from a list below it.

import { html } from "../base/dom.js";
import { lineStart } from "./caret.js";

/** @typedef {import("../types.js").Word} Word */
/**
 * @typedef {object} Completion
 * @property {number} start
 * @property {number} end
 * @property {Word[]} options for the text from start to end
 */

const LEAST = 2; // letters before anything is offered
const MOST = 8; // options on view
const ASSIGNED = /^[ \t]*([A-Za-z_]\w*)[ \t]*=(?!=)/gm;
const DEFINED = /^def[ \t]+([A-Za-z_]\w*)/gm;

/** @type {Word[]} */
const OPENINGS = [
  { word: 'with checkpoint("', kind: "keyword", doc: "A block that runs again on the way back." },
  { word: 'with group("', kind: "keyword", doc: "A block that only tidies the canvas." },
  {
    word: 'with branches("',
    kind: "keyword",
    doc: "A block of groups beside each other, which can become more.",
  },
  {
    word: "for i in range(",
    kind: "keyword",
    doc: "A block that is repeated, each step in a group of its own.",
  },
  {
    word: "def block(x):",
    kind: "keyword",
    doc: "A block that is used by its name: y = block(x).",
  },
  { word: "return", kind: "keyword", doc: "Chooses the output: return y." },
];
/** @type {Word} */
const LAMBDA = {
  word: "lambda",
  kind: "keyword",
  doc: "A function of the cotangent: lambda v: 0.5 * v.",
};

/** The completion at the caret; null if there is nothing to offer or the word is complete.
 * @param {string} text @param {number} caret @param {Word[]} words @returns {Completion | null} */
export function complete(text, caret, words) {
  const before = text.slice(lineStart(text, caret), caret);
  const begun = /(?<![\w.])[A-Za-z_]\w*$/.exec(before)?.[0] ?? "";
  if (begun.length < LEAST || /^\w/.test(text.slice(caret)) || !isCode(before)) return null;
  const opening = before.trim() === begun;
  const options = ranked(opening ? OPENINGS : [...names(text, caret), ...words, LAMBDA], begun);
  if (!options.length || options.some(({ word }) => word === begun)) return null;
  return { start: caret - begun.length, end: caret, options: options.slice(0, MOST) };
}

/** Whether the caret is in code: not in a comment, a string or the arguments of a lambda.
 * @param {string} before the line as far as the caret */
function isCode(before) {
  const bare = before.replace(/"[^"]*"|'[^']*'/g, "");
  return !/["'#]/.test(bare) && !/\blambda\b[^:]*$/.test(bare);
}

/** The names that the lines above the caret assign or define. @param {string} text @param {number} caret @returns {Word[]} */
function names(text, caret) {
  const above = text.slice(0, lineStart(text, caret));
  /** @param {RegExp} pattern @param {string} doc @returns {Word[]} */
  const all = (pattern, doc) =>
    [...new Set([...above.matchAll(pattern)].map((match) => match[1]))].map((word) => ({
      word,
      kind: "name",
      doc,
    }));
  return [...all(ASSIGNED, "A node of this graph."), ...all(DEFINED, "A function of this text.")];
}

/** Words that begin as typed, the shortest first; then words that contain the letters.
 * @param {Word[]} words @param {string} begun */
function ranked(words, begun) {
  const typed = begun.toLowerCase();
  const first = words.filter(({ word }) => word.toLowerCase().startsWith(typed));
  const inside = words.filter(
    (entry) => !first.includes(entry) && entry.word.toLowerCase().includes(`_${typed}`),
  );
  return [...first.sort((a, b) => a.word.length - b.word.length), ...inside];
}

// The list, in which keys or the pointer choose.

export class Popup {
  /** @param {HTMLTextAreaElement} area @param {(completion: Completion, word: string) => void} accept */
  constructor(area, accept) {
    this.area = area;
    this.accept = accept;
    this.marked = 0;
    /** @type {Completion | null} */
    this.completion = null;
    this.root = html("div", {
      class: "popup",
      role: "listbox",
      id: "words",
      "aria-label": "Completions",
      popover: "manual",
    });
    this.root.addEventListener("pointerdown", (event) => event.preventDefault()); // the caret stays in place
  }

  get open() {
    return this.completion !== null;
  }

  /** Offer the completion at the caret, below `place()`.
   * @param {Word[]} words @param {(offset: number) => DOMRect} place */
  offer(words, place) {
    const { value, selectionStart, selectionEnd } = this.area;
    const completion =
      selectionStart === selectionEnd ? complete(value, selectionStart, words) : null;
    if (!completion) return this.close();
    this.completion = completion;
    this.root.replaceChildren(...completion.options.map((word, i) => this.option(word, i)));
    this.area.setAttribute("aria-controls", "words");
    this.root.showPopover?.();
    below(this.root, place(completion.start));
    this.mark(0);
  }

  close() {
    if (!this.open) return;
    this.completion = null;
    this.root.hidePopover?.();
    for (const name of ["aria-controls", "aria-activedescendant"]) this.area.removeAttribute(name);
  }

  /** Mark an option.
   * @param {number} index one beyond either end comes back at the other */
  mark(index) {
    const options = [...this.root.children];
    this.marked = (index + options.length) % options.length;
    options.forEach((option, i) => option.setAttribute("aria-selected", String(i === this.marked)));
    options[this.marked].scrollIntoView({ block: "nearest" });
    this.area.setAttribute("aria-activedescendant", `word-${this.marked}`);
  }

  take() {
    const { completion, marked } = this;
    this.close();
    if (completion) this.accept(completion, completion.options[marked].word);
  }

  /** @param {Word} word @param {number} i */
  option({ word, kind, doc }, i) {
    const choose = () => {
      this.marked = i;
      this.take();
    };
    return html(
      "div",
      { role: "option", id: `word-${i}`, class: `word ${kind}`, click: choose },
      html("b", {}, word),
      html("small", {}, doc),
    );
  }
}

/** Place a fixed element below a box of the screen, or above the box if there is no room.
 * @param {HTMLElement} element @param {DOMRect} box */
export function below(element, box) {
  const { offsetWidth, offsetHeight } = element;
  const left = Math.max(8, Math.min(box.left - 12, window.innerWidth - offsetWidth - 8));
  const under = box.bottom + 4 + offsetHeight < window.innerHeight;
  element.style.left = `${left}px`;
  element.style.top = `${under ? box.bottom + 4 : box.top - 4 - offsetHeight}px`;
}

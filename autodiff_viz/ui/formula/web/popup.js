// @ts-check
// Offer completions in a list below the word being typed, with choice by keys or pointer.

import { html } from "../../web/dom.js";
import { complete } from "./complete.js";

/** @typedef {import("./complete.js").Completion} Completion */
/** @typedef {import("./types.js").Word} Word */

export class Popup {
  /** @param {HTMLTextAreaElement} area @param {(completion: Completion, word: string) => void} accept */
  constructor(area, accept) {
    this.area = area;
    this.accept = accept;
    this.marked = 0;
    /** @type {Completion | null} */
    this.completion = null;
    this.root = html("div", { class: "popup", role: "listbox", id: "words", "aria-label": "Completions", popover: "manual" });
    this.root.addEventListener("pointerdown", (event) => event.preventDefault()); // the caret stays in place
  }

  get open() {
    return this.completion !== null;
  }

  /** Offer the completion at the caret, below `place()`.
   * @param {Word[]} words @param {(offset: number) => DOMRect} place */
  offer(words, place) {
    const { value, selectionStart, selectionEnd } = this.area;
    const found = selectionStart === selectionEnd ? complete(value, selectionStart, words) : null;
    if (!found) return this.close();
    this.completion = found;
    this.root.replaceChildren(...found.options.map((word, i) => this.option(word, i)));
    this.area.setAttribute("aria-controls", "words");
    this.root.showPopover?.();
    below(this.root, place(found.start));
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
    return html("div", { role: "option", id: `word-${i}`, class: `word ${kind}`, click: choose },
      html("b", {}, word), html("small", {}, doc));
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

// @ts-check
// Draw the row of buttons for the rules of a node: one stop of the Tab key, with arrow keys inside (roving
// focus).

import { RULES } from "../../web/constants.js";
import { html } from "../../web/dom.js";
import { icon, ICONS } from "../../editor/web/draw/icons.js";

export class Rules {
  /** @param {(kind: string) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.root = html("div", { class: "rules", role: "toolbar", "aria-label": "Rule" });
    this.root.addEventListener("keydown", (event) => this.key(event));
    /** @type {HTMLElement[]} */
    this.buttons = [];
    this.kinds = "";
  }

  /** @param {string[]} kinds @param {string} chosen */
  show(kinds, chosen) {
    if (this.kinds !== String(kinds)) {
      this.kinds = String(kinds);
      this.buttons = kinds.map((kind) => this.button(kind));
      this.root.replaceChildren(...this.buttons);
    }
    const reached = kinds.includes(chosen) ? chosen : kinds[0]; // by Tab: also where a document has an unfit rule
    for (const button of this.buttons) {
      const { kind } = button.dataset;
      button.setAttribute("aria-pressed", String(kind === chosen));
      button.tabIndex = kind === reached ? 0 : -1;
    }
  }

  /** @param {string} kind */
  button(kind) {
    const sign = ICONS[kind] ? icon(kind, 14) : null;
    return html("button", { type: "button", "data-kind": kind, click: () => this.choose(kind) }, sign, RULES[kind]?.label ?? kind);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = this.buttons.findIndex((button) => button === event.target);
    this.buttons[(at + step + this.buttons.length) % this.buttons.length]?.focus();
    event.preventDefault();
  }
}

// @ts-check
// Draw a row of tabs: one stop of the Tab key, with arrow keys inside (roving focus).

import { shared } from "../../web/constants.js";
import { html } from "../../web/dom.js";

/** @typedef {{ name: string, label: string, title?: string, word?: string }} Tab  `word`: of the glossary, which the tab explains */

const PEEK = 14; // px of the next tab beside the chosen one: there are more

export class Tabs {
  /** @param {string} label @param {(name: string) => void} choose */
  constructor(label, choose) {
    this.choose = choose;
    this.root = html("div", { class: "tabs", role: "tablist", "aria-label": label });
    this.root.addEventListener("keydown", (event) => this.key(event));
    for (const kind of ["keydown", "keyup", "keypress"]) this.root.addEventListener(kind, (event) => event.stopPropagation());
    this.names = "";
    /** @type {string | null} */
    this.chosen = null;
    this.sized = new ResizeObserver(() => this.bringIntoView(this.chosen)); // after the layout: to ask before it would take one more
  }

  get buttons() {
    return /** @type {HTMLElement[]} */ ([...this.root.children]);
  }

  /** @param {Tab[]} tabs @param {string | null} chosen */
  show(tabs, chosen) {
    const names = JSON.stringify(tabs);
    if (this.names !== names) this.root.replaceChildren(...tabs.map(({ name, label, title, word }) =>
      html("button", { type: "button", class: "tab", role: "tab", title, "data-tab": name, "data-term": word, "aria-description": word && shared.glossary[word], click: () => this.choose(name) }, label)));
    const reached = tabs.some(({ name }) => name === chosen) ? chosen : tabs[0]?.name; // by the Tab key
    for (const button of this.buttons) {
      const { tab } = button.dataset;
      button.setAttribute("aria-selected", String(tab === chosen));
      button.tabIndex = tab === reached ? 0 : -1;
    }
    if (this.chosen === chosen && this.names === names) return;
    [this.names, this.chosen] = [names, chosen];
    this.sized.disconnect();
    this.sized.observe(this.root); // which calls back once it has its size, and whenever that changes
  }

  /** Scroll the row to a tab, without the page. @param {string | null} name */
  bringIntoView(name) {
    const tab = this.buttons.find((button) => button.dataset.tab === name);
    if (!tab) return;
    const [row, { offsetTop, offsetLeft, offsetHeight, offsetWidth }] = [this.root, tab];
    row.scrollTop = Math.min(offsetTop, Math.max(row.scrollTop, offsetTop + offsetHeight + PEEK - row.clientHeight));
    row.scrollLeft = Math.min(offsetLeft, Math.max(row.scrollLeft, offsetLeft + offsetWidth + PEEK - row.clientWidth));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { buttons } = this;
    const at = buttons.findIndex((button) => button === event.target);
    const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined || at < 0) return;
    const next = buttons.at(to % buttons.length);
    next?.focus();
    next?.click();
    event.preventDefault();
  }
}

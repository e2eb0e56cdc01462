// @ts-check
// Show hints about a graph in a panel below the bar that opens on demand: what is legal and rarely meant,
// each with its nodes, its reason, and a button that mends it.

import { Mend } from "../base/cure.js";
import { html } from "../base/dom.js";

/** @typedef {import("../types.js").LintData} LintData */
/**
 * @typedef {object} Does
 * @property {import("../base/cure.js").Send} send
 * @property {(name: string) => void} select
 * @property {(path: { nodes: string[], wires: string[] } | null) => void} light
 * @property {() => void} opened
 */

const LATER = "If you differentiate again, or in forward mode";

/** What the button says: how many hints matter now. Pure. @param {LintData[]} lints */
export const countOf = (lints) => {
  const now = lints.filter(({ later }) => !later).length;
  return now === 1 ? "1 hint" : now ? `${now} hints` : "Hints";
};

export class LintsPanel {
  /** @param {Does} does */
  constructor(does) {
    this.does = does;
    this.shown = "";
    this.open = false;
    this.button = /** @type {HTMLButtonElement} */ (
      html("button", {
        type: "button",
        class: "hints-button",
        "aria-expanded": "false",
        "aria-controls": "av-hints",
        click: () => this.toggle(!this.open),
      })
    );
    this.panel = html("div", {
      class: "table hints",
      id: "av-hints",
      role: "group",
      "aria-label": "Hints",
    });
    this.panel.addEventListener("keydown", (event) => event.stopPropagation()); // Streamlit's own shortcuts (r, c) would answer these keys too
    this.receive([]);
  }

  /** @param {LintData[]} lints */
  receive(lints) {
    const shown = JSON.stringify(lints);
    if (shown !== this.shown) this.fill(lints);
    this.shown = shown;
    this.button.hidden = !lints.length;
    this.panel.hidden = !lints.length || !this.open;
  }

  /** @param {LintData[]} lints */
  fill(lints) {
    this.does.light(null);
    this.button.textContent = countOf(lints);
    this.button.classList.toggle(
      "now",
      lints.some(({ later }) => !later),
    );
    const [now, later] = [lints.filter((lint) => !lint.later), lints.filter((lint) => lint.later)];
    this.panel.replaceChildren(
      ...now.map((lint) => this.item(lint)),
      ...(later.length ? [html("p", { class: "later" }, LATER)] : []),
      ...later.map((lint) => this.item(lint)),
    );
  }

  /** @param {LintData} lint */
  item(lint) {
    const mend = new Mend(this.does.send);
    mend.show(lint);
    const at = lint.at ?? [];
    const names = at.map((name) =>
      html(
        "button",
        {
          type: "button",
          class: "name",
          title: `Select ${name}`,
          click: () => this.does.select(name),
        },
        name,
      ),
    );
    const item = html("div", { class: "hint" }, html("p", { class: "names" }, ...names), mend.root);
    for (const kind of ["pointerenter", "focusin"])
      item.addEventListener(kind, () => this.does.light({ nodes: at, wires: [] }));
    for (const kind of ["pointerleave", "focusout"])
      item.addEventListener(kind, () => this.does.light(null));
    return item;
  }

  /** @param {boolean} open */
  toggle(open) {
    this.open = open;
    this.panel.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    if (open) this.does.opened();
    else this.does.light(null);
  }
}

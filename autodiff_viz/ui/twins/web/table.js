// @ts-check
// Compare two graphs in a table: the nodes whose numbers differ, the others folded, and the lines of the
// formula that differ.

import { html } from "../../web/dom.js";
import { term } from "../../web/term.js";

/** @typedef {import("./types.js").TwinsData} TwinsData */
/** @typedef {import("./types.js").TwinRow} TwinRow */
/** @typedef {import("../../editor/web/types.js").GraphNode} GraphNode */

export class TwinsTable {
  /** @param {{ select: (name: string) => void, save: () => void }} does */
  constructor({ select, save }) {
    this.select = select;
    this.save = save;
    this.shown = "";
    this.open = false; // the equal ones
    /** @type {GraphNode[]} */
    this.nodes = [];
    this.host = html("div", { class: "twins" });
    for (const kind of ["keydown", "keyup", "keypress"]) this.host.addEventListener(kind, (event) => event.stopPropagation());
  }

  /** @param {TwinsData | undefined} data none when nothing is pinned @param {GraphNode[]} nodes of the present graph */
  receive(data, nodes) {
    this.nodes = nodes;
    const shown = data ? JSON.stringify(data) : "";
    if (shown === this.shown && !this.open) return;
    this.shown = shown;
    this.host.replaceChildren(...(data ? this.parts(data) : []));
  }

  /** @param {TwinsData} data */
  parts(data) {
    const { kind, says, rows = [], more = 0, equal = [], lines = [], more_lines: rest = 0, kept, again } = data;
    if (kind === "waits") return [html("p", {}, says)];
    const numbers = html("div", { class: "numbers" },
      rows.length > 0 && tableOf(rows.map((row) => this.row(row))),
      more > 0 && html("p", { class: "quiet" }, `${more} more differ.`),
      kept && again && html("p", {}, term("kept", "Kept"), ` for the backward pass: ${kept[0]} elements in A, ${kept[1]} in B. Runs again: ${again[0]} in A, ${again[1]} in B.`),
      equal.length > 0 && this.folded(equal, rows.length > 0));
    const texts = html("div", { class: "texts" },
      html("p", { class: "sentence" }, says),
      html("h3", {}, "Formula"),
      lines.length ? html("pre", {}, ...lines.map((line) => html("span", { class: line[0] === "-" ? "from-a" : "from-b" }, `${line[0] === "-" ? "A" : "B"}  ${line.slice(1)}\n`))) : html("p", { class: "quiet" }, "The same in both."),
      rest > 0 && html("p", { class: "quiet" }, `${rest} more lines.`),
      html("button", { type: "button", class: "save", title: "Both JAX programs and their difference, as one file", click: this.save }, "Save both programs"));
    return [numbers, texts];
  }

  /** @param {TwinRow} row */
  row({ name, value, cotangent, apart, here }) {
    const cells = (/** @type {"value" | "cotangent"} */ kind, /** @type {string[]} */ pair) =>
      pair.map((text, i) => html("td", { class: `${kind} ${apart.includes(kind) ? "apart" : ""}`, "aria-label": `${kind} in ${"AB"[i]}` }, text));
    const head = here ? html("button", { type: "button", click: () => this.select(name) }, name) : name;
    return html("tr", {}, html("th", { scope: "row" }, head), ...cells("value", value), ...cells("cotangent", cotangent));
  }

  /** The nodes that are equal in both. @param {string[]} names @param {boolean} others whether some differ */
  folded(names, others) {
    const summary = html("summary", {}, others ? `${names.length} equal` : `All ${names.length} equal`);
    const details = /** @type {HTMLDetailsElement} */ (html("details", {}, summary));
    const fill = () => {
      const byName = new Map(this.nodes.map((node) => [node.id, node]));
      const rows = names.flatMap((name) => byName.get(name) ?? []).map(({ id, value, cotangent }) =>
        html("tr", {}, html("th", { scope: "row" }, html("button", { type: "button", click: () => this.select(id) }, id)), html("td", { class: "value" }, value), html("td", { class: "cotangent" }, cotangent)));
      details.append(html("table", {}, html("tbody", {}, ...rows)));
    };
    details.open = this.open;
    if (this.open) fill();
    details.addEventListener("toggle", () => {
      if (this.open === details.open) return;
      this.open = details.open;
      if (this.open && !details.querySelector("table")) fill();
    });
    return details;
  }
}

/** @param {HTMLElement[]} rows */
const tableOf = (rows) => {
  const both = () => ["A", "B"].map((letter) => html("th", { scope: "col" }, letter));
  const heads = [html("tr", {}, html("th", { rowspan: 2, scope: "col" }, "differs"), html("th", { colspan: 2, class: "value" }, term("value")), html("th", { colspan: 2, class: "cotangent" }, term("cotangent"))), html("tr", {}, ...both(), ...both())];
  return html("table", {}, html("thead", {}, ...heads), html("tbody", {}, ...rows));
};

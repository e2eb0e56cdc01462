// @ts-check
// Compare two graphs: a row above the canvas, the wire where their backward sweeps part, and a table of the
// nodes and lines of the formula that differ.

import { html, setText } from "../base/dom.js";
import { isNegative } from "../base/numbers.js";
import { listen } from "../base/events.js";
import { icon } from "../base/icons.js";
import { setExplained, term } from "../base/term.js";
import { ACTIONS } from "../canvas/actions/actions.js";
import { answerKeys } from "../canvas/actions/keys.js";
import { keyOf } from "../canvas/actions/reading.js";
import { wireId } from "../canvas/draw/wires.js";

// The row: which of the two is on view, and where they differ, in a sentence.

/** @typedef {import("../canvas/editor.js").Editor} Editor */

const LETTERS = /** @type {const} */ (["A", "B"]);

/** @param {Editor} editor */
export function twinsBar(editor) {
  const flip = (/** @type {string} */ letter) =>
    letter !== editor.drawing.twins?.letter && editor.send({ kind: "flip" });
  const buttons = LETTERS.map((letter) =>
    html(
      "button",
      {
        type: "button",
        class: "tool letter",
        title: `Show ${letter}  (${keyOf(ACTIONS.flip)})`,
        "aria-label": `Show ${letter}`,
        click: () => flip(letter),
      },
      letter,
    ),
  );
  // Where there are few px for it, it says what is equal; where the sweeps part stands with the table.
  const [says, equal, rest] = [
    html("p", { class: "twins-says", role: "status" }),
    html("span", {}),
    html("span", { class: "rest" }),
  ];
  says.append(equal, rest);
  const unpin = html(
    "button",
    {
      type: "button",
      class: "tool unpin",
      title: `Unpin: end the comparison  (${keyOf(ACTIONS.pin)})`,
      "aria-label": "Unpin",
      click: () => editor.send({ kind: "unpin" }),
    },
    icon("close"),
  );
  const root = html(
    "div",
    { class: "bar twins", role: "toolbar", "aria-label": "Comparison", hidden: true },
    html("div", { class: "letters" }, ...buttons),
    says,
    !editor.isFixed && unpin,
  );
  answerKeys(editor, root);
  listen(
    "numbers",
    ({ numbers }) => {
      root.classList.toggle("late", numbers !== null);
      if (numbers) says.setAttribute("aria-description", "of the numbers before the slider moved");
      else says.removeAttribute("aria-description");
    },
    () => !root.isConnected && editor.drawing.rev >= 0,
  );
  listen(
    "play",
    ({ isComputed }) => root.classList.toggle("played", isComputed !== null),
    () => !root.isConnected && editor.drawing.rev >= 0,
  );
  editor.watchers.push(() => {
    const { twins } = editor.drawing;
    if (root.hidden && !twins) return;
    root.hidden = !twins;
    if (!twins) return [equal, rest].forEach((part) => setText(part, ""));
    root.dataset.kind = twins.kind;
    root.classList.toggle("unsure", editor.isUnsure);
    buttons.forEach((button, i) =>
      button.setAttribute("aria-pressed", String(LETTERS[i] === twins.letter)),
    );
    const colon = twins.kind === "waits" ? -1 : twins.says.indexOf(": ");
    setExplained(equal, colon < 0 ? twins.says : twins.says.slice(0, colon));
    setExplained(rest, colon < 0 ? "" : twins.says.slice(colon));
    says.title = twins.says;
  });
  return root;
}

// The wire at which the backward sweeps part.

/** Highlight the wires that Python names, and the card's wires that stand for them.
 * @param {import("../canvas/editor.js").Editor} editor */
export function lightParting(editor) {
  const { stage } = editor;
  let any = false;
  editor.watchers.push(() => {
    const lit = editor.drawing.twins?.lit ?? [];
    if (!any && !lit.length) return;
    any = lit.length > 0;
    for (const [id, { root, wire }] of stage.strands)
      root.classList.toggle("parts", isLit(lit, id, wire?.of));
    stage.host.classList.toggle("parted", any);
  });
}

/** Whether a wire on the canvas is highlighted, itself or as one that it stands for. Pure.
 * @param {string[]} lit @param {string} id @param {{ to: string, slot: number }[]} [of] */
export const isLit = (lit, id, of = []) =>
  lit.includes(id) || of.some((wire) => lit.includes(wireId(wire)));

/** @typedef {import("../types.js").TwinsData} TwinsData */
/** @typedef {import("../types.js").TwinRow} TwinRow */
/** @typedef {import("../types.js").GraphNode} GraphNode */

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
    // Streamlit's own shortcuts (r, c) would answer these keys too.
    for (const kind of ["keydown", "keyup", "keypress"])
      this.host.addEventListener(kind, (event) => event.stopPropagation());
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
    const {
      kind,
      says,
      rows = [],
      more = 0,
      equal = [],
      lines = [],
      more_lines: rest = 0,
      kept,
      again,
    } = data;
    if (kind === "waits") return [html("p", {}, says)];
    const numbers = html(
      "div",
      { class: "numbers" },
      rows.length > 0 && tableOf(rows.map((row) => this.row(row))),
      more > 0 && html("p", { class: "quiet" }, `${more} more differ.`),
      kept &&
        again &&
        html(
          "p",
          {},
          term("kept", "Kept"),
          ` for the backward pass: ${kept[0]} elements in A, ${kept[1]} in B. Runs again: ${again[0]} in A, ${again[1]} in B.`,
        ),
      equal.length > 0 && this.folded(equal, rows.length > 0),
    );
    const texts = html(
      "div",
      { class: "texts" },
      html("p", { class: "sentence" }, says),
      html("h3", {}, "Formula"),
      lines.length
        ? html(
            "pre",
            {},
            ...lines.map((line) =>
              html(
                "span",
                { class: line[0] === "-" ? "from-a" : "from-b" },
                `${line[0] === "-" ? "A" : "B"}  ${line.slice(1)}\n`,
              ),
            ),
          )
        : html("p", { class: "quiet" }, "The same in both."),
      rest > 0 && html("p", { class: "quiet" }, `${rest} more lines.`),
      html(
        "button",
        {
          type: "button",
          class: "save",
          title: "Both JAX programs and their difference, as one file",
          click: this.save,
        },
        "Save both programs",
      ),
    );
    return [numbers, texts];
  }

  /** @param {TwinRow} row */
  row({ name, value, cotangent, apart, here }) {
    const cells = (/** @type {"value" | "cotangent"} */ kind, /** @type {string[]} */ pair) =>
      pair.map((text, i) =>
        html(
          "td",
          {
            class: `${kind} ${apart.includes(kind) ? "apart" : ""} ${isNegative(text) ? "negative" : ""}`,
            "aria-label": `${kind} in ${"AB"[i]}`,
          },
          text,
        ),
      );
    const head = here
      ? html("button", { type: "button", click: () => this.select(name) }, name)
      : name;
    return html(
      "tr",
      {},
      html("th", { scope: "row" }, head),
      ...cells("value", value),
      ...cells("cotangent", cotangent),
    );
  }

  /** The nodes that are equal in both. @param {string[]} names @param {boolean} others whether some differ */
  folded(names, others) {
    const summary = html(
      "summary",
      {},
      others ? `${names.length} equal` : `All ${names.length} equal`,
    );
    const details = /** @type {HTMLDetailsElement} */ (html("details", {}, summary));
    const fill = () => {
      const byName = new Map(this.nodes.map((node) => [node.id, node]));
      const rows = names
        .flatMap((name) => byName.get(name) ?? [])
        .map(({ id, value, cotangent }) =>
          html(
            "tr",
            {},
            html(
              "th",
              { scope: "row" },
              html("button", { type: "button", click: () => this.select(id) }, id),
            ),
            html("td", { class: "value" }, value),
            html(
              "td",
              { class: `cotangent ${isNegative(cotangent) ? "negative" : ""}` },
              cotangent,
            ),
          ),
        );
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
  const heads = [
    html(
      "tr",
      {},
      html("th", { rowspan: 2, scope: "col" }, "differs"),
      html("th", { colspan: 2, class: "value" }, term("value")),
      html("th", { colspan: 2, class: "cotangent" }, term("cotangent")),
    ),
    html("tr", {}, ...both(), ...both()),
  ];
  return html("table", {}, html("thead", {}, ...heads), html("tbody", {}, ...rows));
};

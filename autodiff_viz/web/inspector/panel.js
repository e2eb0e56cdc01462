// @ts-check
// Inspect the selected node: its rule, and its pullback with numbers, which Python computes and sends with
// those on the canvas.

import { Mend } from "../base/cure.js";
import { shared } from "../base/constants.js";
import { html, keep, putInOrder, setText } from "../base/dom.js";
import { setExplained, term } from "../base/term.js";
import { Field, Rules } from "./fields.js";
import { computedSoFar, followed, inFull, pieces } from "./follow.js";
import { isNegative, shortText } from "../base/numbers.js";

// Equations that Python sends as MathML.

/** The equation that each element shows. @type {WeakMap<Element, string>} */
const shown = new WeakMap();

/** Show an equation in an element. The text is parsed as data and never executed.
 * @param {HTMLElement} element @param {string} [text] MathML; none for nothing */
export function setMath(element, text = "") {
  if ((shown.get(element) ?? "") === text) return;
  shown.set(element, text);
  const { documentElement } = new DOMParser().parseFromString(text, "application/xml");
  element.replaceChildren(...(text ? [document.importNode(documentElement, true)] : []));
}

// The panel while no single node is selected. Pure.

const SEE = "to see its derivative, its rule and its numbers.";
const NAMED = 4; // nodes in the sentence

/** @param {string[]} names of the selected nodes: none, or those of a group or of several nodes @returns {string} */
export function hintFor(names) {
  if (!names.length) return `Select a node ${SEE}`;
  const more = names.length > NAMED ? [`${names.length - NAMED + 1} more`] : [];
  const said = [...names.slice(0, more.length ? NAMED - 1 : NAMED), ...more];
  return `${said.slice(0, -1).join(", ")} and ${said.at(-1)} are selected. Select one of them ${SEE}`;
}

/** What the panel says while no single node is selected: of nodes that are, what to do; else what the last edit did, before
 * the first one three things to try. @param {string[]} names @param {string} told of the last edit
 * @returns {{ title: string, lines: string[] }} */
export function hintsFor(names, told) {
  if (names.length) return { title: "", lines: [hintFor(names)] };
  if (told) return { title: "Last step", lines: [told, hintFor([])] };
  const others = [
    "Drag a slider: every number follows.",
    "Press Play: forward, then back, step by step.",
  ];
  return { title: "Three things to try", lines: [hintFor([]), ...others] };
}

/** @typedef {import("../types.js").NodeData} NodeData */
/** @typedef {import("../types.js").Term} Term */
/** @typedef {import("../types.js").WireRow} WireRow */
/**
 * @typedef {object} Row
 * @property {HTMLElement} root
 * @property {HTMLElement} head
 * @property {HTMLElement} math
 * @property {HTMLElement} terms
 * @property {HTMLElement} pushes
 * @property {HTMLElement} apart
 */

export class Inspector {
  /** @param {import("./fields.js").Sender} sender */
  constructor(sender) {
    this.sender = sender;
    this.name = "";
    /** @type {NodeData | undefined} */
    this.data = undefined;
    /** Numbers of a dragged slider's position, in place of Python's. @type {import("./follow.js").Numbers | null} */
    this.numbers = null;
    /** Why numbers are of another state, as last given to `lag`. @type {string | null} */
    this.late = null;
    /** Which numbers a pass that is played has computed; null: all. @type {((place: string) => boolean) | null} */
    this.isComputed = null;
    this.behind = true; // whether numbers of the node do not follow a dragged slider
    /** @type {Map<string, Field>} */
    this.fields = new Map();
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    this.rules = new Rules((rule) =>
      this.sender.send({ kind: "rules", nodes: [this.name], rule }, () => {}),
    );
    this.why = new Mend((edit, refused) => this.sender.send(edit, refused));
    this.parts = {
      name: html("code"),
      math: html("span", { class: "math" }),
      doc: html("p", { class: "doc" }),
      says: html("p", { class: "says" }),
      declared: html("p", { class: "declared" }),
      more: html(
        "details",
        { class: "more", hidden: true },
        html("summary", {}, "The rule beside the true derivative"),
      ),
      value: html("dd"),
      valueOf: html("dt"),
      arriving: html("dd"),
      tangent: html("dd"),
      added: html("p", { class: "fork" }),
      fork: html("p", { class: "fork" }),
      wires: html("ul", { class: "wires" }),
      fields: html("div", { class: "fields" }),
      runs: html("ul", { class: "runs" }),
    };
    const {
      name,
      math,
      doc,
      says,
      declared,
      more,
      value,
      valueOf,
      arriving,
      tangent,
      added,
      fork,
      wires,
      fields,
      runs,
    } = this.parts;
    more.append(declared);
    const numbers = html(
      "dl",
      { class: "numbers" },
      html("div", { class: "value" }, valueOf, value),
      html(
        "div",
        { class: "arriving" },
        html("dt", {}, term("arriving cotangent", "Arriving cotangent")),
        arriving,
      ),
      (this.moving = html(
        "div",
        { class: "moving", hidden: true },
        html("dt", {}, term("tangent", "Tangent")),
        tangent,
      )),
    );
    this.hint = html("div", { class: "hint" });
    this.hinted = "";
    this.hintAt([]);
    this.body = html(
      "div",
      { class: "body" },
      html("div", { class: "head" }, html("h2", {}, name), math),
      doc,
      this.rules.root,
      says,
      numbers,
      this.why.root,
      fork,
      added,
      wires,
      more,
      fields,
      runs,
    );
    this.body.hidden = true;
    this.host = html("div", { class: "inspector" }, this.hint, this.body);
    // Streamlit's own shortcuts (r, c) would answer these keys too.
    for (const kind of ["keydown", "keyup"])
      this.host.addEventListener(kind, (event) => event.stopPropagation());
  }

  /** Say what can be done while no single node is selected. @param {string[]} names of the selected nodes @param {string} [told] of the last edit */
  hintAt(names, told = "") {
    const hints = hintsFor(names, told);
    if (this.hinted === JSON.stringify(hints)) return;
    this.hinted = JSON.stringify(hints);
    const title = hints.title ? [html("b", {}, hints.title)] : [];
    this.hint.replaceChildren(...title, ...hints.lines.map((line) => html("p", {}, line)));
  }

  /** @param {NodeData | undefined} data none when no node is selected @param {number} ack of the last edit that it is after */
  receive(data, ack) {
    this.hint.hidden = Boolean(data);
    this.body.hidden = !data;
    this.name = data?.name ?? "";
    this.data = data;
    if (!data) return;
    const { parts } = this;
    setText(parts.name, data.name);
    setMath(parts.math, data.math);
    setText(parts.doc, data.doc ?? "");
    this.rules.show(data.kinds, data.kind);
    setExplained(parts.says, data.ruleSays ?? "");
    setText(parts.declared, (data.declared ?? []).join(" "));
    parts.more.hidden = !data.declared?.length;
    const dims = data.value?.dims ?? [];
    setText(parts.valueOf, dims.length ? `Value (shape [${dims.join(", ")}])` : "Value");
    this.why.show(data.why);
    this.showNumbers(data);
    this.showFields(data, ack);
    const runs = data.runs ?? [];
    if (runs.join("\n") !== [...parts.runs.children].map((one) => one.textContent).join("\n"))
      parts.runs.replaceChildren(
        ...runs.map((says) => {
          const item = html("li");
          setExplained(item, says);
          return item;
        }),
      );
  }

  /** Show the numbers: Python's, or those of a dragged slider's position, with the others faded. @param {NodeData} whole */
  showNumbers(whole) {
    const given = this.isComputed ? computedSoFar(whole, this.isComputed) : whole;
    const { data, stale } = this.numbers
      ? followed(given, this.numbers)
      : { data: given, stale: new Set() };
    const { parts } = this;
    const none = (/** @type {string} */ which) =>
      data.hidden?.includes(which) ? shared.asked : shared.nothing;
    setExplained(parts.value, inFull(data.value) || none("value"));
    setExplained(parts.arriving, inFull(data.arriving) || none("cotangent"));
    this.moving.hidden = !data.tangent;
    setExplained(parts.tangent, inFull(data.tangent));
    write(parts.added, sum("Added from its wires: ", data.added));
    write(parts.fork, sum("Added at the fork: ", data.fork));
    keep(
      parts.wires,
      this.rows,
      data.wires ?? [],
      ({ slot }) => `${data.name}:${slot}`,
      makeRow,
      showRow,
    );
    const { value, arriving, tangent, added, declared, runs } = parts;
    for (const number of [arriving, tangent])
      number.classList.toggle("negative", isNegative(number.textContent));
    for (const [name, part] of Object.entries({ value, arriving, tangent, added }))
      part.classList.toggle("stale", stale.has(name));
    const sentences = [
      declared,
      runs,
      this.why.root,
      ...[...this.rows.values()].map(({ apart }) => apart),
    ]; // of Python, with numbers in them
    for (const part of sentences) part.classList.toggle("stale", this.numbers !== null);
    for (const part of [parts.more, this.why.root])
      part.classList.toggle("later", this.isComputed !== null);
    this.behind = !this.numbers || stale.size > 0;
    this.mark();
    return inFull(data.value);
  }

  /** Follow a slider that is dragged. @param {import("./follow.js").Numbers | null} numbers of its position; null: Python's own hold again */
  follow(numbers) {
    this.numbers = numbers;
    if (!this.data) return;
    const value = this.showNumbers(this.data);
    const isMoved = numbers?.get(`value ${this.name}`)?.kind === 0;
    for (const field of this.fields.values())
      if (field.data.id === "numbers") field.follow(isMoved ? value : null);
  }

  /** Follow a pass that is played. @param {((place: string) => boolean) | null} isComputed null: all numbers are on view again */
  play(isComputed) {
    this.isComputed = isComputed;
    if (this.data) this.showNumbers(this.data);
  }

  /** Show the fields; a field keeps its element, and so the focus, while it is about the same property.
   * @param {NodeData} data @param {number} ack */
  showFields(data, ack) {
    const about = (/** @type {import("../types.js").FieldData} */ { id, label, type, choices }) =>
      `${data.name} ${id} ${type} ${label} ${choices?.join() ?? ""}`;
    keep(
      this.parts.fields,
      this.fields,
      data.fields ?? [],
      about,
      (item) => new Field(item, this.sender),
      (field, item) => field.show(item, ack),
    );
    putInOrder(
      this.parts.fields,
      (data.fields ?? []).flatMap((item) => this.fields.get(about(item))?.root ?? []),
    );
  }

  /** Mark the numbers as stale, with the reason; null if they are those on the canvas.
   * @param {string | null} says why, "" for no particular reason; null when they are */
  lag(says) {
    this.late = says;
    this.mark();
  }

  /** Fade all numbers, or those that do not follow. */
  mark() {
    this.host.classList.toggle("lagging", this.late !== null && !this.numbers);
    if (this.late && this.behind) this.host.dataset.lag = this.late;
    else delete this.host.dataset.lag;
  }
}

/** @returns {Row} */
function makeRow() {
  const [head, math, terms, pushes, apart] = ["to", "math", "terms", "pushes", "apart"].map(
    (kind) => html("span", { class: kind }),
  );
  return {
    root: html("li", {}, head, math, terms, pushes, apart),
    head,
    math,
    terms,
    pushes,
    apart,
  };
}

/** @param {Row} row @param {WireRow} wire */
function showRow({ head, math, terms, pushes, apart }, wire) {
  setText(head, `To ${wire.to}${wire.label ? ` (${wire.label})` : ""}`);
  setMath(math, wire.math);
  const { passed } = wire;
  const alone = typeof passed === "object" ? shortText(passed) : passed;
  write(
    terms,
    wire.terms?.length
      ? pieces(wire.terms)
      : alone
        ? [
            ["passes ", ""],
            [alone, "cotangent"],
          ]
        : [],
  );
  write(pushes, pieces(wire.pushes));
  setText(apart, wire.apart ?? "");
}

/** A sum with what it is; nothing without terms. @param {string} head @param {Term[] | undefined} terms @returns {[string, string][]} */
const sum = (head, terms) => (terms?.length ? [[head, ""], ...pieces(terms, true)] : []);

/** Write pieces of text with their roles, unless they are there. @param {HTMLElement} host @param {[string, string][]} said */
function write(host, said) {
  if (said.map(([text]) => text).join("") !== host.textContent)
    host.replaceChildren(
      ...said.map(([text, role]) =>
        html(
          "span",
          { class: [role, isNegative(text) && "negative"].filter(Boolean).join(" ") || null },
          text,
        ),
      ),
    );
}

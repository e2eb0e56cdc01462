// @ts-check
// Show live numbers while a slider is dragged, from tables that Python has computed in advance, and fade
// those that are stale. After the release the numbers of the last position stay until Python's numbers for
// the exact value arrive.

import { html, setText } from "../base/dom.js";
import { listen, dispatch } from "../base/events.js";
import { numberText, signOf, sizeOf, steady, widthOf } from "../base/numbers.js";
import { describe, slideNumber } from "./draw/cards.js";
import { labelWire } from "./draw/screen_reader.js";
import { showFlow, wireId, writeWireTitle } from "./draw/wires.js";
import { flowOf, wiresOf } from "./state/fold.js";
import { nodeAt, wireAt } from "./state/moved.js";
import { NO_MATTER } from "./state/predict.js";

// Stale numbers. Python writes the state of its numbers on each part of the page (`data-at`); a generated
// style sheet selects the parts with another state, which lab.css fades by the variables below, with the
// reason. The selected node and the check, which are sent with the canvas, are faded by their own code.

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {{ input: string, from: string }} Held the slider that is dragged, and its number before the drag */

const ID = "autodiff-viz-lag";

/**
 * @typedef {object} Why
 * @property {Held | null} [held]
 * @property {boolean} [busy] whether the canvas, too, will be of another state soon
 * @property {boolean} [live] whether it follows a training
 */

/** Text in place of a check, and over stale numbers; "" for none. Pure.
 * @param {Why} why @returns {{ check: string, says: string }} */
export function lagWords({ held = null, live = false }) {
  if (held)
    return {
      check: "Not checked while you drag.",
      says: `at ${held.input} = ${held.from}, before the drag`,
    };
  return live
    ? { check: "Checked when the training stops.", says: "of an earlier step" }
    : { check: "Checking \u2026", says: "" };
}

/** The generated style sheet. Pure. @param {number | undefined} state of the numbers on the canvas @param {Why} why */
export function lagRule(state, why) {
  if (state === undefined) return "";
  const { held = null, busy = false, live = false } = why;
  const other = held || busy ? "[data-at]" : `[data-at]:not([data-at="${state}"])`;
  const { says } = lagWords(why);
  // A reason is a string literal of the style sheet, which a quote, a backslash or a new line would end or change.
  const plain = says.replace(/["\\\n]/g, "");
  const literal = says ? `"${plain}"` : "none";
  const look = { dim: 0.4, wait: held || live ? "0s" : "0.4s", says: literal };
  const variables = Object.entries(look)
    .map(([name, value]) => `--av-lag-${name}: ${value};`)
    .join(" ");
  return `[class*="st-key-part_"]:has(${other}) { ${variables} }`;
}

/** @param {Editor} editor @param {() => Held | null} heldNow @returns {() => void} to be called when that changes */
export function watchLag(editor, heldNow) {
  document.getElementById(ID)?.remove(); // of a canvas that has been removed
  const sheet = document.head.appendChild(html("style", { id: ID }));
  /** Senders whose values Python has not answered yet. @type {Set<string>} */
  const waiting = new Set();
  const say = () => {
    const { state, live } = editor.drawing;
    const why = { held: heldNow(), busy: waiting.size > 0 || editor.isUnsure, live };
    setText(sheet, lagRule(state, why));
    dispatch("lag", { on: Boolean(why.held) || why.busy, ...lagWords({ ...why, live: false }) });
  };
  const gone = () => !sheet.isConnected;
  listen("waits", ({ who, on }) => (on ? waiting.add(who) : waiting.delete(who), say()), gone);
  editor.watchers.push(say);
  return say;
}

// All numbers along one slider, in the table that canvas/slider_tables.py sends. Pure. Between its positions
// nothing is made up: the nearest one is shown.

/** @typedef {[what: string, node: string, ...rest: number[]]} Column the last number is its kind */
/**
 * @typedef {object} Sent
 * @property {string} key
 * @property {string} input
 * @property {number} count 0 for a table that is too large, which has nothing else
 * @property {number} low
 * @property {number} high
 * @property {boolean} wide
 * @property {Column[]} columns
 * @property {number} floor
 * @property {string} numbers
 * @property {"passed" | "pushed"} [flows] what wires show, in forward mode what they add to a tangent
 */
/**
 * @typedef {object} Table
 * @property {Sent} sent
 * @property {number} count
 * @property {Float32Array | Float64Array} rows
 * @property {number[]} starts
 */
/** @typedef {{ text: string }} NodeNumber */
/** @typedef {import("../types.js").Flow} Flow */
/** @typedef {import("../base/numbers.js").Num} Num */
/**
 * What stands on the canvas at one position: by node, and by wire.
 *
 * @typedef {object} Row
 * @property {string} input
 * @property {number} position
 * @property {Map<string, string>} value
 * @property {Map<string, string>} tangent
 * @property {Map<string, string>} cotangent
 * @property {Map<string, Flow>} passed in forward mode what a wire adds to a tangent
 * @property {Map<string, Num>} numbers all of the table, such as those of "value y" and "local y:0"
 */

const WRITTEN = ["value", "tangent", "cotangent"]; // on cards

/** @param {Sent} sent @returns {Table} */
export function readTable(sent) {
  if (!sent.count) return { sent, count: 0, rows: new Float32Array(), starts: [0] };
  const bytes = Uint8Array.from(atob(sent.numbers), (letter) => letter.charCodeAt(0));
  const rows = sent.wide ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
  // Columns have different numbers of numbers in a row: two for a norm with its sign (a kind below zero), one
  // for a scalar (0), and as many as a short vector is long.
  const starts = [0];
  for (const column of sent.columns) {
    const kind = kindOf(column);
    starts.push((starts.at(-1) ?? 0) + (kind < 0 ? 2 : kind || 1));
  }
  return { sent, count: sent.count, rows, starts };
}

/** @param {Column} column @returns {number} */
const kindOf = (column) => /** @type {number} */ (column.at(-1));

/** The position nearest to `value`. @param {Table} table @param {number} value */
export function nearest({ sent: { low, high, count } }, value) {
  const i = Math.round(((value - low) / (high - low)) * (count - 1));
  return Math.min(Math.max(i, 0), count - 1);
}

/** The value of the input at a position, computed exactly as in Python. @param {Table} table @param {number} i */
export const positionOf = ({ sent: { low, high, count } }, i) =>
  low + ((high - low) * i) / (count - 1);

/** @param {Table} table @param {number} i @returns {Row} */
export function rowOf(table, i) {
  const { sent, starts, rows } = table;
  const start = i * (starts.at(-1) ?? 0);
  /** @type {Row} */
  const row = {
    input: sent.input,
    position: positionOf(table, i),
    value: new Map(),
    tangent: new Map(),
    cotangent: new Map(),
    passed: new Map(),
    numbers: new Map(),
  };
  const parts = sent.columns.map((_, c) => rows.subarray(start + starts[c], start + starts[c + 1]));
  const largest = largestOf(sent, parts);
  sent.columns.forEach((column, c) => {
    const [what, node, slot] = column;
    const kind = kindOf(column);
    const num = { kind, numbers: parts[c] };
    row.numbers.set(`${what} ${node}${column.length > 3 ? `:${slot}` : ""}`, num);
    if (what === flowsOf(sent)) row.passed.set(`${node}:${slot}`, flowAt(num, largest));
    else if (WRITTEN.includes(what))
      row[/** @type {"value"} */ (what)].set(node, numberText(num, 4, steady));
  });
  return row;
}

/** Whether the numbers on the canvas are those from before these edits: the row of a slider is of its own. Pure.
 * @param {import("../types.js").Edit[]} pending @param {Pick<Row, "input"> | null} row */
export const areBehind = (pending, row) =>
  pending.some((edit) =>
    edit.kind === "slide" ? edit.name !== row?.input : !NO_MATTER.has(edit.kind),
  );

/** @param {Sent} sent */
const flowsOf = ({ flows = "passed" }) => flows;

/** @param {Num} num @param {number} largest @returns {Flow} */
const flowAt = (num, largest) => ({
  width: widthOf(sizeOf(num), largest),
  sign: signOf(num),
  passed: numberText(num, 3, steady),
});

/** The largest contribution at this position. @param {Sent} sent @param {ArrayLike<number>[]} parts */
function largestOf(sent, parts) {
  let largest = sent.floor;
  sent.columns.forEach((column, c) => {
    if (column[0] !== flowsOf(sent)) return;
    const size = sizeOf({ kind: kindOf(column), numbers: parts[c] });
    if (Number.isFinite(size) && size > largest) largest = size;
  });
  return largest;
}

const TABLES = 24; // newest tables that are kept
const AGAIN_MS = 5000; // ms until a table that has not arrived is requested again
const NUMBERS = /** @type {const} */ (["value", "tangent", "cotangent"]);
const CALM_MS = 700; // ms after the last drawing

/** @param {Editor} editor */
export function listenToSliders(editor) {
  const scrub = new Scrub(editor);
  const { host } = editor.stage;
  const gone = () => !host.isConnected && editor.drawing.rev >= 0;
  listen("scrub", (about) => (about.position = scrub.to(about.input, about.value)), gone);
  listen("settled", () => scrub.leave(), gone);
  listen("sweep", (sent) => scrub.keep(sent), gone);
  listen("near", ({ inputs }) => scrub.want(inputs), gone);
  host.addEventListener("pointerleave", () => scrub.want());
  editor.watchers.push(() => scrub.refreshed());
}

class Scrub {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    /** By key. @type {Map<string, Table>} */
    this.tables = new Map();
    /** When a table was requested, by key. @type {Map<string, number>} */
    this.asked = new Map();
    /** The table row that is shown in place of Python's numbers.
     * @type {{ table: Table, input: string, at: number, row: Row } | null} */
    this.over = null;
    /** The drawing over which the row was last painted. @type {import("../types.js").Drawing | null} */
    this.painted = null;
    /** @type {import("../types.js").Drawing | null} */
    this.noted = null;
    this.frame = 0;
    this.calm = 0;
    this.said = watchLag(editor, () => this.held);
  }

  /** The slider that is being dragged, with Python's number for it. */
  get held() {
    if (!this.over) return null;
    const { input } = this.over;
    return { input, from: this.editor.drawing.nodes.find(({ id }) => id === input)?.value ?? "" };
  }

  /** Keys of the tables that match the present drawing. */
  get keys() {
    return this.editor.drawing.sweeps ?? {};
  }

  /** @param {Sent} sent */
  keep(sent) {
    if (!this.tables.has(sent.key)) this.tables.set(sent.key, readTable(sent));
    const [oldest] = this.tables.keys();
    if (this.tables.size > TABLES) this.tables.delete(oldest);
    this.note();
  }

  /** Publish the sliders that can be dragged now, for tests. */
  note() {
    const ready = Object.keys(this.keys).filter((input) => this.tables.has(this.keys[input]));
    this.editor.stage.host.dataset.tables = ready.join(" ");
  }

  /** Request the missing tables, of `inputs` or of all inputs. @param {string[]} [inputs] */
  want(inputs = Object.keys(this.keys)) {
    const now = performance.now();
    const missing = inputs
      .map((input) => /** @type {[string, string]} */ ([input, this.keys[input]]))
      .filter(
        ([, key]) =>
          key && !this.tables.has(key) && now - (this.asked.get(key) ?? -Infinity) > AGAIN_MS,
      );
    if (!missing.length) return;
    dispatch("want", { inputs: missing });
    for (const [, key] of missing) this.asked.set(key, now);
  }

  /** Show `input` at the position nearest to `value`; undefined if Python has to be asked.
   * @param {string} input @param {number} value @returns {number | undefined} */
  to(input, value) {
    const table = this.tables.get(this.keys[input] ?? "");
    if (!table?.count || this.editor.isUnsure || (this.over && this.over.input !== input)) {
      this.want([input]);
      return undefined;
    }
    const at = nearest(table, value);
    if (this.over?.table !== table || this.over.at !== at) {
      const first = !this.over;
      this.over = { table, input, at, row: rowOf(table, at) };
      if (first) {
        this.tellNumbers();
        this.said();
      }
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.paint());
    }
    return this.over.row.position;
  }

  /** Paint the row again after the canvas has been drawn. */
  refreshed() {
    if (this.noted !== this.editor.drawing) this.note();
    this.noted = this.editor.drawing;
    if (this.over && this.painted !== this.editor.seen) this.paint();
    if (this.asked.size && !matchMedia("(pointer: coarse)").matches) return; // a mouse approaches a slider first, which requests its table
    clearTimeout(this.calm);
    this.calm = window.setTimeout(() => this.want(), CALM_MS);
  }

  paint() {
    if (!this.over) return;
    const { cards, strands } = this.editor.stage;
    const { row, input } = this.over;
    this.painted = this.editor.seen;
    this.editor.stage.host.dataset.scrub = `${input} ${row.position}`;
    this.tellNumbers();
    for (const which of NUMBERS)
      for (const card of cards.values()) {
        const name = card.node?.group ? card.node.group.output : card.node?.id;
        const [text, num] = [row[which].get(name), row.numbers.get(`${which} ${name}`)];
        if (text !== undefined && num) slideNumber(card, which, text, num);
      }
    for (const card of cards.values()) {
      const node = card.node && nodeAt(card.node, row);
      if (node && node !== card.node) describe(card, node);
    }
    for (const strand of strands.values()) {
      const flows = wiresOf(strand.wire).flatMap((wire) => row.passed.get(wireId(wire)) ?? []);
      if (!strand.wire || !flows.length) continue;
      showFlow(strand, flows.length === 1 ? flows[0] : flowOf(flows));
      const wire = wireAt(strand.wire, row);
      writeWireTitle({ ...strand, wire }, true);
      if (strand.root.hasAttribute("aria-label")) labelWire(this.editor, strand.root, wire);
    }
  }

  /** Tell the numbers of the position on view; null for Python's own. */
  tellNumbers() {
    this.editor.row = this.over?.row ?? null;
    dispatch("numbers", { numbers: this.editor.row?.numbers ?? null });
  }

  /** Restore Python's own numbers. */
  leave() {
    if (!this.over) return;
    const { cards, strands, host } = this.editor.stage;
    const { row } = this.over;
    this.over = null;
    this.tellNumbers();
    delete host.dataset.scrub;
    cancelAnimationFrame(this.frame);
    for (const card of cards.values())
      if (card.node?.group || NUMBERS.some((which) => row[which].has(card.node?.id)))
        card.node = null;
    for (const strand of strands.values())
      if (wiresOf(strand.wire).some((wire) => row.passed.has(wireId(wire)))) {
        if (strand.wire && strand.root.hasAttribute("aria-label"))
          labelWire(this.editor, strand.root, strand.wire);
        strand.wire = null;
      }
    this.editor.refresh();
  }
}

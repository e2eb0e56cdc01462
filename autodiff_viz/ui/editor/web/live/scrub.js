// @ts-check
// While a slider is dragged, the canvas shows what Python has worked out for its positions beforehand. From
// the release on, the numbers of the last position stay until Python's own for the exact place are there.

import { hear, tell } from "../../../web/news.js";
import { flowOf, wiresOf } from "../state/fold.js";
import { watchLag } from "./lag.js";
import { slideNumber } from "../draw/nodes.js";
import { nearest, readTable, rowOf } from "./table.js";
import { showFlow, wireId } from "../draw/wires.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("./table.js").Row} Row */

const TABLES = 24; // kept, the newest
const AGAIN_MS = 5000; // until a table that has not come is asked for again
const CALM_MS = 700; // after the last drawing

/** @param {Editor} editor */
export function listenToSliders(editor) {
  const scrub = new Scrub(editor);
  const { host } = editor.stage;
  const gone = () => !host.isConnected && editor.drawing.rev >= 0;
  hear("scrub", (about) => (about.position = scrub.to(about.input, about.value)), gone);
  hear("settled", () => scrub.leave(), gone);
  hear("sweep", (sent) => scrub.keep(sent), gone);
  hear("near", ({ inputs }) => scrub.want(inputs), gone);
  host.addEventListener("pointerleave", () => scrub.want());
  editor.watchers.push(() => scrub.refreshed());
}

class Scrub {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    /** By key. @type {Map<string, Table>} */
    this.tables = new Map();
    /** When a table was asked for, by key. @type {Map<string, number>} */
    this.asked = new Map();
    /** What lies over Python's numbers. @type {{ table: Table, input: string, at: number, row: Row } | null} */
    this.over = null;
    /** @type {import("../types.js").Drawing | null} over which it was painted last */
    this.painted = null;
    /** @type {import("../types.js").Drawing | null} */
    this.noted = null;
    this.frame = 0;
    this.calm = 0;
    this.said = watchLag(editor, () => this.held);
  }

  /** The slider in somebody's hand, with Python's number for it. */
  get held() {
    if (!this.over) return null;
    const { input } = this.over;
    return { input, from: this.editor.drawing.nodes.find(({ id }) => id === input)?.value ?? "" };
  }

  /** Keys of the tables that fit the drawing on view. */
  get keys() {
    return this.editor.drawing.sweeps ?? {};
  }

  /** @param {import("./table.js").Sent} sent */
  keep(sent) {
    if (!this.tables.has(sent.key)) this.tables.set(sent.key, readTable(sent));
    const [oldest] = this.tables.keys();
    if (this.tables.size > TABLES) this.tables.delete(oldest);
    this.note();
  }

  /** Which sliders can be dragged now; tests wait for it. */
  note() {
    const ready = Object.keys(this.keys).filter((input) => this.tables.has(this.keys[input]));
    this.editor.stage.host.dataset.tables = ready.join(" ");
  }

  /** Ask for the tables that are missing; all of them unless told which. @param {string[]} [inputs] */
  want(inputs = Object.keys(this.keys)) {
    const now = performance.now();
    const missing = inputs.map((input) => [input, this.keys[input]]).filter(([, key]) =>
      key && !this.tables.has(key) && now - (this.asked.get(key) ?? -Infinity) > AGAIN_MS);
    if (!missing.length) return;
    tell("want", { inputs: missing });
    for (const [, key] of missing) this.asked.set(key, now);
  }

  /** Show `input` at the position nearest to `value`; undefined where Python has to be asked.
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
      if (first) this.said();
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.paint());
    }
    return this.over.row.position;
  }

  /** The canvas has been drawn anew. */
  refreshed() {
    if (this.noted !== this.editor.drawing) this.note();
    this.noted = this.editor.drawing;
    if (this.over && this.painted !== this.editor.seen) this.paint();
    if (this.asked.size && !matchMedia("(pointer: coarse)").matches) return; // a mouse comes near first
    clearTimeout(this.calm);
    this.calm = window.setTimeout(() => this.want(), CALM_MS);
  }

  paint() {
    if (!this.over) return;
    const { cards, strands } = this.editor.stage;
    const { row, input } = this.over;
    this.painted = this.editor.seen;
    this.editor.stage.host.dataset.scrub = `${input} ${row.position}`;
    for (const which of /** @type {const} */ (["value", "cotangent"]))
      for (const card of cards.values()) {
        const text = row[which].get(card.node?.group ? card.node.group.output : card.node?.id);
        if (text !== undefined) slideNumber(card, which, text);
      }
    for (const strand of strands.values()) {
      const flows = wiresOf(strand.wire).flatMap((wire) => row.passed.get(wireId(wire)) ?? []);
      if (flows.length) showFlow(strand, flows.length === 1 ? flows[0] : flowOf(flows));
    }
  }

  /** Back to Python's own numbers. */
  leave() {
    if (!this.over) return;
    const { cards, strands, host } = this.editor.stage;
    const { row } = this.over;
    this.over = null;
    delete host.dataset.scrub;
    cancelAnimationFrame(this.frame);
    for (const card of cards.values()) if (card.node?.group || row.value.has(card.node?.id) || row.cotangent.has(card.node?.id)) card.node = null;
    for (const strand of strands.values()) if (wiresOf(strand.wire).some((wire) => row.passed.has(wireId(wire)))) strand.wire = null;
    this.editor.refresh();
  }
}

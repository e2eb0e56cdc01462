// @ts-check
// Show live numbers while a slider is dragged, from tables that Python has computed in advance. After the
// release the numbers of the last position stay until Python's numbers for the exact value arrive.

import { hear, tell } from "../../../web/news.js";
import { flowOf, wiresOf } from "../state/fold.js";
import { watchLag } from "./lag.js";
import { slideNumber } from "../draw/cards/nodes.js";
import { nearest, readTable, rowOf } from "./table.js";
import { showFlow, wireId } from "../draw/wires/wires.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("./table.js").Row} Row */

const TABLES = 24; // newest tables that are kept
const AGAIN_MS = 5000; // ms until a table that has not arrived is requested again
const NUMBERS = /** @type {const} */ (["value", "tangent", "cotangent"]);
const CALM_MS = 700; // ms after the last drawing

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

  /** @param {import("./table.js").Sent} sent */
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
    const missing = inputs.map((input) => [input, this.keys[input]]).filter(([, key]) =>
      key && !this.tables.has(key) && now - (this.asked.get(key) ?? -Infinity) > AGAIN_MS);
    if (!missing.length) return;
    tell("want", { inputs: missing });
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
        const text = row[which].get(card.node?.group ? card.node.group.output : card.node?.id);
        if (text !== undefined) slideNumber(card, which, text);
      }
    for (const strand of strands.values()) {
      const flows = wiresOf(strand.wire).flatMap((wire) => row.passed.get(wireId(wire)) ?? []);
      if (flows.length) showFlow(strand, flows.length === 1 ? flows[0] : flowOf(flows));
    }
  }

  /** Tell the numbers of the position on view; null for Python's own. */
  tellNumbers() {
    this.editor.numbers = this.over?.row.numbers ?? null;
    tell("numbers", { numbers: this.editor.numbers });
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
    for (const card of cards.values()) if (card.node?.group || NUMBERS.some((which) => row[which].has(card.node?.id))) card.node = null;
    for (const strand of strands.values()) if (wiresOf(strand.wire).some((wire) => row.passed.has(wireId(wire)))) strand.wire = null;
    this.editor.refresh();
  }
}

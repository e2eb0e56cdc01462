// @ts-check
// Draw the sliders of a graph. A change shows at once; Python gets one value at a time, always the newest
// (conflation).

import { html, keep, setText } from "../../web/dom.js";
import { tell } from "../../web/news.js";
import { Row } from "./row.js";
import { shown } from "./scale.js";

/** @typedef {import("./types.js").Data} Data */

export class Board {
  /** @param {import("../../web/mail.js").Desk} desk */
  constructor(desk) {
    this.host = html("div", { class: "sliders", role: "group", "aria-label": "Inputs" });
    this.desk = desk;
    this.document = 0;
    this.more = html("p", { class: "more" });
    this.starts = html("p", { class: "more" });
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    /** Values that wait for Python's answer to earlier ones, by input.
     * @type {Map<string, { value: number, fresh: boolean }>} */
    this.held = new Map();
    for (const kind of ["pointerenter", "focusin"]) this.host.addEventListener(kind, () => this.expect());
    for (const kind of ["keydown", "keyup"]) this.host.addEventListener(kind, (event) => event.stopPropagation());
  }

  /** Take Python's values, except for sliders with pending values.
   * @param {Data} data @param {number} document that it is of */
  receive({ rows = [], limit, more = 0, says = "" }, document) {
    if (document !== this.document) this.held.clear();
    this.document = document;
    /** @type {(item: import("./types.js").Item) => Row} */
    const make = ({ name }) => new Row(name, limit, (...moved) => this.hold(...moved), (...at) => this.scrub(...at));
    keep(this.host, this.rows, rows, ({ name }) => name, make, (row, item) => this.isBusy(row) || row.show(item));
    setText(this.more, more ? `${more} more: change them on the canvas or in the formula.` : "");
    setText(this.starts, says);
    for (const [line, isThere] of /** @type {[HTMLElement, boolean][]} */ ([[this.starts, says !== ""], [this.more, more > 0]])) {
      if (isThere) this.host.append(line);
      else line.remove();
    }
    this.flush();
    if (![...this.rows.values()].some((row) => this.isBusy(row))) tell("settled", {});
    this.say();
    if (this.host.matches(":hover, :focus-within")) this.expect();
  }

  /** Names of the inputs of which Python has an old value. */
  get busy() {
    return [...this.rows.keys()].filter((name) => this.isUnderWay(name));
  }

  /** @param {Row} row */
  isBusy(row) {
    return row.scrubbing || this.isUnderWay(row.name);
  }

  /** Announce that a slider may be dragged soon. */
  expect() {
    tell("near", { inputs: [...this.rows.keys()] });
  }

  /** @type {import("./row.js").Scrub} */
  scrub(input, value) {
    if (this.busy.some((name) => name !== input)) return undefined; // no table has the numbers for both
    const { position } = tell("scrub", { input, value, position: /** @type {number | undefined} */ (undefined) });
    if (position !== undefined) tell("slid", { input, position, number: shown(position) });
    return position;
  }

  /** @param {string} name */
  isUnderWay(name) {
    return this.held.has(name) || this.desk.pending.some((edit) => edit.name === name);
  }

  /** @param {string} name @param {number} value @param {boolean} fresh */
  hold(name, value, fresh) {
    this.held.set(name, { value, fresh: fresh || (this.held.get(name)?.fresh ?? false) });
    this.flush();
    this.say();
  }

  /** Publish whether the numbers on view are of other slider values. */
  say() {
    tell("waits", { who: "sliders", on: this.busy.length > 0 });
  }

  flush() {
    if (!this.desk.pending.length) this.send();
    this.host.dataset.pending = String(this.held.size + this.desk.pending.length); // tests wait for 0
  }

  send() {
    for (const [name, { value, fresh }] of this.held) this.desk.send({ name, value, fresh });
    this.held.clear();
  }
}

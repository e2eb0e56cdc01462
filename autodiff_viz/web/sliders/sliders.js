// @ts-check
// Draw the sliders of a graph: a change shows at once, and Python gets one value at a time, always the newest
// (conflation).

import { html, keep, putInOrder, setText } from "../base/dom.js";
import { dispatch } from "../base/events.js";
import { boxText, readTyped } from "../base/numbers.js";

// The scale of a slider. Pure.

const STEPS = 1000; // steps of a slider
const COARSE = 10; // slider steps per press of an arrow key in the box
const THUMB = 18; // px, as in sliders.css: its middle goes no further than half of it to the ends

/** @param {number} low @param {number} high */
export const stepOf = (low, high) => (high - low) / STEPS;

/** The value after presses of an arrow key in the box.
 * @param {number} value @param {number} step of the slider @param {number} times */
export function valueAfterSteps(value, step, times) {
  const next = value + times * COARSE * step;
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(COARSE * step))); // no 0.30000000000000004
  return decimals > 100 ? next : Number(next.toFixed(decimals));
}

/** The position of a slider that is nearest to a value. @param {number} value @param {number} low @param {number} high */
export function onGrid(value, low, high) {
  const step = stepOf(low, high);
  const next = low + Math.round((Math.min(Math.max(value, low), high) - low) / step) * step;
  return Number(next.toPrecision(12)); // no 0.30000000000000004
}

/** The value at the pixel of a pointer: of all that belong to it the one that an exercise asks for, else the roundest one,
 * since a pixel is often wider than what a text asks for.
 * @param {number} at the browser's value @param {number} low @param {number} high @param {number} width px of the slider
 * @param {number | null} aim the value that an exercise asks for */
export function atPointer(at, low, high, width, aim) {
  const step = stepOf(low, high);
  const pixel = Math.min((high - low) / Math.max(width - THUMB, 1), COARSE * step);
  return Math.min(Math.max(roundest(at, (pixel + step) / 2, aim), low), high);
}

/** The value to reach, where it is near, else the roundest number that is.
 * @param {number} value @param {number} room to either side, more than 0 @param {number | null} [aim] */
export function roundest(value, room, aim = null) {
  if (aim !== null && Math.abs(aim - value) <= room) return aim;
  let unit = 10 ** Math.ceil(Math.log10(Math.max(Math.abs(value), room)) + 1);
  for (let k = 0; ; k++) {
    const round = Math.round(value / unit) * unit;
    if (Math.abs(round - value) <= room) return Number(round.toPrecision(12)) + 0; // no -0
    unit /= k % 2 ? 5 : 2; // 10, 5, 1, 0.5, ...
  }
}

/** The coloured part of the slider, from zero (or the end nearest to zero) to the value, in percent.
 * @param {number} value @param {number} low @param {number} high @returns {[number, number]} */
export function filled(value, low, high) {
  const percent = (/** @type {number} */ x) =>
    (100 * (Math.min(Math.max(x, low), high) - low)) / (high - low);
  const ends = [percent(0), percent(value)];
  return [Math.min(...ends), Math.max(...ends)];
}

// The row of one input: its name, a slider and a number box.

/** @typedef {import("../types.js").Item} Item */
/** @typedef {(name: string, value: number, fresh: boolean) => void} Moved `fresh`: the first of a new gesture */
/** @typedef {(name: string, value: number) => number | undefined} Scrub shows a value on the canvas without asking
 * Python; answers with the nearest one that can be shown, with none where that is not possible now */

const field = (/** @type {import("../base/dom.js").Attributes} */ attributes) =>
  /** @type {HTMLInputElement} */ (html("input", attributes));

export class Row {
  /** @param {string} name @param {number} limit @param {Moved} moved @param {Scrub} scrub */
  constructor(name, limit, moved, scrub) {
    this.name = name;
    this.limit = limit;
    this.moved = moved;
    this.scrub = scrub;
    this.pressed = false;
    this.scrubbing = false; // the canvas shows a value that Python does not have yet
    this.value = 0;
    this.at = 0; // number in the box
    this.word = ""; // Python's last value and range
    this.position = 0; // value that the canvas shows meanwhile
    this.step = 1;
    this.aim = /** @type {number | null} */ (null); // the value that an exercise asks for
    this.fresh = true;
    this.line = field({ type: "range", "aria-label": `Slider of ${name}` });
    this.box = field({
      type: "text",
      role: "spinbutton",
      "aria-label": `Value of ${name}`,
      autocomplete: "off",
      enterkeyhint: "done",
    });
    this.root = html(
      "div",
      { class: "row" },
      html("span", { class: "name", title: name }, name),
      this.line,
      this.box,
    );
    this.listen();
  }

  listen() {
    const { line, box } = this;
    const begin = () => (this.fresh = true);
    for (const kind of ["focus", "pointerdown"]) line.addEventListener(kind, begin);
    line.addEventListener("pointerdown", () => this.press());
    line.addEventListener("input", () => this.slide(Number(line.value)));
    line.addEventListener("change", () => this.release());
    box.addEventListener("focus", () => (begin(), box.select()));
    box.addEventListener("change", () => this.type());
    box.addEventListener("keydown", (event) => this.key(event));
  }

  /** Show Python's value and range. @param {Item} item */
  show({ value, low, high }) {
    const word = `${value} ${low} ${high}`;
    if (
      word === this.word &&
      [this.value, this.at].every((number) => Object.is(number, Number(value)))
    )
      return; // a box with an invalid text stays marked
    this.word = word;
    this.step = stepOf(low, high);
    // The range before the value: the browser clamps the value to the range.
    Object.assign(this.line, { min: String(low), max: String(high), step: String(this.step) });
    this.paint(Number(value));
  }

  /** Hold the slider until the pointer is released, wherever that is. */
  press() {
    this.pressed = true;
    const up = () => {
      for (const kind of ["pointerup", "pointercancel"]) window.removeEventListener(kind, up, true);
      this.release();
      this.pressed = false;
    };
    for (const kind of ["pointerup", "pointercancel"]) window.addEventListener(kind, up, true);
  }

  /** @param {number} at */
  slide(at) {
    const { min, max, clientWidth } = this.line;
    const value = this.pressed
      ? atPointer(at, Number(min), Number(max), clientWidth, this.aim)
      : at;
    const position = this.pressed ? this.scrub(this.name, value) : undefined;
    if (position === undefined) return this.move(value);
    this.scrubbing = true;
    this.position = position;
    this.paint(value, position);
  }

  /** Move the slider by something else than itself, such as the marker of a plot.
   * @param {number} value @param {boolean} begins whether it is the first move of a gesture */
  pull(value, begins) {
    if (begins) [this.fresh, this.pressed] = [true, true];
    this.slide(onGrid(value, Number(this.line.min), Number(this.line.max)));
  }

  /** End a gesture of `pull`. */
  drop() {
    this.release();
    this.pressed = false;
  }

  /** Send the exact value; until Python answers, the box shows the value on the canvas. */
  release() {
    if (!this.scrubbing) return;
    this.move(this.value, this.position);
  }

  /** @param {number} value @param {number} [position] what the canvas shows, where that is not `value` itself */
  paint(value, position = value) {
    const { line, box } = this;
    this.value = value;
    this.at = position;
    const text = boxText(position);
    if (Number(line.value) !== value) line.value = String(value);
    const [from, to] = filled(value, Number(line.min), Number(line.max));
    line.style.setProperty("--from", `${from}%`);
    line.style.setProperty("--to", `${to}%`);
    line.setAttribute("aria-valuetext", text);
    box.setAttribute("aria-valuenow", text);
    box.removeAttribute("aria-invalid");
    box.title = String(position);
    if (box.value !== text && !this.typing) box.value = text;
  }

  /** Whether the user is typing a number. */
  get typing() {
    const root = /** @type {ShadowRoot | Document} */ (this.box.getRootNode());
    return root.activeElement === this.box && this.box.value !== boxText(this.value) && this.begun;
  }

  /** @param {number} value @param {number} [position] as `paint` says */
  move(value, position = value) {
    this.begun = false;
    this.scrubbing = false;
    this.paint(value, position);
    this.moved(this.name, value, this.fresh);
    this.fresh = false;
  }

  /** Commit the text of the box. */
  type() {
    const value = readTyped(this.box.value, this.limit);
    if (value === null) return this.box.setAttribute("aria-invalid", "true");
    if (this.box.value.trim() !== boxText(this.value)) this.move(value);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const times = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    this.begun = true;
    if (times) {
      event.preventDefault();
      const from = readTyped(this.box.value, this.limit) ?? this.value;
      const next = Math.min(
        Math.max(valueAfterSteps(from, this.step, times), -this.limit),
        this.limit,
      );
      this.move(next);
    } else if (event.key === "Enter") this.type();
    else if (event.key === "Escape") this.leave();
  }

  /** Restore the committed number. */
  leave() {
    this.begun = false;
    this.paint(this.value);
  }
}

/** @typedef {import("../types.js").SliderData} Data */

export class Board {
  /** @param {import("../connection/edit_sender.js").Desk<"slide">} desk */
  constructor(desk) {
    this.host = html("div", { class: "sliders", role: "group", "aria-label": "Inputs" });
    this.desk = desk;
    this.document = 0;
    /** @type {Record<string, number>} */
    this.aims = {};
    /** Inputs whose rows are shown; null for all. @type {string[] | null} */
    this.shown = null;
    this.more = html("p", { class: "more" });
    this.starts = html("p", { class: "more" });
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    /** Values that wait for Python's answer to earlier ones, by input.
     * @type {Map<string, { value: number, fresh: boolean }>} */
    this.held = new Map();
    for (const kind of ["pointerenter", "focusin"])
      this.host.addEventListener(kind, () => this.expect());
    // Streamlit's own shortcuts (r, c) would answer these keys too.
    for (const kind of ["keydown", "keyup"])
      this.host.addEventListener(kind, (event) => event.stopPropagation());
  }

  /** Take Python's values, except for sliders with pending values.
   * @param {Data} data @param {number} document that it is of */
  receive({ rows = [], limit, more = 0, says = "" }, document) {
    if (document !== this.document) this.held.clear();
    this.document = document;
    /** @type {(item: import("../types.js").Item) => Row} */
    const make = ({ name }) =>
      new Row(
        name,
        limit,
        (...moved) => this.hold(...moved),
        (...at) => this.scrub(...at),
      );
    keep(
      this.host,
      this.rows,
      rows,
      ({ name }) => name,
      make,
      (row, item) => this.isBusy(row) || row.show(item),
    );
    putInOrder(
      this.host,
      rows.flatMap(({ name }) => this.rows.get(name)?.root ?? []),
    );
    setText(this.more, more ? `${more} more: change them on the canvas or in the formula.` : "");
    setText(this.starts, says);
    for (const [line, isThere] of /** @type {[HTMLElement, boolean][]} */ ([
      [this.starts, says !== ""],
      [this.more, more > 0],
    ])) {
      if (isThere) this.host.append(line);
      else line.remove();
    }
    this.only(this.shown);
    this.aim(this.aims);
    this.flush();
    if (![...this.rows.values()].some((row) => this.isBusy(row))) dispatch("settled", {});
    this.say();
    if (this.host.matches(":hover, :focus-within")) this.expect();
  }

  /** Take the values that an exercise asks for, by input. @param {Record<string, number>} values */
  aim(values) {
    this.aims = values;
    for (const [name, row] of this.rows) row.aim = values[name] ?? null;
  }

  /** Show the rows of these inputs alone; null shows all. @param {string[] | null} names */
  only(names) {
    this.shown = names;
    for (const [name, { root }] of this.rows) root.hidden = !(names?.includes(name) ?? true);
    this.host.classList.toggle("some", names !== null);
  }

  /** Whether one of its elements is pressed or typed in. */
  get isHeld() {
    return [...this.rows.values()].some(({ pressed }) => pressed) || this.host.matches(":active");
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
    dispatch("near", { inputs: [...this.rows.keys()] });
  }

  /** @type {Scrub} */
  scrub(input, value) {
    if (this.busy.some((name) => name !== input)) return undefined; // no table has the numbers for both
    const { position } = dispatch("scrub", { input, value });
    if (position !== undefined) dispatch("slid", { input, position, number: boxText(position) });
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
    dispatch("waits", { who: "sliders", on: this.busy.length > 0 });
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

// @ts-check
// Draw the row of one input: its name, a slider and a number box.

import { html } from "../../web/dom.js";
import { filled, onGrid, read, shown, stepOf, stepped } from "./scale.js";

/** @typedef {import("./types.js").Item} Item */
/** @typedef {(name: string, value: number, fresh: boolean) => void} Moved `fresh`: the first of a new gesture */
/** @typedef {(name: string, value: number) => number | undefined} Scrub shows a value on the canvas without asking
 * Python; answers with the nearest one that can be shown, with none where that is not possible now */

const field = (/** @type {import("../../web/dom.js").Attributes} */ attributes) =>
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
    this.fresh = true;
    this.line = field({ type: "range", "aria-label": `Slider of ${name}` });
    this.box = field({
      type: "text", role: "spinbutton", "aria-label": `Value of ${name}`, autocomplete: "off", enterkeyhint: "done",
    });
    this.root = html("div", { class: "row" }, html("span", { class: "name", title: name }, name), this.line, this.box);
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
    if (word === this.word && [this.value, this.at].every((number) => Object.is(number, Number(value)))) return; // a box with an invalid text stays marked
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

  /** @param {number} value */
  slide(value) {
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
    this.move(Number(this.line.value), this.position);
  }

  /** @param {number} value @param {number} [position] what the canvas shows, where that is not `value` itself */
  paint(value, position = value) {
    const { line, box } = this;
    this.value = value;
    this.at = position;
    const text = shown(position);
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
    return root.activeElement === this.box && this.box.value !== shown(this.value) && this.begun;
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
    const value = read(this.box.value, this.limit);
    if (value === null) return this.box.setAttribute("aria-invalid", "true");
    if (this.box.value.trim() !== shown(this.value)) this.move(value);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const times = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    this.begun = true;
    if (times) {
      event.preventDefault();
      const from = read(this.box.value, this.limit) ?? this.value;
      const next = Math.min(Math.max(stepped(from, this.step, times), -this.limit), this.limit);
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

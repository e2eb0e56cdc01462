// @ts-check
// Move the bars of the cotangents figure while a slider is dragged, and its numbers, from the table that moves the canvas;
// what the table does not say has an ellipsis. Python draws the figure again after the release (display/table_html.py).

import { listen } from "../base/events.js";
import { numberOf, scalar, sizeOf } from "../base/numbers.js";

/** @typedef {import("../inspector/follow.js").Numbers} Numbers */
/** @typedef {[place: string, number: import("../base/numbers.js").SentNumber | null, part: boolean]} Moving a row: its place in the table, Python's
 * number for it, if it has one, and whether it is a part of the sum above it */
/**
 * @typedef {object} Bar
 * @property {number} start
 * @property {number} end
 * @property {boolean} part
 * @property {boolean} against
 * @property {string | null} text its number; null if it is Python's `own`
 * @property {string} own
 */

const FIGURE = ".av-bars";
const FOLLOWS = "bars-follow"; // class of a figure that follows
const LATER = "\u2026"; // for what is known once the slider is released
const NONE = "\u2013"; // for what the pass that is played has not computed
const ROOM = 0.06; // share of the axis beyond the longest bar, as display/theme.py has it
const LATE_MS = 3000; // after a release, for a figure that does not come

/** The bars of all rows at a position: those of parts begin where the part above ends. Pure.
 * @param {Moving[]} rows @param {Numbers} numbers @param {((place: string) => boolean) | null} isComputed by the pass that is played
 * @returns {Bar[]} */
export function barsAt(rows, numbers, isComputed = null) {
  let tip = 0;
  const bars = rows.map(([place, is, part]) => {
    const [number, text] =
      !isComputed || (place && isComputed(place))
        ? numberAt(place, is, part, numbers)
        : [NaN, NONE];
    const start = part ? tip : 0;
    const end = start + (Number.isFinite(number) ? number : 0);
    tip = part ? end : 0;
    return {
      start,
      end,
      part,
      against: false,
      text,
      own: signed(numberOf(is ?? undefined) ?? NaN, part),
    };
  });
  return bars.map((bar, i) => {
    const sum = bars.slice(0, i + 1).findLast(({ part }) => !part);
    const [own, whole] = [bar.end - bar.start, sum?.end ?? 0];
    return { ...bar, against: bar.part && (own * whole < 0 || (!whole && own < 0)) };
  });
}

/** A number as it stands beside its bar, a part of a sum with its sign. @param {number} number @param {boolean} part */
const signed = (number, part) => `${part && number >= 0 ? "+" : ""}${scalar(number)}`;

/** The number of a row, and its text if it is of the table. @param {string} place @param {Moving[1]} is @param {boolean} part
 * @param {Numbers} numbers @returns {[number, string | null]} */
function numberAt(place, is, part, numbers) {
  const moving = numbers.get(place);
  if (!place) return [NaN, LATER]; // several wires together
  if (!moving) return [numberOf(is ?? undefined) ?? 0, null];
  const { kind, numbers: elements } = moving;
  if (part && kind !== 0) return [NaN, LATER]; // the length of an array along the sum
  const number = kind === 0 || kind === 1 ? elements[0] : sizeOf(moving);
  return [number, signed(number, part)];
}

/** The ends of an axis that shows the figure's own range and all bars. Pure. @param {Bar[]} bars @param {number} unit @param {number[]} range
 * @returns {number[]} */
export function rangeOf(bars, unit, range) {
  const ends = bars.flatMap(({ start, end }) => [placeOn(start, unit), placeOn(end, unit)]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const room = ROOM * (high - low);
  return [low < range[0] ? low - room : range[0], high > range[1] ? high + room : range[1]];
}

/** The place of a size on the axis, as display/theme.py has it. Pure. @param {number} size @param {number} unit 0: linear */
export const placeOn = (size, unit) =>
  unit ? Math.sign(size) * Math.log10(1 + Math.abs(size) / unit) : size;

/** What a figure says of its bars. @typedef {{ rows: Moving[], unit: number, range: number[], colours: string[] }} About */

/** Of a figure that follows: what it has said, its bars, numbers and hover texts as they were, and how often it has moved.
 * @typedef {{ about: About, bars: [style: string, classes: string, title: string][], words: Map<Text, string>, moved: number }} Own */

/** @type {WeakMap<HTMLElement, Own>} */
const following = new WeakMap();

/** @returns {() => void} ends it */
export function listenToBars() {
  const ending = { done: false };
  const each = (/** @type {(figure: HTMLElement) => void} */ act) =>
    /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(FIGURE)).forEach(act);
  listen(
    "numbers",
    ({ numbers }) => each((figure) => (numbers ? draw(figure, numbers) : leaveLater(figure))),
    () => ending.done,
  );
  listen(
    "play",
    ({ isComputed }) =>
      each((figure) => (isComputed ? draw(figure, new Map(), isComputed) : leave(figure))),
    () => ending.done,
  );
  return () => void (ending.done = true);
}

/** @param {HTMLElement} figure @returns {HTMLElement[]} */
const barsOf = (figure) =>
  [...figure.querySelectorAll(".av-bar")].map((bar) => /** @type {HTMLElement} */ (bar));

/** @param {HTMLElement} bar */
const rowOf = (bar) => /** @type {HTMLElement} */ (bar.closest("[role=listitem]"));

/** @param {HTMLElement} figure @param {Numbers} numbers @param {((place: string) => boolean) | null} [isComputed] */
function draw(figure, numbers, isComputed = null) {
  const drawn = barsOf(figure);
  const own = following.get(figure) ?? {
    about: /** @type {About} */ (JSON.parse(figure.dataset.moving ?? "")),
    bars: drawn.map((bar) => [bar.style.cssText, bar.className, rowOf(bar).title]),
    words: new Map(),
    moved: 0,
  };
  following.set(figure, own);
  own.moved++;
  const { rows, unit, range, colours } = own.about;
  const bars = barsAt(rows, numbers, isComputed);
  const [low, high] = rangeOf(bars, unit, range);
  const share = (/** @type {number} */ size) => (100 * (placeOn(size, unit) - low)) / (high - low);
  figure.classList.add(FOLLOWS);
  figure.classList.toggle("av-longer", low !== range[0] || high !== range[1]);
  figure.style.setProperty("--zero", `${share(0)}%`);
  bars.forEach(({ start, end, part, against, text, own: written }, i) => {
    const [left, right] = [share(start), share(end)].sort((a, b) => a - b);
    const { style, classList } = drawn[i];
    style.left = `${left}%`;
    style.width = `${right - left}%`;
    style.setProperty("--bar", colours[end < start ? 1 : 0]); // of numbers above and below zero
    classList.toggle("av-against", part && against);
    rowOf(drawn[i]).title = ""; // of Python's numbers
    write(own, drawn[i], written, text);
  });
}

/** Write the number right of a bar. @param {Own} own @param {HTMLElement} bar @param {string} written by Python @param {string | null} text */
function write({ words }, bar, written, text) {
  const place = rowOf(bar).querySelector(".av-words");
  const walker = document.createTreeWalker(/** @type {Element} */ (place), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const found = /** @type {Text} */ (node);
    const before = words.get(found) ?? found.data;
    if (!before.includes(written)) continue;
    if (text !== null) words.set(found, before);
    if (words.has(found)) found.data = before.replace(written, text ?? written);
    return;
  }
}

/** Show Python's own bars and numbers once it has drawn the figure again: then this one has gone, or is drawn as it was.
 * @param {HTMLElement} figure */
function leaveLater(figure) {
  const own = following.get(figure);
  const moved = own?.moved;
  setTimeout(() => own?.moved === moved && leave(figure), LATE_MS);
}

/** Show Python's own bars and numbers. @param {HTMLElement} figure */
function leave(figure) {
  const own = following.get(figure);
  if (!own) return;
  following.delete(figure);
  figure.classList.remove(FOLLOWS, "av-longer");
  barsOf(figure).forEach(
    (bar, i) => ([bar.style.cssText, bar.className, rowOf(bar).title] = own.bars[i]),
  );
  for (const [text, before] of own.words) text.data = before;
}

// @ts-check
// Move the bars of the cotangents figure while a slider is dragged, and its numbers, from the table that moves the canvas;
// what the table does not say has an ellipsis. Python draws the figure again after the release.

import { svg } from "../base/dom.js";
import { listen } from "../base/events.js";
import { numberOf, scalar, sizeOf } from "../base/numbers.js";
import { placeOf } from "../dock/marker.js";

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

const PLOT = ".js-plotly-plot";
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

/** @returns {() => void} ends it */
export function listenToBars() {
  const ending = { done: false };
  listen(
    "numbers",
    ({ numbers }) => {
      for (const plot of /** @type {NodeListOf<any>} */ (document.querySelectorAll(PLOT))) {
        if (numbers && plot.layout?.meta?.moving && plot._fullLayout?.yaxis2) draw(plot, numbers);
        else if (plot.querySelector(".bars-follow")) leaveLater(plot);
      }
    },
    () => ending.done,
  );
  listen(
    "play",
    ({ isComputed }) => {
      for (const plot of /** @type {NodeListOf<any>} */ (document.querySelectorAll(PLOT))) {
        if (isComputed && plot.layout?.meta?.moving && plot._fullLayout?.yaxis2)
          draw(plot, new Map(), isComputed);
        else if (plot.querySelector(".bars-follow")) leave(plot);
      }
    },
    () => ending.done,
  );
  return () => void (ending.done = true);
}

/** @param {any} plot @param {Numbers} numbers @param {((place: string) => boolean) | null} [isComputed] */
function draw(plot, numbers, isComputed = null) {
  const {
    meta: { moving, unit, colours },
  } = plot.layout;
  const { xaxis, yaxis2 } = plot._fullLayout;
  const bars = barsAt(moving, numbers, isComputed);
  const own = xaxis.range.map(Number);
  const across = { offset: xaxis._offset, length: xaxis._length, range: rangeOf(bars, unit, own) };
  const down = {
    offset: yaxis2._offset + yaxis2._length,
    length: -yaxis2._length,
    range: yaxis2.range.map(Number),
  };
  const at = (/** @type {number} */ size) => placeOf(across, placeOn(size, unit));
  const rects = bars.map(({ start, end, part, against }, i) => {
    const [left, right] = [Math.min(at(start), at(end)), Math.max(at(start), at(end))];
    const tall = part ? 10 : 16;
    const colour = colours[end < start ? 1 : 0]; // of numbers above and below zero
    return svg("rect", {
      x: left,
      width: right - left,
      y: placeOf(down, yaxis2.tickvals[i]) - tall / 2,
      height: tall,
      rx: 2,
      fill: colour,
      stroke: colour,
      "fill-opacity": against ? 0.2 : part ? 0.65 : 1,
      "stroke-width": against ? 1.5 : 0,
    });
  });
  const root =
    plot.querySelector(".bars-follow") ??
    plot.appendChild(
      svg("svg", {
        class: "bars-follow",
        "aria-hidden": "true",
        style: "position:absolute;inset:0;width:100%;height:100%;pointer-events:none;z-index:2",
      }),
    );
  const isOther = String(across.range) !== String(own);
  const zero = svg("path", {
    d: `M${at(0)} ${yaxis2._offset}v${yaxis2._length}`,
    stroke: "currentColor",
    opacity: 0.5,
  });
  root.replaceChildren(hiding(isOther), ...(isOther ? [zero] : []), ...rects);
  plot.dataset.moved = String(Number(plot.dataset.moved ?? 0) + 1);
  write(plot, bars, yaxis2.tickvals);
}

/** A style that hides the figure's own bars and the joints between them, and the numbers of an axis that is not its own.
 * @param {boolean} isOther whether the bars have another axis */
function hiding(isOther) {
  const style = svg("style");
  const hidden = [
    ".xy2 :is(.barlayer, .scatterlayer)",
    ...(isOther ? [".xtick", ".xgrid", ".zerolinelayer"] : []),
  ];
  style.textContent = `${PLOT}:has(> .bars-follow) :is(${hidden.join(", ")}) { visibility: hidden; }`;
  return style;
}

/** Texts that were changed, as they were. @type {WeakMap<Text, string>} */
const before = new WeakMap();

/** Write the numbers right of the bars. @param {any} plot @param {Bar[]} bars @param {number[]} centres of the rows */
function write(plot, bars, centres) {
  const ticks = [...plot.querySelectorAll(".y2tick > text")];
  bars.forEach(({ text, own }, i) => {
    const node = textWith(
      own,
      ticks.find((/** @type {any} */ { __data__ }) => __data__?.x === centres[i]),
    );
    if (!node || (text === null && !before.has(node))) return;
    if (!before.has(node)) before.set(node, node.data);
    node.data = (before.get(node) ?? "").replace(own, text ?? own);
  });
}

/** The first text that has the number. @param {string} own @param {Element | undefined} tick @returns {Text | undefined} */
function textWith(own, tick) {
  if (!tick) return undefined;
  const walker = document.createTreeWalker(tick, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = /** @type {Text} */ (node);
    if ((before.get(text) ?? text.data).includes(own)) return text;
  }
  return undefined;
}

/** Remove the bars once Python has drawn the figure again. @param {any} plot */
function leaveLater(plot) {
  const [end, mine, { meta }] = [performance.now() + LATE_MS, plot.dataset.moved, plot.layout];
  const look = () => {
    if (mine !== plot.dataset.moved) return; // dragged again
    // A figure that Python has drawn again has another `meta`.
    if (plot.isConnected && plot.layout?.meta === meta && performance.now() < end)
      return void requestAnimationFrame(look);
    leave(plot);
  };
  look();
}

/** Show Python's own bars and numbers. @param {any} plot */
function leave(plot) {
  plot.dataset.moved = ""; // ends the wait of `leaveLater`
  plot.querySelector(".bars-follow")?.remove();
  for (const tick of plot.querySelectorAll(".y2tick > text")) {
    const walker = document.createTreeWalker(tick, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = /** @type {Text} */ (node);
      text.data = before.get(text) ?? text.data;
      before.delete(text);
    }
  }
}

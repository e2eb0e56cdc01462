// @ts-check
// Show the present value on a sweep figure while the slider of the swept input is dragged: lines, dots and
// tangents follow, and the words beside the figure. The curves themselves do not depend on the swept input,
// and all marks stand on them: nothing between their points is interpolated. Python draws the figure again
// after the release.

import { svg } from "../base/dom.js";
import { listen } from "../base/events.js";
import { scalar } from "../base/numbers.js";
import { placeOf } from "../dock/marker.js";

/**
 * An axis as of marker.js.
 *
 * @typedef {object} Axis
 * @property {number} offset
 * @property {number} length negative for a vertical one
 * @property {number[]} range
 */
/**
 * @typedef {object} Curve
 * @property {string} name
 * @property {ArrayLike<number>} x
 * @property {ArrayLike<number>} y
 * @property {{ color: string }} line
 * @property {Axis} across
 * @property {Axis} up
 * @property {string} uid
 */

const PLOT = ".js-plotly-plot",
  WORDS = "[data-av-sweep]";
const OWN = ["tangent", "true tangent", "value here", "declared here", "true here"]; // traces that the marks stand for
const REACH = 0.2; // share of the axis that a tangent goes to either side, as explain/sweep/figure.py has it
const SAME = 1e-6; // share of the axis by which two positions may differ that are one
const LATE_MS = 3000; // after a release, for a figure that does not come
const LATER = "\u2026"; // for what is known once the slider is released

/** The point of a curve that is nearest to a position, and whether it is at the position itself. Pure.
 * @param {{ x: ArrayLike<number>, y: ArrayLike<number> }} curve @param {number} position @param {number} width of the axis
 * @returns {{ x: number, y: number, exact: boolean } | null} null in a gap */
export function pointAt({ x, y }, position, width) {
  let at = 0;
  for (let i = 1; i < x.length; i++)
    if (Math.abs(x[i] - position) < Math.abs(x[at] - position)) at = i;
  return Number.isFinite(y[at])
    ? { x: x[at], y: y[at], exact: Math.abs(x[at] - position) <= SAME * width }
    : null;
}

/** The ends of a tangent that stays within its panel. Pure. @param {{ x: number, y: number }} point @param {number} slope
 * @param {number[]} across range of the axis @param {number[]} up @returns {[x: number, y: number][]} */
export function tangentAt({ x, y }, slope, [left, right], [low, high]) {
  const room = Math.max(Math.min(y - low, high - y), 0);
  const reach = Math.min(REACH * (right - left), slope ? room / Math.abs(slope) : Infinity);
  return [Math.max(x - reach, left), Math.min(x + reach, right)].map((at) => [
    at,
    y + slope * (at - x),
  ]);
}

/** @returns {() => void} ends it */
export function listenToSweeps() {
  const ending = { done: false };
  /** @type {Set<Element>} */
  const marked = new Set();
  listen(
    "slid",
    ({ input, position }) => {
      for (const plot of /** @type {NodeListOf<any>} */ (document.querySelectorAll(PLOT)))
        if (plot.layout?.meta?.swept === input && mark(plot, position)) marked.add(plot);
    },
    () => ending.done,
  );
  listen(
    "settled",
    () => {
      for (const plot of marked) leaveLater(plot);
      marked.clear();
    },
    () => ending.done,
  );
  return () => void (ending.done = true);
}

/** Curves of a figure by name. @param {any} plot @returns {Map<string, Curve>} */
function curvesOf({ _fullData: traces = [], _fullLayout: layout }) {
  const axis = (/** @type {string} */ id) => layout[`${id[0]}axis${id.slice(1)}`];
  const curves = traces.map((/** @type {any} */ { name, x, y, line, xaxis, yaxis, uid }) => {
    const [across, up] = [axis(xaxis), axis(yaxis)];
    return {
      name,
      x,
      y,
      line,
      uid,
      across: { offset: across._offset, length: across._length, range: across.range.map(Number) },
      up: { offset: up._offset + up._length, length: -up._length, range: up.range.map(Number) },
    };
  });
  return new Map(curves.map((/** @type {Curve} */ curve) => [curve.name, curve]));
}

/** Draw the marks at a position. @param {any} plot @param {number} position @returns {boolean} whether there are any */
function mark(plot, position) {
  const curves = curvesOf(plot);
  const [value, declared, bent] = ["value", "declared", "true"].map((name) => curves.get(name));
  if (!value || !declared) return false;
  const [left, right] = value.across.range;
  const at = (/** @type {Curve | undefined} */ curve) =>
    curve ? pointAt(curve, position, right - left) : null;
  const [height, slope, slant] = [at(value), at(declared), at(bent)];
  const root =
    plot.querySelector(".sweep-follow") ??
    plot.appendChild(
      svg("svg", {
        class: "sweep-follow",
        "aria-hidden": "true",
        style: "position:absolute;inset:0;width:100%;height:100%;pointer-events:none;z-index:2",
      }),
    );
  const lines = [value, declared].map((curve) => {
    const [x, from] = [placeOf(curve.across, position), curve.up.offset];
    return svg("path", {
      class: "here",
      d: `M${x} ${from}v${curve.up.length}`,
      stroke: "currentColor",
      "stroke-width": 2,
      "stroke-dasharray": "3 3",
      opacity: 0.7,
    });
  });
  const slopes = [
    bent && slant && height && tangent(value, height, slant.y, bent, "6 5"),
    slope && height && tangent(value, height, slope.y, declared, ""),
  ];
  const dots = [dot(bent, slant), dot(declared, slope), dot(value, height)];
  root.replaceChildren(hiding(curves), ...lines, ...[...slopes, ...dots].filter(Boolean));
  plot.dataset.here = String(position);
  say(plot, {
    here: scalar(position),
    value: textOf(height),
    declared: textOf(slope),
    true: textOf(slant),
  });
  return true;
}

/** @param {{ y: number, exact: boolean } | null} point */
const textOf = (point) => (point?.exact ? scalar(point.y) : LATER);

/** @param {Curve} curve @param {{ x: number, y: number }} point @param {number} slope @param {Curve} of @param {string} dash */
function tangent({ across, up }, point, slope, of, dash) {
  const ends = tangentAt(point, slope, across.range, up.range).map(
    ([x, y]) => `${placeOf(across, x)} ${placeOf(up, y)}`,
  );
  return svg("path", {
    class: of.name,
    d: `M${ends.join("L")}`,
    stroke: of.line.color,
    "stroke-width": 2.5,
    "stroke-dasharray": dash || null,
  });
}

/** @param {Curve | undefined} curve @param {{ x: number, y: number } | null} point */
const dot = (curve, point) =>
  curve &&
  point &&
  svg("circle", {
    class: curve.name,
    cx: placeOf(curve.across, point.x),
    cy: placeOf(curve.up, point.y),
    r: 6.5,
    fill: curve.line.color,
  });

/** A style that hides the figure's own marks, and fades words in the figure, which are of the value before.
 * @param {Map<string, Curve>} curves */
function hiding(curves) {
  const own = OWN.flatMap((name) => curves.get(name)?.uid ?? []).map(
    (uid) => `.trace${CSS.escape(uid)}`,
  );
  const style = svg("style");
  style.textContent =
    `${PLOT}:has(> .sweep-follow) :is(${[".shapelayer path", ...own].join(", ")}) { visibility: hidden; }` +
    ` ${PLOT}:has(> .sweep-follow) .annotation { opacity: 0.4 !important; }`;
  return style;
}

/** Words that were changed, with their text before. @type {WeakMap<Element, string>} */
const changed = new WeakMap();

/** @param {Element} plot @param {Record<string, string>} texts by what they say */
function say(plot, texts) {
  for (const word of wordsOf(plot)) {
    if (!changed.has(word)) changed.set(word, word.textContent ?? "");
    word.textContent = texts[word.getAttribute("data-av-sweep") ?? ""] ?? LATER;
  }
}

/** @param {Element} plot */
const wordsOf = (plot) => plot.closest("[class*='st-key-drawn_']")?.querySelectorAll(WORDS) ?? [];

/** Remove the marks once Python has drawn the figure again. @param {any} plot */
function leaveLater(plot) {
  const [end, mine, before] = [
    performance.now() + LATE_MS,
    plot.dataset.here,
    plot.layout.meta.here,
  ];
  const look = () => {
    if (mine !== plot.dataset.here) return; // dragged again
    if (plot.isConnected && plot.layout?.meta?.here === before && performance.now() < end)
      return void requestAnimationFrame(look);
    plot.querySelector(".sweep-follow")?.remove();
    delete plot.dataset.here;
    for (const word of wordsOf(plot)) {
      // new ones have come with a new figure
      if (changed.has(word)) word.textContent = changed.get(word) ?? "";
      changed.delete(word);
    }
  };
  look();
}

// @ts-check
// Draw what a selected grad node reads beside its z and its x, as light dotted lines that cannot be moved,
// and the legend of all lines.

import { html, keep, svg } from "../../base/dom.js";
import { arrowhead } from "../../base/icons.js";
import { term } from "../../base/term.js";
import { visibleCard } from "../state/fold.js";
import { outputPoint, pathOf, pointAt, wireCurve } from "../state/geometry.js";

// The legend, in one line at the foot of the canvas: what colours, dashes and thickness say.

/** @type {[kind: string, says: string][]} */
const KEYS = [
  ["positive", "positive"],
  ["negative", "negative"],
  ["mixed", "both signs"],
  ["zero", "zero"],
];

/** @param {string} kind */
const sample = (kind) =>
  svg(
    "svg",
    { width: 26, height: 10, "aria-hidden": "true", class: `wire ${kind}` },
    svg("path", { class: "line", d: "M1 5h24", "stroke-width": kind === "zero" ? 1.5 : 3.5 }),
    svg("path", { class: "twin", d: "M1 5h24", "stroke-width": 3.5 }),
  );

/** Thin to thick, as for 1/400 to the largest contribution. */
const wedge = () =>
  svg(
    "svg",
    { width: 34, height: 10, "aria-hidden": "true" },
    svg("path", { class: "wedge", d: "M1 4.4L33 1.5v7L1 5.6z" }),
  );

/** @param {string} kind @param {string} word @param {string} way */
const passing = (kind, word, way) =>
  html("span", { class: kind }, "Wires pass ", term(word, `${word}s`), ` ${way}:`);

/** @returns {HTMLElement} */
export const legend = () =>
  html(
    "div",
    { class: "flow-key", role: "note", "aria-label": "Legend of the wires" },
    html("span", { class: "cause-key" }, sample("to-cause"), "to the cause"),
    html(
      "span",
      { class: "cause-key origin-key" },
      sample("to-cause"),
      "NaN or \u221e begins here",
    ),
    html(
      "span",
      { class: "lead" },
      // In place of the key beside the tools, which a selection's tools have taken.
      html(
        "span",
        { class: "of-cards" },
        html("span", { class: "blue" }, arrowhead(), "value"),
        html("span", { class: "orange" }, arrowhead(true), term("cotangent")),
        html("span", {}, "on wires:"),
      ),
      passing("of-cotangents", "cotangent", "back"),
      passing("of-tangents", "tangent", "forward"),
    ),
    ...KEYS.map(([kind, says]) => html("span", {}, sample(kind), says)),
    html("span", { class: "thick" }, wedge(), term("thickness", "thick = large")),
    html("span", { class: "norm-key" }, "\u20160.88\u2016: ", term("norm"), " 0.88"),
    html(
      "span",
      { class: "parted-key" },
      svg("svg", { width: 26, height: 10, "aria-hidden": "true" }, svg("path", { d: "M1 5h24" })),
      "A and B part here",
    ),
    html(
      "span",
      { class: "range-key" },
      sample("underflows"),
      "underflow ",
      sample("overflows"),
      "overflow",
    ),
  );

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").Cubic} Cubic */
/**
 * @typedef {object} Read
 * @property {GraphNode} from
 * @property {GraphNode} to
 * @property {number} at 0 to 1, where on the lower edge of the card it ends
 * @property {GraphNode[]} cards all, behind which it should not run
 */
/**
 * @typedef {object} Thread
 * @property {SVGGraphicsElement} root
 * @property {Element} line
 * @property {Element} arrow
 */

const ARROW = "M-6 0L4.5 -4.5L4.5 4.5z";
const PLACE = 0.3; // of the way, from the node that is read
const GRAD = "grad";
const [UNDER, ASIDE, LOOKS] = [22, 50, 40]; // px below a card and beside the ends; points at which a line is looked at

/** @param {Editor} editor */
export function showReads(editor) {
  const layer = svg("g", { class: "reads" });
  editor.stage.layers.wires.append(layer);
  /** @type {Map<string, Thread>} */
  const threads = new Map();
  editor.watchers.push(() => {
    const reads = visibleReads(editor);
    if (reads.length || threads.size)
      keep(layer, threads, reads, ({ from }) => from.id, make, show);
  });
}

/** What the selected grad node reads, from Python's rows beyond its own slots.
 * @param {Pick<Editor, "single" | "drawing" | "seen">} editor @returns {Read[]} */
export function visibleReads({ single, drawing, seen }) {
  const about = drawing.node;
  const node = seen.nodes.find(({ id }) => id === single);
  if (!about || node?.op !== GRAD || about.name !== single) return [];
  const rows = (about.wires ?? []).filter(({ slot }) => slot >= node.slots.length);
  const cards = new Map(seen.nodes.map((card) => [card.id, card]));
  const read = new Map(
    rows.flatMap(({ to }) => {
      const from = cards.get(visibleCard(seen, to));
      return from && from.id !== node.id ? [[from.id, from]] : [];
    }),
  );
  return [...read.values()].map((from, i) => ({
    from,
    to: node,
    at: (i + 1) / (read.size + 1),
    cards: seen.nodes,
  }));
}

/** @returns {Thread} */
function make() {
  const [line, arrow] = [
    svg("path", { class: "read-line" }),
    svg("path", { class: "read-arrow", d: ARROW }),
  ];
  return { root: svg("g", { class: "read" }, line, arrow), line, arrow };
}

/** @param {Thread} thread @param {Read} read */
function show({ line, arrow }, read) {
  const curve = curveOf(read);
  line.setAttribute("d", pathOf(curve));
  const {
    point: [x, y],
    angle,
  } = pointAt(curve, PLACE);
  arrow.setAttribute(
    "transform",
    `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${angle.toFixed(1)})`,
  );
}

/** The line, as straight as it can be without running behind a card, otherwise below one card or another. Pure. @param {Read} read */
export function curveOf({ from, to, at, cards }) {
  const end = /** @type {Point} */ ([to.x + to.w * 0.5 * at, to.y + to.h]);
  const start = outputPoint(from);
  const others = cards.filter(({ id }) => id !== from.id && id !== to.id);
  const between = others.filter(({ x, w }) => x < end[0] && x + w > start[0]);
  const heights = between
    .map(({ y, h, foot = 0 }) => y + h + foot + UNDER * (1 + at))
    .sort((a, b) => a - b);
  const ways = [
    lineTo(start, end),
    ...heights.map((y) =>
      lineTo(start, end, [
        [start[0] + ASIDE, y],
        [end[0] - ASIDE, y],
      ]),
    ),
  ];
  return ways.find((curve) => !others.some((card) => passes(curve, card))) ?? ways[0];
}

/** @param {Point} start @param {Point} end @param {Point[]} [via] @returns {Cubic[]} */
function lineTo(start, end, via) {
  const curve = wireCurve(start, end, via);
  const [a, b, , d] = curve[curve.length - 1];
  curve[curve.length - 1] = [a, b, [d[0] - 6, d[1] + Math.max(30, Math.abs(d[1] - a[1]) / 2)], d]; // it ends from below
  return curve;
}

/** @param {Cubic[]} curve @param {GraphNode} card */
const passes = (curve, { x, y, w, h, foot = 0 }) =>
  Array.from({ length: LOOKS + 1 }, (_, i) => pointAt(curve, i / LOOKS).point).some(
    ([across, down]) => across > x && across < x + w && down > y && down < y + h + foot,
  );

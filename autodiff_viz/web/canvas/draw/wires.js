// @ts-check
// Draw the wires. A wire carries a value forward and a contribution to the gradient backward: its thickness
// and strength are the size of the contribution, its colour and arrow the sign; both signs in one tensor make
// two colours. In forward mode it shows its contribution to a tangent, with the arrow the other way.

import { keep, setText, svg } from "../../base/dom.js";
import { textWidth } from "../../base/numbers.js";
import { isWithin } from "../state/beside.js";
import { titleOf } from "../state/fold.js";
import {
  hookCurve,
  outputPoint,
  pathOf,
  pointAt,
  slotPoint,
  wireCurve,
} from "../state/geometry.js";
import { grid } from "../state/grid.js";

// Places of the wires' numbers, which cover no node and no other number. Numbers only.

/** @typedef {import("../../types.js").Point} Point */
/** @typedef {import("../../types.js").Box} Box */
/** @typedef {import("../../types.js").Cubic} Cubic */
/**
 * @typedef {object} Label
 * @property {string} id
 * @property {Cubic[]} curve
 * @property {string} text
 * @property {number} weight
 * @property {number} [size] px of its font
 * @property {boolean} [early] whether it stands near the beginning of its wire
 */
/** @typedef {{ t: number, side: 1 | -1 }} Place how far along its wire, and whether above it (1) or below (-1) */

const CLEAR = 14 / 13; // from the middle of a wire to the middle of its number, of the font's size
const TALL = 16 / 13; // height of a number
const STEP = 12; // px between the sampled points of a wire
const ALONG = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.14, 0.86];

/** @type {Place} */
export const USUAL = { t: 0.5, side: 1 };
/** @type {Place[]} best first */
const PLACES = ALONG.flatMap((t) => [
  { t, side: /** @type {1} */ (1) },
  { t, side: /** @type {-1} */ (-1) },
]);

/** @type {Place[]} those of a label near the beginning of its wire, where no other one comes in */
const EARLY = [0.3, 0.4, 0.22, 0.5, 0.14].flatMap((t) => [
  { t, side: /** @type {1} */ (1) },
  { t, side: /** @type {-1} */ (-1) },
]);

const SIZE = 13; // px

/** @param {string} text @param {number} size */
const labelWidth = (text, size) => textWidth(text, size) * 1.06 + 6;

/** Greedy placement in the order of contribution size, the largest first. A label never covers an obstacle or
 * another label, and crosses a wire only if every place does. A label without a free place is left out. If there are
 * such labels, they are placed first in a second attempt, which counts if fewer are left out, or fewer wires crossed.
 * @param {Label[]} labels @param {Box[]} obstacles @param {Cubic[][]} wires @param {Box | null} [room] where they may be @returns {Map<string, Place>} */
export function placeLabels(labels, obstacles, wires, room = null) {
  const crossed = grid(wires.flatMap(pointsOf));
  const ordered = [...labels].sort((a, b) => b.weight - a.weight);
  const first = attempt(ordered, obstacles, crossed, room);
  if (!first.poor.size) return first.places;
  const isPoor = (/** @type {Label} */ { id }) => first.poor.has(id);
  const poorFirst = [...ordered.filter(isPoor), ...ordered.filter((label) => !isPoor(label))];
  const second = attempt(poorFirst, obstacles, crossed, room);
  const isBetter = second.places.size - first.places.size || first.crossings - second.crossings;
  return (isBetter > 0 ? second : first).places;
}

/** Place labels one after the other. `poor`: those that cross a wire or are left out; `crossings`: sampled points of wires
 * that labels cover.
 * @param {Label[]} labels @param {Box[]} obstacles @param {ReturnType<typeof grid>} crossed @param {Box | null} room */
function attempt(labels, obstacles, crossed, room) {
  const taken = grid(obstacles);
  /** @type {Map<string, Place>} */
  const places = new Map();
  const poor = new Set();
  let crossings = 0;
  for (const label of labels) {
    const free = (label.early ? EARLY : PLACES)
      .map((place) => ({ place, box: boxAt(label, place) }))
      .filter(({ box }) => !taken.hits(box, 1) && (!room || isWithin(room, box)));
    const cost = (/** @type {{ box: Box }} */ { box }) => crossed.hits(box, Infinity);
    const found = least(free, cost);
    if (!found || cost(found)) poor.add(label.id);
    if (!found) continue;
    crossings += cost(found);
    places.set(label.id, found.place);
    taken.add(found.box);
  }
  return { places, poor, crossings };
}

/** Middle of the number, beside the wire: above it if the wire is horizontal and the side is 1.
 * @param {Cubic[]} curve @param {Place} place @param {string} text @param {number} [size] @returns {Point} */
export function labelPoint(curve, { t, side }, text, size = SIZE) {
  const { point, angle } = pointAt(curve, t);
  const slope = (angle * Math.PI) / 180;
  const [right, up] = [Math.sin(slope), -Math.abs(Math.cos(slope))];
  const away = CLEAR * size + (Math.abs(right) * labelWidth(text, size)) / 2;
  return [
    point[0] + side * Math.sign(Math.cos(slope) || 1) * right * away,
    point[1] + side * up * CLEAR * size,
  ];
}

/** @param {Label} label @param {Place} place @returns {Box} */
function boxAt({ curve, text, size = SIZE }, place) {
  const [x, y] = labelPoint(curve, place, text, size);
  const [w, h] = [labelWidth(text, size), TALL * size];
  return { x: x - w / 2, y: y - h / 2, w, h };
}

/** Count the sampled points of wires that a box covers. @param {Cubic[][]} wires @returns {(box: Box) => number} */
export function crossingsOf(wires) {
  const crossed = grid(wires.flatMap(pointsOf));
  return (box) => crossed.hits(box, Infinity);
}

/** Where the number of a wire stands; where it has no place, the middle of the wire. @param {Strand} strand @returns {Box} */
export function numberBox({ curve, place, size, number, wire }) {
  if (!number.classList.contains("crowded"))
    return boxAt({ id: "", weight: 0, curve, text: wire?.passed ?? "", size }, place);
  const [x, y] = pointAt(curve, 0.5).point;
  return { x, y, w: 0, h: 0 };
}

/** Small boxes along a wire. @param {Cubic[]} curve @returns {Box[]} */
export function pointsOf(curve) {
  const [start, end] = [curve[0]?.[0] ?? [0, 0], curve.at(-1)?.[3] ?? [0, 0]];
  const count = Math.ceil(Math.hypot(end[0] - start[0], end[1] - start[1]) / STEP);
  return Array.from({ length: curve.length ? count + 1 : 0 }, (_, i) => {
    const [x, y] = pointAt(curve, count ? i / count : 0).point;
    return { x: x - 2, y: y - 2, w: 4, h: 4 };
  });
}

/** The first item with the lowest cost; a cost of 0 ends the search.
 * @template T @param {T[]} items @param {(item: T) => number} cost @returns {T | undefined} */
function least(items, cost) {
  let best;
  let lowest = Infinity;
  for (const item of items) {
    const price = cost(item);
    if (price < lowest) [best, lowest] = [item, price];
    if (price === 0) break;
  }
  return best;
}

/** @typedef {import("../../types.js").Wire} Wire */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").Flow} Flow */
/**
 * @typedef {object} Strand
 * @property {SVGGraphicsElement} root
 * @property {SVGGraphicsElement} line
 * @property {SVGGraphicsElement} other
 * @property {Element} hit
 * @property {Element} arrow
 * @property {Element} half
 * @property {Element} number
 * @property {Element} title
 * @property {Element | null} shape
 * @property {Element | null} guess what the visitor has answered about it: guesses.js places it
 * @property {Element | null} layer
 * @property {Wire | null} wire
 * @property {GraphNode | null} from
 * @property {GraphNode | null} to
 * @property {number} size
 * @property {Flow} flow
 * @property {Cubic[]} curve
 * @property {Place} place
 * @property {Place} shapePlace
 * @property {boolean} complete
 * @property {boolean} culled
 */

const SIGNS = { "-1": "negative", 0: "zero", 1: "positive", 2: "mixed" };
const FLOW = /** @type {const} */ (["width", "sign", "passed", "hidden"]);
const GRAD = "grad"; // op of a node whose wires say what is differentiated, and by what
const NUMBER = 13; // px
const THIN = 1.5;
const SHORT = 6; // px of the arrow on the short wire of a tab
const THICK = 5; // px added for the largest contribution
const PALEST = 25; // % by which the smallest contribution is paler than the largest

/** @param {{ to: string, slot: number }} wire */
export const wireId = ({ to, slot }) => `${to}:${slot}`;

/** Draw the wires. Numbers have a layer of their own, so that no other wire crosses them.
 * @param {Element} layer @param {Element} numbers @param {Map<string, Strand>} strands @param {Wire[]} wires
 * @param {Map<string, GraphNode>} nodes @param {boolean} complete whether new wires have all that is read from near */
export function drawWires(layer, numbers, strands, wires, nodes, complete) {
  const whole = wires.filter((wire) => nodes.has(wire.from) && nodes.has(wire.to));
  const make = (/** @type {Wire} */ wire) => {
    const strand = makeStrand(wire);
    if (complete) completeStrand(strand, numbers);
    return strand;
  };
  const forget = (/** @type {Strand} */ { root, number, shape, guess }) =>
    [root, number, shape, guess].forEach((part) => part?.remove());
  keep(
    layer,
    strands,
    whole,
    wireId,
    make,
    (strand, wire) => updateStrand(strand, wire, nodes),
    forget,
  );
}

/** @param {Wire} wire @returns {Strand} */
function makeStrand(wire) {
  const [title, hit, line] = [
    svg("title"),
    svg("path", { class: "hit" }),
    svg("path", { class: "line" }),
  ];
  const [arrow, half, number] = [
    svg("path", { class: "arrow" }),
    svg("path", { class: "arrow half" }),
    svg("text", { class: "passed" }),
  ];
  const other = svg("path", { class: "twin" });
  const hover = (/** @type {Event} */ event) =>
    number.classList.toggle("hovered", event.type === "pointerenter");
  const root = svg(
    "g",
    { class: "wire", "data-wire": wireId(wire), pointerenter: hover, pointerleave: hover },
    hit,
    line,
    other,
  );
  return {
    root,
    line,
    other,
    hit,
    arrow,
    half,
    number,
    title,
    shape: null,
    guess: null,
    layer: null,
    wire: null,
    from: null,
    to: null,
    size: NUMBER,
    flow: { width: 0, sign: 0, passed: "" },
    curve: [],
    place: USUAL,
    shapePlace: USUAL,
    complete: false,
    culled: false,
  };
}

/** Draw the parts that are seen from near, too. @param {Strand} strand @param {Element} numbers */
export function completeStrand(strand, numbers) {
  if (strand.complete) return;
  strand.complete = true;
  strand.root.prepend(strand.title);
  strand.root.append(strand.arrow, strand.half);
  numbers.append(strand.number);
  strand.layer = numbers;
  showShape(strand);
}

/** The shape of a wire's value, unless it is a scalar. @param {{ wire: Wire | null, from: GraphNode | null }} strand */
const shapeOf = ({ wire, from }) => {
  const dims = wire?.dims ?? from?.dims ?? [];
  return dims.length ? `[${dims.join(", ")}]` : "";
};

/** @param {Strand} strand */
function showShape(strand) {
  const text = shapeOf(strand);
  if (!text) {
    strand.shape?.remove();
    strand.shape = null;
  } else if (strand.shape) setText(strand.shape, text);
  else strand.layer?.append((strand.shape = svg("text", { class: "dims crowded" }, text)));
}

/** @param {Strand} strand @param {Wire} wire @param {Map<string, GraphNode>} nodes */
export function updateStrand(strand, wire, nodes) {
  const [from, to] = [
    /** @type {GraphNode} */ (nodes.get(wire.from)),
    /** @type {GraphNode} */ (nodes.get(wire.to)),
  ];
  if (strand.wire === wire && strand.from === from && strand.to === to) return;
  const old = strand.wire;
  Object.assign(strand, { wire, from, to });
  const ends = /** @type {[Point, Point]} */ ([
    outputPoint(from, wire.out),
    slotPoint(to, wire.slot),
  ]);
  strand.curve =
    from.tab === to.id && !from.beside
      ? hookCurve(...ends)
      : wireCurve(...ends, wire.via, from.down);
  const path = pathOf(strand.curve);
  for (const line of [strand.line, strand.other]) line.setAttribute("d", path);
  strand.hit.setAttribute("d", path);
  strand.root.classList.toggle("alternative", Boolean(wire.alternative));
  strand.root.classList.toggle("derivative", to.op === GRAD);
  if (
    !old ||
    Boolean(old.reverse) !== Boolean(wire.reverse) ||
    FLOW.some((field) => old[field] !== wire[field])
  )
    showFlow(strand, wire);
  showShape(strand);
  writeWireTitle(strand, true);
  placeMarks(strand);
}

/** Write the tooltip. @param {Strand} strand @param {boolean} isPassed whether the numbers are computed */
export function writeWireTitle(strand, isPassed) {
  const { wire } = strand;
  if (!wire) return;
  const shape = shapeOf(strand);
  const back = (wire.reverse ?? wire).passedFull ?? (wire.reverse ?? wire).passed;
  const forth = wire.reverse ? `\npassed on ${wire.passedFull ?? wire.passed}` : "";
  setText(
    strand.title,
    `${titleOf(wire.from)} → ${titleOf(wire.to)}${shape && `, ${shape}`}${isPassed ? `${forth}\npassed back ${back}` : ""}`,
  );
}

/** Show the contribution that goes backward: its number, thickness, colour and arrow.
 * @param {Strand} strand @param {Flow} flow */
export function showFlow(strand, flow) {
  const { root, line, other, number } = strand;
  const { width, sign, passed } = flow;
  strand.flow = flow;
  for (const part of [root, number]) {
    part.classList.remove(...Object.values(SIGNS));
    if (!strand.wire?.hidden) part.classList.add(SIGNS[/** @type {0} */ (sign)]);
    part.classList.toggle("asked", Boolean(strand.wire?.hidden));
  }
  const wide = `calc(${(sign ? THIN + THICK * width : THIN).toFixed(1)}px * var(--unit, 1))`;
  for (const part of [line, other]) part.style.strokeWidth = wide;
  root.style.setProperty("--pale", `${(sign ? PALEST * (1 - width) : 0).toFixed(0)}%`);
  setText(number, passed);
  if (strand.curve.length) placeArrow(strand);
}

/** @param {Strand} strand */
function placeArrow({ arrow, half, flow, curve, place, size, from, wire }) {
  const { point, angle: along } = pointAt(curve, place.t);
  const angle = along + (wire?.reverse ? 180 : 0); // a tangent goes forward
  const wide = from?.tab
    ? SHORT
    : ((flow.sign ? 7 : 5) + 4 * flow.width) * Math.sqrt(size / NUMBER);
  arrow.setAttribute("d", arrowPath(HEAD, wide, point, angle));
  half.setAttribute("d", flow.sign === 2 ? arrowPath(HALF, wide, point, angle) : "");
}

/** Place the arrow on the wire and the number beside the wire.
 * @param {Strand} strand */
function placeMarks(strand) {
  placeArrow(strand);
  const [x, y] = labelPoint(strand.curve, strand.place, strand.wire?.passed ?? "", strand.size);
  strand.number.setAttribute("x", x.toFixed(1));
  strand.number.setAttribute("y", (y + 0.35 * strand.size).toFixed(1)); // from the middle of the digits to the baseline
  if (strand.shape) placeShape(strand);
}

/** @param {Strand} strand */
function placeShape({ shape, curve, shapePlace }) {
  const [x, y] = labelPoint(curve, shapePlace, shape?.textContent ?? "");
  shape?.setAttribute("x", x.toFixed(1));
  shape?.setAttribute("y", (y + 4).toFixed(1));
}

/** Corners of the arrow, and of its lower half, for a wire that runs right, in units of its size. @type {Point[]} */
const HEAD = [
  [-1, 0],
  [0.7, -0.8],
  [0.7, 0.8],
];
/** @type {Point[]} */
const HALF = [
  [-1, 0],
  [0.7, 0],
  [0.7, 0.8],
];

/** An arrowhead that points back along a wire in this direction.
 * @param {Point[]} corners @param {number} size px @param {Point} at @param {number} angle degrees */
function arrowPath(corners, size, [x, y], angle) {
  const [right, down] = [
    Math.cos((angle * Math.PI) / 180) * size,
    Math.sin((angle * Math.PI) / 180) * size,
  ];
  const points = corners.map(
    ([along, across]) =>
      `${(x + along * right - across * down).toFixed(1)} ${(y + along * down + across * right).toFixed(1)}`,
  );
  return `M${points.join("L")}z`;
}

/** Find a free place for every number. A number without one shows only on hover, where it covers at most other
 * numbers. What a tab's wire passes stands on the tab.
 * @param {Map<string, Strand>} strands @param {import("../../types.js").Box[]} obstacles @param {import("./levels.js").Level} level
 * @param {import("../../types.js").Box | null} room where they may be */
export function placeNumbers(strands, obstacles, level, room) {
  const size = Math.max(NUMBER, level.number);
  const labels = [...strands]
    .filter(([, { wire, from, to }]) => wire?.passed && to?.connected && !from?.tab)
    .map(([id, { curve, wire }]) => ({
      id,
      curve,
      text: wire?.passed ?? "",
      weight: wire?.sign ? 1 + wire.width : 0,
      size,
    }));
  const curves = [...strands.values()].map(({ curve }) => curve);
  const shapes = [...strands]
    .filter(([, { shape, from }]) => shape && !from?.tab)
    .map(([id, { curve, shape }]) => ({
      id: `${id} shape`,
      curve,
      text: shape?.textContent ?? "",
      weight: -1,
      early: true, // after all numbers
    }));
  const places = placeLabels([...labels, ...shapes], obstacles, curves, room);
  const left = labels.filter(({ id }) => !places.has(id));
  const hovered = new Map(left.flatMap((label) => [...placeLabels([label], obstacles, [])]));
  for (const [id, strand] of strands) {
    const place = places.get(id) ?? hovered.get(id) ?? USUAL;
    strand.number.classList.toggle("crowded", !places.has(id));
    if (strand.shape) {
      strand.shape.classList.toggle("crowded", !places.has(`${id} shape`));
      strand.shapePlace = places.get(`${id} shape`) ?? USUAL;
      placeShape(strand);
    }
    if (strand.place.t === place.t && strand.place.side === place.side && strand.size === size)
      continue;
    [strand.place, strand.size] = [place, size];
    placeMarks(strand);
  }
}

// @ts-check
// Compute the geometry of ports, wires, regions and the view. Numbers only, no DOM.

import { shared } from "../../base/constants.js";

/** @typedef {import("../../types.js").Point} Point */
/** @typedef {import("../../types.js").Box} Box */
/** @typedef {import("../../types.js").Cubic} Cubic */
/** @typedef {import("../../types.js").Viewport} Viewport */
/** @typedef {import("../../types.js").GraphNode} GraphNode */

/** Size of a card, and of the card of a node with a heat-map. */
export const CARD = shared.card;
export const PICTURED = shared.pictured;

const CELLS = shared.cells;

/** Height in px of a card with so many slots.
 * @param {number} slots @param {{ heat?: object, dims?: number[] }} [node] a picture makes it higher */
export const heightOf = (slots, { heat, dims = [] } = {}) =>
  Math.max(heat ? picturedHeight(gridOf(dims)) : CARD.h, CARD.slot * (slots + 1));

/** @param {[number, number] | null} grid */
function picturedHeight(grid) {
  if (!grid) return PICTURED.h;
  const [rows, columns] = grid;
  return rows === 1
    ? CARD.h
    : Math.max(CARD.h, CELLS.head + CELLS.line * (columns <= CELLS.beside ? rows : 2 * rows));
}

/** Rows and columns of a tensor whose numbers are written in cells, as canvas/cards.py has them; null for others.
 * @param {number[]} dims @returns {[number, number] | null} */
export function gridOf(dims) {
  if (!dims.length || dims.length > 2) return null;
  const [rows, columns] = dims.length === 1 ? [1, dims[0]] : dims;
  return rows * columns > 1 && Math.max(rows, columns) <= CELLS.most ? [rows, columns] : null;
}

const SCALE = { min: 0.08, max: 3, whole: 0.02 }; // `whole`: least one of a view that shows all

/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** Round half to even, as Python does. @param {number} value */
export function rounded(value) {
  const up = Math.round(value);
  return Math.abs(value % 1) === 0.5 && up % 2 ? up - 1 : up;
}

/** Round to a tenth, as `round(px, 1)` does in Python: what the number is and not how it is written decides. @param {number} px */
export const tenths = (px) =>
  Number.isInteger(4 * px) ? rounded(10 * px) / 10 : Number(px.toFixed(1)); // of quarters ten times are exact

const TOP = { alone: 0.5, first: 0.44, last: 0.82 }; // of the width, where wires arrive from above: chips and names are left of them

/** Centre of input slot `slot`: slots are spread evenly down the left edge, except those of a collapsed group; in a drawing that
 * runs downwards those with wires are at the upper edge.
 * @param {GraphNode} node @param {number} slot @returns {Point} */
export const slotPoint = (node, slot) => {
  if (node.down && node.slots[slot]?.wired) return [node.x + node.w * topShare(node, slot), node.y];
  const down = node.ports?.ins[slot] ?? (node.h * (slot + 1)) / (node.slots.length + 1);
  return [node.x, node.y + down];
};

/** @param {GraphNode} node @param {number} slot */
function topShare({ slots, group }, slot) {
  if (group) return (slot + 1) / (slots.length + 1);
  const wired = slots.flatMap((one, i) => (one.wired ? [i] : []));
  if (wired.length === 1) return TOP.alone;
  return TOP.first + ((TOP.last - TOP.first) * wired.indexOf(slot)) / (wired.length - 1);
}

/** @param {Point} point @returns {Point} */
const swapped = ([x, y]) => [y, x];

/** Centre of the output port, in the middle of the right edge, or of the left edge of a tab below its layer; a collapsed group has several.
 * In a drawing that runs downwards it is in the middle of the lower edge.
 * @param {Box & Partial<Pick<GraphNode, "tab" | "beside" | "down" | "group">> & { ports?: { outs: number[] } }} node @param {number} [out] @returns {Point} */
export const outputPoint = (node, out = 0) =>
  node.down
    ? [node.x + (node.w * (out + 1)) / ((node.group?.outs.length ?? 1) + 1), node.y + node.h]
    : [
        node.tab && !node.beside ? node.x : node.x + node.w,
        node.y + (node.ports?.outs[out] ?? node.h / 2),
      ];

/** Cubic curve through the bends, horizontal at every point, so that it leaves and enters ports straight; vertical in a drawing
 * that runs downwards.
 * @param {Point} from @param {Point} to @param {Point[]} via @param {boolean} [down] @returns {Cubic[]} */
export function wireCurve(from, to, via = [], down = false) {
  if (down)
    return wireCurve(swapped(from), swapped(to), via.map(swapped)).map(
      (piece) => /** @type {Cubic} */ (piece.map(swapped)),
    );
  const points = [from, ...via, to];
  return points.slice(1).flatMap((end, i) => {
    if (isBack(points, i)) return [];
    if (isBack(points, i + 1)) return wireBack(points[i], points[i + 2], end[1]);
    const start = points[i];
    const across = end[0] - start[0];
    const reach = across >= 0 ? Math.max(across / 2, Math.min(30, across)) : 40 - across / 3;
    return [
      /** @type {Cubic} */ ([start, [start[0] + reach, start[1]], [end[0] - reach, end[1]], end]),
    ];
  });
}

/** Whether a wire comes back at this point: the one before is right of it and the one after left.
 * @param {Point[]} points @param {number} i */
export const isBack = (points, i) =>
  i > 0 &&
  i + 1 < points.length &&
  points[i - 1][0] > points[i][0] &&
  points[i][0] > points[i + 1][0];

const TURN = { least: 46, each: 0.1, most: 80 }; // px of the handles with which a wire that comes back turns beyond its ends, by three quarters of them: less than the gap between columns

/** How far wires reach: to their bends, and, of those that come back, beside the cards at their ends. Pure.
 * @param {(Box & { id: string, down?: boolean })[]} nodes @param {{ from: string, to: string, via?: Point[] }[]} wires @returns {Box[]} */
export function reachOf(nodes, wires) {
  const byName = new Map(nodes.map((node) => [node.id, node]));
  const wide = 0.75 * TURN.most;
  return wires.flatMap(({ from, to, via }) => {
    const [start, end] = [byName.get(from), byName.get(to)];
    if (!via?.length || !start || !end) return [];
    const bends = via.map(([x, y]) => ({ x, y, w: 0, h: 0 }));
    if (start.down)
      return start.y + start.h <= end.y
        ? bends
        : [
            ...bends,
            { x: start.x, y: start.y + start.h, w: start.w, h: wide },
            { x: end.x, y: end.y - wide, w: end.w, h: wide },
          ];
    if (start.x + start.w <= end.x) return bends;
    return [
      ...bends,
      { x: start.x + start.w, y: start.y, w: wide, h: start.h },
      { x: end.x - wide, y: end.y, w: wide, h: end.h },
    ];
  });
}

/** @param {number} from @param {number} to y of the ends of a turn */
const turn = (from, to) => Math.min(TURN.least + TURN.each * Math.abs(to - from), TURN.most);

/** Curve of a wire to a node on the left, in a row below or above, which comes back at a height between them.
 * @param {Point} from @param {Point} to @param {number} y @returns {Cubic[]} */
function wireBack(from, to, y) {
  const [right, left] = [/** @type {Point} */ ([from[0], y]), /** @type {Point} */ ([to[0], y])];
  const third = (to[0] - from[0]) / 3;
  const [out, back] = [from[0] + turn(from[1], y), to[0] - turn(y, to[1])];
  return [
    [from, [out, from[1]], [out, y], right],
    [right, [right[0] + third, y], [left[0] - third, y], left],
    [left, [back, y], [back, to[1]], to],
  ];
}

const HOOK = { least: 20, each: 0.12 }; // px by which the wire of a tab stands out to the left, and more for each px of its height

/** Curve from a tab up to the slot of its layer, past the left edge of both.
 * @param {Point} from @param {Point} to @returns {Cubic[]} */
export function hookCurve(from, to) {
  const out = HOOK.least + HOOK.each * Math.abs(from[1] - to[1]);
  return [[from, [from[0] - out, from[1]], [to[0] - out, to[1]], to]];
}

/** @param {Cubic[]} curve @returns {string} an SVG path */
export function pathOf(curve) {
  const pieces = curve.map(
    ([, a, b, end]) => `C${[a, b, end].map((p) => p.map(round).join(" ")).join(" ")}`,
  );
  return `M${curve[0][0].map(round).join(" ")}${pieces.join("")}`;
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10;

/** Point and direction (degrees, along the wire) at `t` from 0 (start) to 1 (end).
 * @param {Cubic[]} curve @param {number} t @returns {{ point: Point, angle: number }} */
export function pointAt(curve, t) {
  const index = Math.min(Math.floor(t * curve.length), curve.length - 1);
  const [a, b, c, d] = curve[index];
  const u = t * curve.length - index;
  const v = 1 - u;
  const mix = (/** @type {0 | 1} */ i) =>
    v ** 3 * a[i] + 3 * v * v * u * b[i] + 3 * v * u * u * c[i] + u ** 3 * d[i];
  const slope = (/** @type {0 | 1} */ i) =>
    v * v * (b[i] - a[i]) + 2 * v * u * (c[i] - b[i]) + u * u * (d[i] - c[i]);
  return { point: [mix(0), mix(1)], angle: (Math.atan2(slope(1), slope(0)) * 180) / Math.PI };
}

/** Bounding box of all boxes, or null if there is none.
 * @param {Box[]} boxes @returns {Box | null} */
export function bounds(boxes) {
  if (!boxes.length) return null;
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.w));
  const bottom = Math.max(...boxes.map((box) => box.y + box.h));
  return { x, y, w: right - x, h: bottom - y };
}

/** @param {Box} box @param {number} by @returns {Box} */
export const padded = (box, by) => ({
  x: box.x - by,
  y: box.y - by,
  w: box.w + 2 * by,
  h: box.h + 2 * by,
});

/** @param {Box} a @param {Box} b */
export const overlap = (a, b) =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

const MARGIN = 24; // px around a node that is brought into view

/** Px of the margins that a fitted drawing leaves free. */
export const CLEAR = { top: 22, bottom: 22, side: 22 };
const PHONE = 480; // px of a canvas, of which every one counts
const NEAR = 10; // px of its margin

/** The margins in a canvas of this width. @param {{ w: number }} size @returns {typeof CLEAR} */
export const clearOf = ({ w }) => (w < PHONE ? { ...CLEAR, side: NEAR } : CLEAR);

/** The viewport that shows `box` inside `size`, clear of its margins. A box that does not fit at scale `least` is
 * shown from its left end, where the inputs are, with `anchor` in the middle of the height.
 * @param {Box} box @param {{ w: number, h: number }} size
 * @param {{ least?: number, most?: number, anchor?: Box, clear?: typeof CLEAR }} [options] @returns {Viewport} */
export function fit(
  box,
  size,
  { least = SCALE.whole, most = 1.25, anchor = box, clear = CLEAR } = {},
) {
  const room = {
    w: Math.max(size.w - 2 * clear.side, 1),
    h: Math.max(size.h - clear.top - clear.bottom, 1),
  };
  const k = clamp(Math.min(room.w / Math.max(box.w, 1), room.h / Math.max(box.h, 1)), least, most);
  const shown = box.h * k <= room.h + 1 ? box : anchor;
  return {
    x: clear.side + Math.max(room.w - box.w * k, 0) / 2 - box.x * k,
    y: clear.top + (room.h - shown.h * k) / 2 - shown.y * k,
    k,
  };
}

/** The view, moved sideways by the least amount that shows all of `box`.
 * @param {Viewport} view @param {Box} box
 * @param {{ w: number }} size @param {number} [side] px of the margin @returns {Viewport} */
export function viewMovedSideways(view, box, size, side = CLEAR.side) {
  const left = box.x * view.k + view.x - side;
  const right = (box.x + box.w) * view.k + view.x - (size.w - side);
  return { ...view, x: view.x - Math.min(left, Math.max(right, 0)) };
}

/** The view of a drawing, moved sideways by the least amount that shows one of its nodes with a margin; the margin ends where the
 * drawing does, so that a view which shows all of it stays as it is.
 * @param {Viewport} view @param {Box} node @param {Box} whole the drawing @param {{ w: number }} size @param {number} [side] px of the margin of the view @returns {Viewport} */
export function withNode(view, node, whole, size, side = CLEAR.side) {
  const { x, w } = padded(node, MARGIN);
  const [left, right] = [Math.max(x, whole.x), Math.min(x + w, whole.x + whole.w)];
  return viewMovedSideways(view, { ...node, x: left, w: right - left }, size, side);
}

/** The view, moved by the least amount that shows all of `box` clear of the toolbars; zoomed out where it does not fit.
 * @param {Viewport} view @param {Box} box @param {{ w: number, h: number }} size @returns {Viewport} */
export function viewShowing(view, box, size) {
  const { top, bottom, side } = clearOf(size);
  const room = { w: size.w - 2 * side, h: size.h - top - bottom };
  if (box.w * view.k > room.w + 0.5 || box.h * view.k > room.h + 0.5)
    return fit(box, size, { most: view.k, clear: clearOf(size) });
  const across = viewMovedSideways(view, box, size, side);
  const above = box.y * view.k + view.y - top;
  const below = (box.y + box.h) * view.k + view.y - (size.h - bottom);
  const down = Math.min(above, Math.max(below, 0));
  return across.x === view.x && down === 0 ? view : { ...across, y: view.y - down };
}

/** Zoom by `factor` with the world point under the screen point `at` fixed.
 * @param {Viewport} view @param {number} factor @param {Point} at @returns {Viewport} */
export function zoomAt(view, factor, [x, y]) {
  const k = clamp(view.k * factor, Math.min(SCALE.min, view.k), SCALE.max);
  return { x: x - ((x - view.x) * k) / view.k, y: y - ((y - view.y) * k) / view.k, k };
}

/** The scale of a view and the point in the middle of a canvas of this size.
 * @param {Viewport} view @param {{ w: number, h: number }} size @returns {{ k: number, x: number, y: number }} */
export const placeOf = ({ x, y, k }, { w, h }) => ({ k, x: (w / 2 - x) / k, y: (h / 2 - y) / k });

/** The view with this scale and this point in the middle; the inverse of `placeOf`.
 * @param {{ k: number, x: number, y: number }} place @param {{ w: number, h: number }} size @returns {Viewport} */
export function viewOf(place, { w, h }) {
  const k = clamp(place.k, SCALE.whole, SCALE.max);
  return { x: w / 2 - k * place.x, y: h / 2 - k * place.y, k };
}

/** @param {Viewport} view @param {Point} screen @returns {Point} */
export const toWorld = (view, [x, y]) => [(x - view.x) / view.k, (y - view.y) / view.k];

/** @param {Viewport} view @param {Point} world @returns {Point} */
export const toScreen = (view, [x, y]) => [x * view.k + view.x, y * view.k + view.y];

/** The nearest node from `from` in the direction of an arrow key, or null.
 * @template {Box} T @param {T[]} nodes @param {Box} from @param {Point} direction @returns {T | null} */
export function neighbour(nodes, from, [dx, dy]) {
  let best = null;
  let least = Infinity;
  for (const node of nodes) {
    const x = node.x + node.w / 2 - from.x - from.w / 2;
    const y = node.y + node.h / 2 - from.y - from.h / 2;
    const ahead = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (ahead > 1 && ahead + 2 * aside < least) [best, least] = [node, ahead + 2 * aside];
  }
  return best;
}

/** The free place nearest to `at` for a new box, searching straight down and up.
 * @param {Box[]} boxes @param {Point} at @param {{ w: number, h: number }} size @returns {Point} */
export function freeSpot(boxes, [x, y], size) {
  const taken = (/** @type {number} */ top) =>
    boxes.find((other) => overlap(padded(other, 20), { x, y: top, ...size }));
  let [below, above] = [y, y];
  for (let hit = taken(below); hit; hit = taken(below)) below = hit.y + hit.h + 21;
  for (let hit = taken(above); hit; hit = taken(above)) above = hit.y - size.h - 21;
  return [Math.round(x), Math.round(below - y <= y - above ? below : above)];
}

// The outline of a checkpoint region: a box if it contains only the region's nodes, else a stepped shape that
// leaves the other nodes outside.

/** Corners of a closed shape around `members`, `pad` pixels away from them.
 * @param {Box[]} members @param {Box[]} others nodes that must stay outside, where possible
 * @param {number} pad @returns {Point[]} */
export function outlineOf(members, others, pad) {
  const around = bounds(members);
  if (!around) return [];
  const box = padded(around, pad);
  if (!others.some((other) => overlap(other, box))) return corners(box);
  return stepped(members.map((member) => padded(member, pad)));
}

/** Whether a point is inside the shape, by the even-odd rule. @param {Point[]} shape @param {Point} point */
export function contains(shape, [x, y]) {
  const crossed = shape.filter(([x1, y1], i) => {
    const [x2, y2] = shape.at(i - 1) ?? shape[0];
    return y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1;
  });
  return crossed.length % 2 === 1;
}

/** Bounding box of a shape. @param {Point[]} shape @returns {Box} */
export const outerBox = (shape) =>
  bounds(shape.map(([x, y]) => ({ x, y, w: 0, h: 0 }))) ?? { x: 0, y: 0, w: 0, h: 0 };

/** Nodes outside the region that overlap the shape: holes are cut around them.
 * @param {Point[]} shape @param {Box[]} others @param {number} pad @returns {Box[]} */
export function overlappingOutsiders(shape, others, pad) {
  const around = outerBox(shape);
  return others
    .map((other) => padded(other, pad))
    .filter(
      (box) =>
        overlap(box, around) &&
        (corners(box).some((corner) => contains(shape, corner)) ||
          shape.some((corner) => contains(corners(box), corner))),
    );
}

/** @param {Box} box @returns {Point[]} */
const corners = ({ x, y, w, h }) => [
  [x, y],
  [x + w, y],
  [x + w, y + h],
  [x, y + h],
];

/** A shape with one top and one bottom at every x: each strip between two edges is as tall as the boxes in it; an
 * empty strip joins its neighbours.
 * @param {Box[]} boxes @returns {Point[]} */
function stepped(boxes) {
  const edges = [...new Set(boxes.flatMap((box) => [box.x, box.x + box.w]))].sort((a, b) => a - b);
  const strips = edges.slice(1).map((right, i) => {
    const inside = boxes.filter((box) => box.x < right && box.x + box.w > edges[i]);
    return { left: edges[i], right, ...span(inside) };
  });
  const solid = strips.map((strip, i) => {
    if (strip.top < strip.bottom) return strip;
    const sides = [strips[i - 1], strips[i + 1]];
    return {
      ...strip,
      top: Math.min(...sides.map((s) => s.top)),
      bottom: Math.max(...sides.map((s) => s.bottom)),
    };
  });
  /** @type {Point[]} */
  const top = solid.flatMap((s) => [
    [s.left, s.top],
    [s.right, s.top],
  ]);
  /** @type {Point[]} */
  const bottom = solid.flatMap((s) => [
    [s.left, s.bottom],
    [s.right, s.bottom],
  ]);
  return straightened([...top, ...bottom.reverse()]);
}

/** @param {Box[]} boxes */
const span = (boxes) => ({
  top: Math.min(...boxes.map((box) => box.y)),
  bottom: Math.max(...boxes.map((box) => box.y + box.h)),
});

/** Remove the points on a straight line between their neighbours.
 * @param {Point[]} points */
const straightened = (points) =>
  points.filter(([x, y], i) => {
    const before = points.at(i - 1) ?? points[0];
    const after = points[(i + 1) % points.length];
    return !((before[0] === x && x === after[0]) || (before[1] === y && y === after[1]));
  });

/** An SVG path through the corners, each rounded by at most `radius`.
 * @param {Point[]} points @param {number} radius */
export function roundedPath(points, radius) {
  const pieces = points.map((corner, i) => {
    const enter = toward(corner, points.at(i - 1) ?? corner, radius);
    const leave = toward(corner, points[(i + 1) % points.length], radius);
    return `${i ? "L" : "M"}${enter.join(" ")}Q${corner.join(" ")} ${leave.join(" ")}`;
  });
  return pieces.length ? `${pieces.join("")}Z` : "";
}

/** @param {Point} from @param {Point} to @param {number} radius @returns {Point} */
function toward(from, to, radius) {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const part = Math.min(radius, length / 2) / length;
  return [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
}

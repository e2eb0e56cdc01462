// @ts-check
// Outline a checkpoint region: a box if it contains only the region's nodes, else a stepped shape that leaves
// the other nodes outside. Numbers only.

import { bounds, overlap, padded } from "../geometry.js";

/** @typedef {import("../../types.js").Point} Point */
/** @typedef {import("../../types.js").Box} Box */

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
export function strangers(shape, others, pad) {
  const around = outerBox(shape);
  return others.map((other) => padded(other, pad)).filter((box) =>
    overlap(box, around) && (corners(box).some((corner) => contains(shape, corner)) || shape.some((corner) => contains(corners(box), corner))));
}

/** @param {Box} box @returns {Point[]} */
const corners = ({ x, y, w, h }) => [[x, y], [x + w, y], [x + w, y + h], [x, y + h]];

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
    return { ...strip, top: Math.min(...sides.map((s) => s.top)), bottom: Math.max(...sides.map((s) => s.bottom)) };
  });
  /** @type {Point[]} */
  const top = solid.flatMap((s) => [[s.left, s.top], [s.right, s.top]]);
  /** @type {Point[]} */
  const bottom = solid.flatMap((s) => [[s.left, s.bottom], [s.right, s.bottom]]);
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

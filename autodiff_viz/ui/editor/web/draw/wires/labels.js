// @ts-check
// Place labels: find a place for each wire's number that covers no node and no other number. Numbers only.

import { overlap, pointAt } from "../geometry.js";
import { textWidth } from "../text/measure.js";

/** @typedef {import("../../types.js").Point} Point */
/** @typedef {import("../../types.js").Box} Box */
/** @typedef {import("../../types.js").Cubic} Cubic */
/** @typedef {{ id: string, curve: Cubic[], text: string, weight: number, size?: number, early?: boolean }} Label
 * `size`: px of its font; `early`: it stands near the beginning of its wire */
/** @typedef {{ t: number, side: 1 | -1 }} Place how far along its wire, and whether above it (1) or below (-1) */

const CLEAR = 14 / 13; // from the middle of a wire to the middle of its number, of the font's size
const TALL = 16 / 13; // height of a number
const STEP = 12; // px between the sampled points of a wire
const CELL = 100; // px of a cell of the spatial hash; each box is looked up only in the cells that it touches
const ALONG = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.14, 0.86];

/** @type {Place} */
export const USUAL = { t: 0.5, side: 1 };
/** @type {Place[]} best first */
const PLACES = ALONG.flatMap((t) => [{ t, side: /** @type {1} */ (1) }, { t, side: /** @type {-1} */ (-1) }]);

/** @type {Place[]} those of a label near the beginning of its wire, where no other one comes in */
const EARLY = [0.3, 0.4, 0.22, 0.5, 0.14].flatMap((t) => [{ t, side: /** @type {1} */ (1) }, { t, side: /** @type {-1} */ (-1) }]);

const SIZE = 13; // px

/** @param {string} text @param {number} size */
const labelWidth = (text, size) => textWidth(text, size) * 1.06 + 6;

/** Greedy placement in the order of contribution size, the largest first. A label never covers an obstacle or
 * another label, and crosses a wire only if every place does. A label without a free place is left out. If there are
 * such labels, they are placed first in a second attempt, which counts if fewer are left out, or fewer wires crossed.
 * @param {Label[]} labels @param {Box[]} obstacles @param {Cubic[][]} wires @returns {Map<string, Place>} */
export function placeLabels(labels, obstacles, wires) {
  const crossed = grid(wires.flatMap(pointsOf));
  const ordered = [...labels].sort((a, b) => b.weight - a.weight);
  const first = attempt(ordered, obstacles, crossed);
  if (!first.poor.size) return first.places;
  const isPoor = (/** @type {Label} */ { id }) => first.poor.has(id);
  const poorFirst = [...ordered.filter(isPoor), ...ordered.filter((label) => !isPoor(label))];
  const second = attempt(poorFirst, obstacles, crossed);
  const isBetter = second.places.size - first.places.size || first.crossings - second.crossings;
  return (isBetter > 0 ? second : first).places;
}

/** Place labels one after the other. `poor`: those that cross a wire or are left out; `crossings`: sampled points of wires
 * that labels cover.
 * @param {Label[]} labels @param {Box[]} obstacles @param {ReturnType<typeof grid>} crossed */
function attempt(labels, obstacles, crossed) {
  const taken = grid(obstacles);
  /** @type {Map<string, Place>} */
  const places = new Map();
  const poor = new Set();
  let crossings = 0;
  for (const label of labels) {
    const free = (label.early ? EARLY : PLACES).filter((place) => !taken.hits(boxAt(label, place), 1));
    const cost = (/** @type {Place} */ place) => crossed.hits(boxAt(label, place), Infinity);
    const place = least(free, cost);
    if (!place || cost(place)) poor.add(label.id);
    if (!place) continue;
    crossings += cost(place);
    places.set(label.id, place);
    taken.add(boxAt(label, place));
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
  return [point[0] + side * Math.sign(Math.cos(slope) || 1) * right * away, point[1] + side * up * CLEAR * size];
}

/** @param {Label} label @param {Place} place @returns {Box} */
function boxAt({ curve, text, size = SIZE }, place) {
  const [x, y] = labelPoint(curve, place, text, size);
  const [w, h] = [labelWidth(text, size), TALL * size];
  return { x: x - w / 2, y: y - h / 2, w, h };
}

/** Small boxes along a wire. @param {Cubic[]} curve @returns {Box[]} */
function pointsOf(curve) {
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

/** Spatial hash: boxes by the cells that they touch. @param {Box[]} boxes */
function grid(boxes) {
  /** @type {Map<string, Box[]>} */
  const cells = new Map();
  const add = (/** @type {Box} */ box) => {
    for (const key of cellsOf(box)) {
      const cell = cells.get(key);
      if (cell) cell.push(box);
      else cells.set(key, [box]);
    }
  };
  /** Number of boxes that overlap `box`, counted up to `most`; one in two cells may count twice. */
  const hits = (/** @type {Box} */ box, /** @type {number} */ most) => {
    let count = 0;
    for (const key of cellsOf(box)) for (const other of cells.get(key) ?? []) {
      if (overlap(other, box) && ++count >= most) return count;
    }
    return count;
  };
  boxes.forEach(add);
  return { add, hits };
}

/** @param {Box} box */
function cellsOf(box) {
  const keys = [];
  for (let i = Math.floor(box.x / CELL); i <= Math.floor((box.x + box.w) / CELL); i++)
    for (let j = Math.floor(box.y / CELL); j <= Math.floor((box.y + box.h) / CELL); j++) keys.push(`${i},${j}`);
  return keys;
}

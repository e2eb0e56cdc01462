// @ts-check
// Where the number of each wire can stand without covering a node or another number. Numbers only.

import { overlap, pointAt } from "./geometry.js";
import { textWidth } from "./measure.js";

/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./types.js").Box} Box */
/** @typedef {import("./types.js").Cubic} Cubic */
/** @typedef {{ id: string, curve: Cubic[], text: string, weight: number }} Label */

const PLACES = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78];
const CLEAR = 14; // px between the middle of a wire and of its number
const CELL = 200; // px; each box is looked up only in the cells that it touches

/** @param {string} text */
const labelWidth = (text) => textWidth(text, 13) + 8;

/** The place (0 to 1 along its wire) of every label that finds one; big contributions choose first.
 * @param {Label[]} labels @param {Box[]} obstacles @returns {Map<string, number>} */
export function placeLabels(labels, obstacles) {
  const taken = grid(obstacles);
  /** @type {Map<string, number>} */
  const places = new Map();
  for (const label of [...labels].sort((a, b) => b.weight - a.weight)) {
    const place = PLACES.find((t) => taken.free(boxAt(label, t)));
    if (place === undefined) continue;
    places.set(label.id, place);
    taken.add(boxAt(label, place));
  }
  return places;
}

/** Middle of the number: beside the wire, above it where the wire is level.
 * @param {Cubic[]} curve @param {number} t @param {string} text @returns {Point} */
export function labelPoint(curve, t, text) {
  const { point, angle } = pointAt(curve, t);
  const slope = (angle * Math.PI) / 180;
  const [right, up] = [Math.sin(slope), -Math.abs(Math.cos(slope))];
  const away = CLEAR + (Math.abs(right) * labelWidth(text)) / 2;
  return [point[0] + Math.sign(Math.cos(slope) || 1) * right * away, point[1] + up * CLEAR];
}

/** @param {Label} label @param {number} t @returns {Box} */
function boxAt({ curve, text }, t) {
  const [x, y] = labelPoint(curve, t, text);
  const w = labelWidth(text);
  return { x: x - w / 2, y: y - 8, w, h: 16 };
}

/** @param {Box[]} boxes */
function grid(boxes) {
  /** @type {Map<string, Box[]>} */
  const cells = new Map();
  const add = (/** @type {Box} */ box) => {
    for (const key of cellsOf(box)) cells.set(key, [...(cells.get(key) ?? []), box]);
  };
  boxes.forEach(add);
  const free = (/** @type {Box} */ box) =>
    cellsOf(box).every((key) => !(cells.get(key) ?? []).some((other) => overlap(other, box)));
  return { add, free };
}

/** @param {Box} box */
function cellsOf(box) {
  const keys = [];
  for (let i = Math.floor(box.x / CELL); i <= Math.floor((box.x + box.w) / CELL); i++)
    for (let j = Math.floor(box.y / CELL); j <= Math.floor((box.y + box.h) / CELL); j++) keys.push(`${i},${j}`);
  return keys;
}

// @ts-check
// Find the boxes of a drawing that overlap another one, by the cells that they touch (a spatial hash). Pure.

import { overlap } from "./geometry.js";

/** @typedef {import("../../types.js").Box} Box */

const CELL = 100; // px

/** @param {Box[]} boxes */
export function grid(boxes) {
  /** @type {Map<string, Box[]>} */
  const cells = new Map();
  const add = (/** @type {Box} */ box) => {
    for (const key of cellsOf(box)) {
      const cell = cells.get(key);
      if (cell) cell.push(box);
      else cells.set(key, [box]);
    }
  };
  /** The boxes in the cells that `box` touches, once each. */
  const near = (/** @type {Box} */ box) =>
    new Set(cellsOf(box).flatMap((key) => cells.get(key) ?? []));
  /** Number of boxes that overlap `box`, counted up to `most`; one in two cells may count twice. That box itself does not count
   * which is `but`. */
  const hits = (
    /** @type {Box} */ box,
    /** @type {number} */ most,
    /** @type {Box} */ but = box,
  ) => {
    let count = 0;
    for (const key of cellsOf(box))
      for (const other of cells.get(key) ?? []) {
        if (other !== but && overlap(other, box) && ++count >= most) return count;
      }
    return count;
  };
  boxes.forEach(add);
  return { add, hits, near };
}

/** @param {Box} box */
function cellsOf(box) {
  const keys = [];
  for (let i = Math.floor(box.x / CELL); i <= Math.floor((box.x + box.w) / CELL); i++)
    for (let j = Math.floor(box.y / CELL); j <= Math.floor((box.y + box.h) / CELL); j++)
      keys.push(`${i},${j}`);
  return keys;
}

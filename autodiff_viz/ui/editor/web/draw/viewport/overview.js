// @ts-check
// Compute the limits of the view, and the path of the minimap. Numbers only.

import { clamp, overlap } from "../geometry.js";

/** @typedef {import("../../types.js").Box} Box */
/** @typedef {import("../../types.js").Viewport} Viewport */
/** @typedef {{ w: number, h: number }} Size */

const KEPT = 90; // px of the drawing that stay in view

/** The view, moved by the least amount that keeps part of the content in view.
 * @param {Viewport} view @param {Box | null} content @param {Size} size @returns {Viewport} */
export function kept(view, content, size) {
  if (!content || !size.w || !size.h) return view;
  const x = within(view.x, content.x * view.k, content.w * view.k, size.w);
  const y = within(view.y, content.y * view.k, content.h * view.k, size.h);
  return x === view.x && y === view.y ? view : { ...view, x, y };
}

/** @param {number} shift @param {number} from @param {number} length @param {number} room */
function within(shift, from, length, room) {
  const least = Math.min(KEPT, length, room / 2);
  return clamp(shift, least - from - length, room - least - from);
}

/** The part of the world that is in view. @param {Viewport} view @param {Size} size @returns {Box} */
export const seen = ({ x, y, k }, { w, h }) => ({ x: -x / k, y: -y / k, w: w / k, h: h / k });

/** The sides on which content is out of view; bars cover `foot` px at the bottom.
 * @param {Viewport} view @param {Box | null} content @param {Size} size @param {number} foot @returns {string} */
export function beyond(view, content, size, foot) {
  if (!content) return "";
  const [left, top] = [content.x * view.k + view.x, content.y * view.k + view.y];
  const [right, bottom] = [left + content.w * view.k, top + content.h * view.k];
  const sides = [left < -8 && "left", right > size.w + 8 && "right", top < -8 && "top", bottom > size.h - foot && "bottom"];
  return sides.filter(Boolean).join(" ");
}

/** All nodes as one path. @param {Box[]} nodes */
export const boxesPath = (nodes) =>
  nodes.map(({ x, y, w, h }) => `M${Math.round(x)} ${Math.round(y)}h${Math.round(w)}v${Math.round(h)}h${-Math.round(w)}z`).join("");

/** @typedef {"right bottom" | "left bottom" | "right top" | "left top"} Corner */
/** @type {Corner[]} best first */
const CORNERS = ["right bottom", "left bottom", "right top", "left top"];

/** The corner of `room` in which a box of this size covers none of the nodes: the one where it has been, if that is free.
 * @param {Box} room @param {Size} size px on the screen @param {Box[]} nodes of the world @param {Viewport} view
 * @param {Corner | null} been @returns {(Box & { corner: Corner }) | null} */
export function freeCorner(room, size, nodes, view, been) {
  const order = been ? [been, ...CORNERS.filter((corner) => corner !== been)] : CORNERS;
  for (const corner of order) {
    const x = corner.startsWith("left") ? room.x : room.x + room.w - size.w;
    const y = corner.endsWith("top") ? room.y : room.y + room.h - size.h;
    const under = { x: (x - view.x) / view.k, y: (y - view.y) / view.k, w: size.w / view.k, h: size.h / view.k };
    if (room.h >= size.h && !nodes.some((node) => overlap(node, under))) return { x, y, ...size, corner };
  }
  return null;
}

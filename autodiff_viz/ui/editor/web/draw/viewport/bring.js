// @ts-check
// Move the view to nodes that are pointed at elsewhere: not at all if they are in view, by the least amount at
// the same scale if they are not, and nearer only where they are too small to be recognised. Pure.

import { bounds, overlap, padded } from "../geometry.js";

/** @typedef {import("../../types.js").Box} Box */
/** @typedef {import("../../types.js").Viewport} Viewport */
/** @typedef {{ w: number, h: number }} Size */
/** @typedef {{ top: number, bottom: number, left: number, right: number }} Margins px of the canvas that its bars cover */

const ROUND = 12; // px of the world around a node

/** @param {Viewport} view @param {Box[]} boxes the first is shown where not all have room @param {Size} size of the canvas
 * @param {Margins} margins @param {number} least scale @param {Box} [cover] px that a popover covers, at the right edge or along the top
 * @returns {Viewport | null} null for the present view */
export function bringing(view, boxes, size, margins, least, cover) {
  const whole = bounds(boxes);
  if (!whole) return null;
  const [first] = boxes;
  const isHidden = (/** @type {Box} */ box) => within(view, box, size, margins) || (cover && overlap(cover, onScreen(view, box)));
  if (view.k >= least && !isHidden(whole)) return null;
  const clear = cover ? beside(margins, cover, size) : margins;
  const room = { w: Math.max(size.w - clear.left - clear.right, 1), h: Math.max(size.h - clear.top - clear.bottom, 1) };
  const most = Math.min(room.w / (whole.w + 2 * ROUND), room.h / (whole.h + 2 * ROUND));
  const fits = most >= view.k;
  const box = padded(fits ? whole : first, ROUND);
  if (view.k < least) return centred(box, room, clear, fits ? Math.min(least, most) : least);
  return fits || boxes.every(isHidden) ? within(view, box, size, clear) : null;
}

/** @param {Viewport} view @param {Box} box @returns {Box} */
const onScreen = ({ x, y, k }, box) => ({ x: box.x * k + x, y: box.y * k + y, w: box.w * k, h: box.h * k });

/** The margins with what a popover covers: the side that it stands at, or the top if it is as wide as the canvas.
 * @param {Margins} margins @param {Box} cover @param {Size} size @returns {Margins} */
const beside = (margins, { x, y, w, h }, size) =>
  w > size.w / 2 ? { ...margins, top: Math.max(margins.top, y + h) } : { ...margins, right: Math.max(margins.right, size.w - x) };

/** The view at a scale, with a box in the middle of the room.
 * @param {Box} box @param {Size} room @param {Margins} margins @param {number} k */
const centred = (box, room, { left, top }, k) =>
  ({ x: left + room.w / 2 - (box.x + box.w / 2) * k, y: top + room.h / 2 - (box.y + box.h / 2) * k, k });

/** The view, moved by the least amount that shows a box; null if it does.
 * @param {Viewport} view @param {Box} box @param {Size} size @param {Margins} margins */
export function within(view, box, { w, h }, { top, bottom, left, right }) {
  const x = view.x + into(box.x * view.k + view.x, box.w * view.k, left, w - right);
  const y = view.y + into(box.y * view.k + view.y, box.h * view.k, top, h - bottom);
  return x === view.x && y === view.y ? null : { ...view, x, y };
}

/** The least shift that brings an interval between two limits, its start first.
 * @param {number} at @param {number} length @param {number} low @param {number} high */
const into = (at, length, low, high) => (at < low ? low - at : Math.max(Math.min(0, high - at - length), low - at));

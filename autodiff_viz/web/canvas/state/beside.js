// @ts-check
// Find a place beside a box for what is said of it, clear of cards, numbers and chips. Pure.

import { overlap, padded } from "./geometry.js";

/** @typedef {import("../../types.js").Box} Box */

const FAR = 6; // heights of a chip within which a place is sought
const [ACROSS, DOWN] = [0.25, 0.25]; // steps of the search, of a chip's width and height
const CROSSED = 0.35; // cost of a sampled point of a wire that is covered, in heights of a chip
const ABOVE = 0.3; // cost of a place that is not below, where it usually is
const ASIDE = 0.2; // cost of a place that is half a card and half a chip to the left or the right
const AMISS = 3; // cost of a place that is nearer to another card, of which it would be read
const [COVERED, OUTSIDE] = [100, 24]; // cost of something that is covered, and of a place that is not in view

/** The place of a box beside another one that it is about: it covers none of `covers` and stays in `room` where it can, crosses
 * few wires, and is near. Pure.
 * @param {Box} about @param {{ w: number, h: number }} size @param {Box[]} covers @param {(box: Box) => number} crossings sampled
 * points of wires under a box @param {Box | null} room @param {number} apart @param {Box[]} others cards that it is not about
 * @returns {Box} */
export function freeBeside(about, size, covers, crossings, room, apart, others = []) {
  const { w, h } = size;
  const near = { x: about.x + (about.w - w) / 2, y: about.y + about.h + apart, w, h };
  const reach = padded(about, FAR * h);
  const rivals = covers.filter((box) => overlap(box, padded(reach, w)));
  const beside = others.filter((box) => overlap(box, padded(reach, w)));
  let [best, lowest] = [near, Infinity];
  for (let y = about.y - (FAR + 1) * h; y <= about.y + about.h + FAR * h; y += DOWN * h)
    for (let x = about.x - w - 2 * h; x <= about.x + about.w + 2 * h; x += ACROSS * w) {
      const box = { x, y, w, h };
      const off = Math.abs(x + w / 2 - about.x - about.w / 2) / (about.w + w);
      const gap = distance(about, box);
      const away = gap / h + (y >= about.y + about.h ? 0 : ABOVE) + 2 * ASIDE * off;
      if (away >= lowest) continue;
      const spare = padded(box, apart);
      const hit = rivals.filter((other) => overlap(other, spare)).length;
      const outside = room && !isWithin(room, box) ? OUTSIDE : 0;
      const amiss = beside.some((other) => distance(other, box) <= gap) ? AMISS : 0;
      const cost = away + amiss + COVERED * hit + outside + CROSSED * crossings(box);
      if (cost < lowest) [best, lowest] = [box, cost];
    }
  return best;
}

/** Px between two boxes; 0 where they overlap. @param {Box} a @param {Box} b */
export const distance = (a, b) =>
  Math.hypot(
    Math.max(0, b.x - a.x - a.w, a.x - b.x - b.w),
    Math.max(0, b.y - a.y - a.h, a.y - b.y - b.h),
  );

/** @param {Box} outer @param {Box} inner */
export const isWithin = (outer, inner) =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.w <= outer.x + outer.w &&
  inner.y + inner.h <= outer.y + outer.h;

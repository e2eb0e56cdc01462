// @ts-check
// Margins of the canvas that a fitted drawing leaves free: what its bars cover.

import { CLEAR } from "./geometry.js";

const GAP = 8; // px between a bar and the drawing
const BARS = ".bar, .legend-line"; // rows across the canvas, at its top or its foot

/** The margins, measured at most once for a frame. @type {WeakMap<Element, typeof CLEAR>} */
const known = new WeakMap();

/** @param {HTMLElement} host @returns {typeof CLEAR} */
export function clearOf(host) {
  const found = known.get(host) ?? marginsOf(host);
  if (!known.has(host)) requestAnimationFrame(() => known.delete(host));
  known.set(host, found);
  return found;
}

/** @param {HTMLElement} host */
function marginsOf(host) {
  const all = { ...CLEAR };
  const whole = (host.querySelector(".surface") ?? host).getBoundingClientRect();
  for (const bar of host.querySelectorAll(BARS)) {
    const { top, bottom, height } = bar.getBoundingClientRect();
    if (!height) continue; // hidden
    if (top + bottom < whole.top + whole.bottom) all.top = Math.max(all.top, bottom - whole.top + GAP);
    else all.bottom = Math.max(all.bottom, whole.bottom - top + GAP);
  }
  return all;
}

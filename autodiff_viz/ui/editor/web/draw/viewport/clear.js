// @ts-check
// Measure the margins of the canvas that a fitted drawing leaves free: what its bars cover.

import { CLEAR } from "../geometry.js";

const GAP = 8; // px between a bar and the drawing
const PHONE = 480, NEAR = 10; // px: of a narrow canvas, every one counts
const BARS = ".bar, .legend-line"; // rows across the canvas, at its top or its foot

/** Margins by canvas, and the bars that were shown: to measure them takes a layout, too much for every frame of a pan.
 * @type {WeakMap<Element, { shown: string, margins: typeof CLEAR }>} */
const known = new WeakMap();

/** @param {HTMLElement} host @returns {typeof CLEAR} */
export function clearOf(host) {
  const bars = /** @type {HTMLElement[]} */ ([...host.querySelectorAll(BARS)]);
  const shown = bars.map(({ hidden }) => Number(hidden)).join("");
  const found = known.get(host);
  if (found?.shown === shown) return found.margins;
  const margins = marginsOf(host, bars);
  known.set(host, { shown, margins });
  return margins;
}

/** Measure again: the canvas has another size. @param {HTMLElement} host */
export const forgetClear = (host) => void known.delete(host);

/** @param {HTMLElement} host @param {HTMLElement[]} bars */
function marginsOf(host, bars) {
  const whole = (host.querySelector(".surface") ?? host).getBoundingClientRect();
  const all = { ...CLEAR, side: whole.width < PHONE ? NEAR : CLEAR.side };
  for (const bar of bars) {
    const { top, bottom, height } = bar.getBoundingClientRect();
    if (!height) continue; // not shown
    if (top + bottom < whole.top + whole.bottom) all.top = Math.max(all.top, bottom - whole.top + GAP);
    else all.bottom = Math.max(all.bottom, whole.bottom - top + GAP);
  }
  return all;
}

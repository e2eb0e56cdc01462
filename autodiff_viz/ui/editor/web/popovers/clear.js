// @ts-check
// Find the spot of a popover that covers as little as possible: above all not what it is about, and other cards only
// where there is no room elsewhere nearby. Pure.

/** @typedef {import("../types.js").Box} Box */
/** @typedef {import("../types.js").Point} Point */

const STEP = 12; // px between the spots that are tried
const EDGE = 8; // px to the side of the canvas
const GAP = 10; // px around cards, in which their names and numbers of wires stand
const OWN = 40; // how much worse it is to cover what the popover is about than another card
const FAR = 12; // px² of a card that may be covered to be a px nearer

/** Px² that two boxes share. @param {Box} a @param {Box} b */
const shared = (a, b) => Math.max(0, Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)) * Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));

/** @param {Box} box @returns {Box} */
const around = ({ x, y, w, h }) => ({ x: x - GAP, y: y - GAP, w: w + 2 * GAP, h: h + 2 * GAP });

/** The top-left corner, in px of the canvas.
 * @param {{ w: number, h: number }} size of the popover @param {{ w: number, h: number }} canvas @param {Point} at where it would be without any card
 * @param {Box[]} own what it is about @param {Box[]} others @returns {Point} */
export function clearSpot({ w, h }, canvas, [x, y], own, others) {
  const [right, bottom] = [Math.max(canvas.w - w - EDGE, EDGE), Math.max(canvas.h - h - EDGE, EDGE)];
  const [wanted, kept, beside] = [{ x: Math.min(Math.max(x, EDGE), right), y: Math.min(Math.max(y, EDGE), bottom) }, own.map(around), others.map(around)];
  const cost = (/** @type {number} */ left, /** @type {number} */ top) => {
    const box = { x: left, y: top, w, h };
    const sum = (/** @type {Box[]} */ boxes) => boxes.reduce((all, other) => all + shared(box, other), 0);
    return OWN * sum(kept) + sum(beside) + FAR * Math.hypot(left - wanted.x, top - wanted.y);
  };
  let best = { left: wanted.x, top: wanted.y, cost: cost(wanted.x, wanted.y) };
  for (const left of spots(right)) for (const top of spots(bottom)) {
    const found = cost(left, top);
    if (found < best.cost) best = { left, top, cost: found };
  }
  return [best.left, best.top];
}

/** @param {number} last px @returns {number[]} */
const spots = (last) => [...Array(Math.floor((last - EDGE) / STEP) + 1).keys()].map((i) => EDGE + i * STEP).concat(last);

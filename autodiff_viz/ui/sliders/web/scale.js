// @ts-check
// Map a slider to its scale, and parse and format its number. Pure.

const STEPS = 1000; // steps of a slider
const COARSE = 10; // slider steps per press of an arrow key in the box
const DIGITS = 7; // significant digits of a float32

/** @param {number} low @param {number} high */
export const stepOf = (low, high) => (high - low) / STEPS;

/** A number as its box shows it. @param {number} value */
export const shown = (value) => String(Number(value.toPrecision(DIGITS)));

/** Parse a typed number; null if it is none, or beyond the limit. @param {string} text @param {number} limit */
export function read(text, limit) {
  const typed = text.trim().replace(/^\u2212/, "-");
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed) ? Number(typed) : NaN;
  return Math.abs(value) <= limit ? value : null;
}

/** The value after presses of an arrow key in the box.
 * @param {number} value @param {number} step of the slider @param {number} times */
export function stepped(value, step, times) {
  const next = value + times * COARSE * step;
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(COARSE * step))); // no 0.30000000000000004
  return decimals > 100 ? next : Number(next.toFixed(decimals));
}

/** The position of a slider that is nearest to a value. @param {number} value @param {number} low @param {number} high */
export function onGrid(value, low, high) {
  const step = stepOf(low, high);
  const next = low + Math.round((Math.min(Math.max(value, low), high) - low) / step) * step;
  return Number(next.toPrecision(12)); // no 0.30000000000000004
}

/** The coloured part of the slider, from zero (or the end nearest to zero) to the value, in percent.
 * @param {number} value @param {number} low @param {number} high @returns {[number, number]} */
export function filled(value, low, high) {
  const percent = (/** @type {number} */ x) => (100 * (Math.min(Math.max(x, low), high) - low)) / (high - low);
  const ends = [percent(0), percent(value)];
  return [Math.min(...ends), Math.max(...ends)];
}

// @ts-check
// Format numbers that Python has not formatted, while a slider is dragged: a port of views/numbers.py,
// views/canvas/cards.py and views/canvas/drawing.py. Pure; a test compares both.

import { shared } from "../../../../web/constants.js";

const { minus: MINUS, vector: VECTOR, decades: DECADES } = shared;
const SPACE = { digit: "\u2007", point: "\u2008" }; // as wide as a digit and as a point

/** `digits` significant digits; powers of ten outside 1e-4 to 1e6. @param {number} number @param {number} digits */
export function scalar(number, digits = 4) {
  if (Number.isNaN(number)) return "NaN";
  const sign = number < 0 ? MINUS : "";
  const size = Math.abs(number);
  if (size === Infinity) return `${sign}\u221e`;
  if (size === 0) return "0";
  if (isPlain(size, digits)) return sign + String(Number(rounded(size, digits)));
  const [mantissa, exponent] = rounded(size, Math.max(digits - 2, 1) + 1).split("e");
  return `${sign}${trimmed(mantissa)}e${Number(exponent)}`.replace("e-", `e${MINUS}`);
}

/** @param {number} size @param {number} digits */
const isPlain = (size, digits) => size >= 1e-4 && size < 10 ** Math.max(digits, 6);

/** @param {string} mantissa */
const trimmed = (mantissa) => (mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa);

/** "d.ddde±x" with this many digits, rounded half to even as in Python: JavaScript rounds a half up.
 * @param {number} size @param {number} digits */
function rounded(size, digits) {
  const usual = size.toExponential(digits - 1);
  if (!/5e/.test(size.toExponential(digits))) return usual;
  const [mantissa, exponent] = size.toExponential(100).split("e"); // exact: no half between two doubles has more digits
  const kept = mantissa.slice(0, digits > 1 ? digits + 1 : 1);
  const isHalf = /^\.?50*$/.test(mantissa.slice(kept.length));
  return isHalf && "02468".includes(kept.at(-1) ?? "") ? `${kept}e${exponent}` : usual;
}

/** As `scalar`, with spaces in place of omitted trailing zeros, so that digits keep their places while the number
 * changes.
 * @param {number} number @param {number} digits */
export function steady(number, digits = 4) {
  const text = scalar(number, digits);
  const size = Math.abs(number);
  if (!Number.isFinite(number) || !size || !isPlain(size, digits)) return text;
  const whole = Math.max(digits - 1 - Number(rounded(size, digits).split("e")[1]), 0);
  const shown = text.split(".")[1]?.length ?? 0;
  return text + (whole && !shown ? SPACE.point : "") + SPACE.digit.repeat(Math.max(whole - shown, 0));
}

/** A scalar; a short vector with as many digits as fit; for any other tensor its Euclidean norm.
 * @param {number} kind 0 a scalar, -1 (norm, sign), else how many numbers of a vector
 * @param {ArrayLike<number>} numbers @param {number} digits @param {typeof scalar} write */
export function numberText(kind, numbers, digits = 4, write = scalar) {
  if (kind === 0) return write(numbers[0], digits);
  if (kind < 0) return `\u2016${scalar(numbers[0], 3)}\u2016`;
  const texts = [3, 2].map((few) => `[${Array.from(numbers, (number) => scalar(number, few)).join(", ")}]`);
  return texts.find((text) => text.length <= VECTOR) ?? `\u2016${scalar(normOf(kind, numbers), 3)}\u2016`;
}

/** @param {number} kind @param {ArrayLike<number>} numbers */
export const normOf = (kind, numbers) =>
  kind < 0 ? numbers[0] : Math.sqrt(Array.from(numbers).reduce((sum, number) => sum + number * number, 0));

/** Thickness of a wire from 0 to 1: 0 for nothing, 1 for the largest contribution, even steps per decade.
 * @param {number} size @param {number} largest of all wires */
export function widthOf(size, largest) {
  if (size === 0) return 0;
  if (!Number.isFinite(size) || largest === 0) return 1;
  return Number(Math.min(1, Math.max(0.06, 1 + Math.log10(size / largest) / DECADES)).toFixed(3));
}

/** Sign: -1, 0 or 1; 2 for a tensor with both signs, or with NaN.
 * @param {number} kind @param {ArrayLike<number>} numbers */
export function signOf(kind, numbers) {
  if (kind < 0) return numbers[1];
  const all = Array.from(numbers);
  if (all.some(Number.isNaN)) return 2;
  const [positive, negative] = [all.some((number) => number > 0), all.some((number) => number < 0)];
  return positive && negative ? 2 : Number(positive) - Number(negative);
}

// @ts-check
// Format numbers that Python has not formatted, while a slider is dragged: a port of display/numbers.py,
// canvas/cards.py and canvas/drawing.py. Pure; a test compares both.

import { shared } from "./constants.js";

// -- Estimate a text's width from average letter widths, without a layout by the browser.

const NARROW = "ijltfrI1 .,:;|!'`()[]{}/\\-";
const WIDE = "mwMW@%→";
const RAISED = /[\u00b2\u00b3\u00b9\u02b0-\u02ff\u2070-\u208e]/; // exponents and indices
const EM = { narrow: 0.3, wide: 0.82, digit: 0.5, raised: 0.38, other: 0.53 }; // widths of Source Sans, Streamlit's font

/** @param {string} text @param {number} size of the font, px @returns {number} px */
export const textWidth = (text, size) =>
  [...text].reduce((width, letter) => width + emOf(letter), 0) * size;

/** @param {string} letter */
function emOf(letter) {
  if (/[0-9]/.test(letter)) return EM.digit;
  if (NARROW.includes(letter)) return EM.narrow;
  if (RAISED.test(letter)) return EM.raised;
  return WIDE.includes(letter) ? EM.wide : EM.other;
}

/** The text, with an ellipsis if it is wider than `room` px.
 * @param {string} text @param {number} room @param {number} size of the font, px */
export function shortened(text, room, size) {
  if (textWidth(text, size) <= room + 0.1) return text; // tolerance for rounding in a size that was computed from the room
  const letters = [...text];
  let width = 0;
  const end = letters.findIndex((letter) => (width += emOf(letter) * size) > room);
  const kept = letters.slice(0, end);
  while (kept.length > 1 && textWidth(`${kept.join("")}…`, size) > room) kept.pop();
  return `${kept.join("").trimEnd()}…`;
}

/** As `shortened`; a number at the end of the name is kept, by which it differs from others.
 * @param {string} name @param {number} room @param {number} size of the font, px */
export function shortenedName(name, room, size) {
  const short = shortened(name, room, size);
  const number = /^\D.*?(_?\d+)$/.exec(name)?.[1] ?? "";
  if (short === name || !number) return short;
  const head = shortened(name.slice(0, -number.length) + "…", room - textWidth(number, size), size);
  return textWidth(head + number, size) <= room && head.length > 1 ? head + number : short;
}

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
  return (
    text + (whole && !shown ? SPACE.point : "") + SPACE.digit.repeat(Math.max(whole - shown, 0))
  );
}

/** A scalar; a short vector with as many digits as fit; for any other tensor its Euclidean norm.
 * @param {number} kind 0 a scalar, -1 (norm, sign), else how many numbers of a vector
 * @param {ArrayLike<number>} numbers @param {number} digits @param {typeof scalar} write */
export function numberText(kind, numbers, digits = 4, write = scalar) {
  if (kind === 0) return write(numbers[0], digits);
  if (kind < 0) return `\u2016${scalar(numbers[0], 3)}\u2016`;
  const texts = [3, 2].map(
    (few) => `[${Array.from(numbers, (number) => scalar(number, few)).join(", ")}]`,
  );
  return (
    texts.find((text) => text.length <= VECTOR) ?? `\u2016${scalar(normOf(kind, numbers), 3)}\u2016`
  );
}

/** @param {number} kind @param {ArrayLike<number>} numbers */
export const normOf = (kind, numbers) =>
  kind < 0
    ? numbers[0]
    : Math.sqrt(Array.from(numbers).reduce((sum, number) => sum + number * number, 0));

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

// -- Fit the text of a number to its room: with fewer digits, rounded anew from all its digits. Pure.

const { minus: MINUS_SIGN } = shared;
const BAR = "\u2016";
const SMALL = 0.01; // what is smaller is about 0, where there is no room for it

/** @param {string} text @returns {number} NaN for a text that is no number */
const numberOf = (text) =>
  Number(text.trim().replaceAll(MINUS_SIGN, "-").replace("\u221e", "Infinity") || NaN);

/** A number, the norm of a tensor or a vector, with as many digits as fit; else shortened.
 * @param {string} text as Python has written it for a card @param {string | undefined} full with all its digits
 * @param {number} room in units of the font's size */
export function fitting(text, full, room) {
  if (textWidth(text, 1) <= room) return text;
  const kinds = [scalarTexts, normTexts, vectorTexts];
  const texts = kinds.map((write) => write(text, full ?? text)).find((found) => found.length) ?? [];
  return (
    texts.find((shorter) => textWidth(shorter, 1) <= room) ??
    shortened(texts.at(-1) ?? text, room, 1)
  );
}

/** @param {number} number @param {number[]} digits fewer and fewer */
const written = (number, digits) => [
  ...digits.map((few) => scalar(number, few)),
  ...(Number.isFinite(number) ? [powerOfTen(number)] : []),
];

/** @param {number} number "3e4" */
const powerOfTen = (number) =>
  number.toExponential(0).replace("e+", "e").replaceAll("-", MINUS_SIGN);

/** @param {string} text @param {string} full */
function scalarTexts(text, full) {
  if (Number.isNaN(numberOf(text))) return [];
  const exact = numberOf(full);
  const number = Number.isNaN(exact) ? numberOf(text) : exact;
  const texts = written(number, [3, 2, 1]);
  const bare = Math.abs(number) < 1 ? [scalar(number, 1).replace("0.", ".")] : [];
  return [...texts, ...bare, ...(number && Math.abs(number) < SMALL ? ["\u22480"] : [])];
}

/** A norm between bars; without them where there is hardly any room. @param {number} norm @param {number[]} digits */
const barred = (norm, digits) => [
  ...written(norm, digits).map((shorter) => BAR + shorter + BAR),
  ...scalarTexts(scalar(norm, 3), String(norm)).slice(1),
];

/** @param {string} text "‖1.23‖" @param {string} full "norm 1.23456", at the end of a longer text or alone */
function normTexts(text, full) {
  if (!text.startsWith(BAR)) return [];
  const exact = numberOf(/norm (\S+)$/.exec(full)?.[1] ?? "");
  const number = Number.isNaN(exact) ? numberOf(text.replaceAll(BAR, "")) : exact;
  return Number.isNaN(number) ? [] : barred(number, [2, 1]);
}

/** @param {string} text "[1, 2, 3]" @param {string} full "3 [1.0, 2.0, 3.0], norm 3.74166" */
function vectorTexts(text, full) {
  if (!text.startsWith("[")) return [];
  const parsed = (/** @type {string} */ list) =>
    (/\[(.*)\]/.exec(list)?.[1] ?? "").split(",").map(numberOf);
  const exact = parsed(full);
  const numbers = exact.some(Number.isNaN) ? parsed(text) : exact;
  const norm = Math.hypot(...numbers);
  return [`[${numbers.map((number) => scalar(number, 2)).join(", ")}]`, ...barred(norm, [3, 2, 1])];
}

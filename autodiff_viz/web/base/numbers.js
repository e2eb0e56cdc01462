// @ts-check
// Format numbers: read those that Python sends (display/numbers.py, `typed`), or that a slider's table has, and
// write them short for a card, in full for a tooltip, or as they fit. Nothing else in the browser does. Pure; golden
// files hold the texts.

import { shared } from "./constants.js";

// Widths of texts, estimated from average letter widths, without a layout by the browser.

const NARROW = "ijltfrI1 .,:;|!'`()[]{}/\\-";
const WIDE = "mwMW@%→";
const RAISED = /[\u00b2\u00b3\u00b9\u02b0-\u02ff\u2070-\u208e]/; // exponents and indices
const EM = { narrow: 0.3, wide: 0.82, digit: 0.5, raised: 0.38, cut: 0.91, other: 0.53 }; // widths of Source Sans, Streamlit's font

/** @param {string} text @param {number} size of the font, px @returns {number} px */
export const textWidth = (text, size) =>
  [...text].reduce((width, letter) => width + emOf(letter), 0) * size;

/** @param {string} letter */
function emOf(letter) {
  if (/[0-9]/.test(letter)) return EM.digit;
  if (NARROW.includes(letter)) return EM.narrow;
  if (letter === "\u2026") return EM.cut; // what stands in place of the rest is wider than a letter
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

// Parameters of numbered layers: of "model_0_weight_1" what differs from the others is "0_weight".
const OF_LAYER = /^[A-Za-z]+_(\w*\d_[A-Za-z]+)(_\d+)?$/;

/** As `shortened`; what the name differs by from others is kept: a number at its end, of a layer's parameter the layer and the word.
 * @param {string} name @param {number} room @param {number} size of the font, px */
export function shortenedName(name, room, size) {
  const short = shortened(name, room, size);
  const [, own = "", version = ""] = OF_LAYER.exec(name) ?? [];
  if (short !== name && own)
    return textWidth(own + version, size) <= room ? own + version : shortened(own, room, size);
  const number = /^\D.*?(_?\d+)$/.exec(name)?.[1] ?? "";
  if (short === name || !number) return short;
  const head = shortened(name.slice(0, -number.length) + "…", room - textWidth(number, size), size);
  return textWidth(head + number, size) <= room && head.length > 1 ? head + number : short;
}

const { minus: MINUS, vector: VECTOR, shown: SHOWN, thinnest: THINNEST } = shared;

/** Whether a text is a number below zero, also in brackets as a term of a sum. @param {string | null} text */
export const isNegative = (text) => text?.replace(/^\(/, "").startsWith(MINUS) ?? false;
const { digits: DIGITS, plain: PLAIN, halves: HALVES } = shared;
const SPACE = { digit: "\u2007", point: "\u2008" }; // as wide as a digit and as a point
const BAR = "\u2016";

// Reading numbers as Python sends them.

/** @typedef {number | string} SentNumber the shortest decimal that names the number in its dtype, or a word of `WORDS` */
/**
 * A number, or a tensor with all its elements or its norm.
 * @typedef {SentNumber | { numbers?: SentNumber[], norm?: SentNumber, sign?: number, shape?: number[] }} SentArray
 */
/**
 * @typedef {object} Num a number, or a tensor
 * @property {number} kind 0 for a number, -1 for a tensor of which only the norm is known, else how many numbers it has
 * @property {ArrayLike<number>} numbers all of them, or the norm and the sign
 * @property {number[]} [dims] its shape; without it a tensor of one axis, or one of which no text has the shape
 * @property {number[]} [exact] the shortest decimals that name `numbers` in their dtype; none for those of a slider's table
 * @property {string} [dtype]
 */

/** Numbers that JSON does not have, or that would not be seen to differ from another one. @type {Record<string, number>} */
const WORDS = { nan: NaN, inf: Infinity, "-inf": -Infinity, "-0": -0 };

/** A number that Python sent; undefined for any other text. @param {SentNumber | undefined} sent @returns {number | undefined} */
export const numberOf = (sent) => (typeof sent === "string" ? WORDS[sent] : sent);

/** An array that Python sent; undefined for none and for a text.
 * @param {SentArray | undefined} sent @param {string} dtype @param {number[]} [dims] its shape, if that is not sent
 * @returns {Num | undefined} */
export function readNumber(sent, dtype, dims) {
  if (typeof sent !== "object") {
    const exact = numberOf(sent);
    return exact === undefined
      ? undefined
      : { kind: 0, numbers: [inDtype(exact, dtype)], dims: [], exact: [exact], dtype };
  }
  const { shape = dims, norm, sign = 0 } = sent;
  const exact = (sent.numbers ?? []).map((number) => numberOf(number) ?? NaN);
  if (exact.length) {
    const numbers = exact.map((number) => inDtype(number, dtype));
    return { kind: exact.length, numbers, dims: shape ?? [exact.length], exact, dtype };
  }
  return { kind: -1, numbers: [numberOf(norm) ?? 0, sign], dims: shape, exact: [], dtype };
}

/** The number of a dtype that a decimal names. @param {number} decimal @param {string} dtype */
function inDtype(decimal, dtype) {
  if (dtype === "float32") return Math.fround(decimal);
  const half = HALVES[dtype];
  if (!half || !decimal || !Number.isFinite(decimal)) return decimal;
  let exponent = Math.max(Math.floor(Math.log2(Math.abs(decimal))), half.least);
  if (2 ** (exponent + 1) <= Math.abs(decimal)) exponent += 1; // the logarithm is rounded
  const unit = 2 ** (exponent - half.bits + 1);
  const [units, even] = [decimal / unit, 2 * Math.round(decimal / unit / 2)];
  return unit * (Math.abs(units - even) === 0.5 ? even : Math.round(units));
}

/** A typed number; undefined for another text, such as a tensor's. @param {string} text @returns {Num | undefined} */
export const literal = (text) =>
  text.trim() && Number.isFinite(Number(text))
    ? { kind: 0, numbers: [Number(text)], dims: [] }
    : undefined;

/** A number that is typed into a slider's box; null if it is none, or beyond the limit. @param {string} text @param {number} limit */
export function readTyped(text, limit) {
  const typed = text.trim().replace(/^\u2212/, "-");
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed) ? Number(typed) : NaN;
  return Math.abs(value) <= limit ? value : null;
}

// Writing numbers.

const BOX_DIGITS = 7; // significant digits of a float32

/** A number as a slider's box shows it, where it can be edited. @param {number} value */
export const boxText = (value) => String(Number(value.toPrecision(BOX_DIGITS)));

/** `digits` significant digits; powers of ten outside 1e-4 to 1e6. @param {number} number @param {number} digits */
export function scalar(number, digits = 4) {
  if (Number.isNaN(number)) return "NaN";
  const sign = number < 0 ? MINUS : "";
  const size = Math.abs(number);
  if (size === Infinity) return `${sign}\u221e`;
  if (size === 0) return "0";
  if (isPlain(size, digits)) return sign + String(Number(rounded(size, digits)));
  const [mantissa, exponent] = rounded(size, Math.max(digits - 2, 1) + 1).split("e");
  const digitsLeft = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return `${sign}${digitsLeft}e${Number(exponent)}`.replace("e-", `e${MINUS}`);
}

/** @param {number} size @param {number} digits */
const isPlain = (size, digits) => size >= 1e-4 && size < 10 ** Math.max(digits, 6);

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

/** The elements of a vector that is written out; null for any other number. @param {Num} num @returns {ArrayLike<number> | null} */
function rowOf({ kind, numbers, dims }) {
  if (dims ? dims.length !== 1 || dims[0] > SHOWN : kind < 1 || kind > SHOWN) return null;
  return kind < 0 ? (dims?.[0] ? null : []) : numbers;
}

/** @param {ArrayLike<number>} row @param {number} digits */
const bracketed = (row, digits) =>
  `[${Array.from(row, (number) => scalar(number, digits)).join(", ")}]`;

/** A vector that is written out with as many digits as fit; "" for any other number, and where it does not fit. @param {Num} num */
function rowText(num) {
  const row = rowOf(num);
  const texts = row ? [3, 2].map((digits) => bracketed(row, digits)) : [];
  return texts.find((text) => text.length <= VECTOR) ?? "";
}

/** The text on a card: a scalar; a short vector with as many digits as fit; of any other tensor its Euclidean norm.
 * @param {Num} num @param {number} digits @param {typeof scalar} write */
export function numberText(num, digits = 4, write = scalar) {
  if (num.kind === 0) return write(num.numbers[0], digits);
  return rowText(num) || BAR + scalar(sizeOf(num), 3) + BAR;
}

/** The shape beside that text, such as "[3, 4]"; "" for a number and for a vector that is written out. @param {Num} num */
export const shapeText = (num) =>
  num.kind === 0 || rowText(num) ? "" : `[${(num.dims ?? []).join(", ")}]`;

/** All digits of a number or of a written vector; of any other tensor the norm. With the digits of the panel where its
 * decimals are not known. @param {Num} num */
export function fullText(num) {
  const { kind, numbers, dims, exact } = num;
  if (kind === 0) return exact ? decimals(num)[0] : scalar(numbers[0], DIGITS);
  const norm = `norm ${scalar(sizeOf(num), DIGITS)}`;
  const row = rowOf(num);
  if (row && !exact) return bracketed(row, 3);
  const isEmpty = dims?.includes(0);
  if (!row && !isEmpty) return norm;
  const list = isEmpty ? [] : decimals(num);
  const shape = (dims ?? []).length > 1 ? `${dims?.join("\u00d7")} ` : ""; // a row is seen to be one
  return `${shape}[${list.join(", ")}], ${norm}`;
}

/** The text in a line of the panel: a number, a vector, or a shape and a norm. @param {Num} num @param {number} digits */
export function shortText(num, digits = DIGITS) {
  const { kind, numbers, dims = [], dtype = "" } = num;
  if (kind === 0) return scalar(numbers[0], Math.min(digits, HALVES[dtype]?.digits ?? digits));
  const row = rowOf(num);
  const shape = dims.length === 1 ? `[${dims}]` : dims.join("\u00d7"); // a length alone would be read as a factor
  return row ? bracketed(row, 3) : `${shape} ${BAR}${scalar(sizeOf(num), 3)}${BAR}`;
}

/** A number as a term of a sum or a product: in brackets if it is negative. @param {number} number @param {number} digits */
export const termText = (number, digits = DIGITS) =>
  number < 0 ? `(${scalar(number, digits)})` : scalar(number, digits);

/** The decimals as Python writes them, with a power of ten below 1e-4 and from a number on that depends on the dtype.
 * @param {Num} num @returns {string[]} */
const decimals = ({ exact = [], numbers, dtype = "" }) =>
  exact.map((number, i) => decimal(number, dtype in HALVES ? number : numbers[i], dtype));

/** @param {number} number @param {number} itself to which the limits apply @param {string} dtype */
function decimal(number, itself, dtype) {
  if (!number || !Number.isFinite(number)) return scalar(number);
  const size = Math.abs(itself);
  const text =
    size >= 1e-4 && size < (PLAIN[dtype] ?? 1e16) ? String(number) : number.toExponential();
  return text.replace("e+", "e").replaceAll("-", MINUS);
}

/** The size of a number, or the Euclidean norm. @param {Num} num @returns {number} */
export function sizeOf({ kind, numbers }) {
  if (kind < 0) return numbers[0];
  const all = Array.from(numbers, Math.abs);
  const largest = all.reduce((a, b) => (a >= b || Number.isNaN(a) ? a : b), 0);
  if (!largest || !Number.isFinite(largest) || all.length === 1) return largest;
  // Scaled by a power of two, which loses no digit: the squares of 1e-200 and of 1e200 are not numbers.
  const unit = 2 ** Math.min(Math.max(Math.floor(Math.log2(largest)), -1000), 1000);
  return unit * Math.sqrt(all.reduce((sum, size) => sum + (size / unit) ** 2, 0));
}

/** Thickness of a wire from 0 to 1: 0 for nothing, 1 for the largest contribution, the square root between.
 * @param {number} size @param {number} largest of all wires */
export function widthOf(size, largest) {
  if (size === 0) return 0;
  if (!Number.isFinite(size) || largest === 0) return 1;
  return Number(Math.min(1, Math.max(THINNEST, Math.sqrt(size / largest))).toFixed(3));
}

/** Sign: -1, 0 or 1; 2 for a tensor with both signs, or with NaN. @param {Num} num */
export function signOf({ kind, numbers }) {
  if (kind < 0) return numbers[1];
  const all = Array.from(numbers);
  if (all.some(Number.isNaN)) return 2;
  const [positive, negative] = [all.some((number) => number > 0), all.some((number) => number < 0)];
  return positive && negative ? 2 : Number(positive) - Number(negative);
}

// Fitting a number to its room: with fewer digits, rounded anew from all its digits.

const SMALL = 0.01; // what is smaller is about 0, where there is no room for it

/** A number with as many digits as fit; else, and without a number, the text shortened.
 * @param {string} text that is written where it has room @param {Num | undefined} num @param {number} room in units of the font's size */
export function fitting(text, num, room) {
  if (textWidth(text, 1) <= room) return text;
  const texts = num ? shorterTexts(num, text.startsWith(BAR)) : [];
  return (
    texts.find((shorter) => textWidth(shorter, 1) <= room) ??
    shortened(texts.at(-1) ?? text, room, 1)
  );
}

/** @param {Num} num @param {boolean} isBarred whether a norm is written between bars */
function shorterTexts(num, isBarred) {
  const known = { ...num, numbers: num.exact?.length ? num.exact : num.numbers };
  if (num.kind === 0) return scalarTexts(known.numbers[0]);
  const row = rowText(num) ? rowOf(known) : null;
  if (row) return [bracketed(row, 2), ...barredTexts(sizeOf(num), [3, 2, 1])];
  return isBarred ? barredTexts(sizeOf(num), [2, 1]) : scalarTexts(sizeOf(num));
}

/** @param {number} number @param {number[]} digits fewer and fewer */
const writtenWith = (number, digits) => [
  ...digits.map((few) => scalar(number, few)),
  ...(Number.isFinite(number)
    ? [number.toExponential(0).replace("e+", "e").replaceAll("-", MINUS)] // "3e4"
    : []),
];

/** @param {number} number */
function scalarTexts(number) {
  if (Number.isNaN(number)) return [];
  const bare = Math.abs(number) < 1 ? [scalar(number, 1).replace("0.", ".")] : [];
  const none = number && Math.abs(number) < SMALL ? ["\u22480"] : [];
  return [...writtenWith(number, [3, 2, 1]), ...bare, ...none];
}

/** A norm between bars; without them where there is hardly any room. @param {number} norm @param {number[]} digits */
const barredTexts = (norm, digits) =>
  Number.isNaN(norm)
    ? []
    : [
        ...writtenWith(norm, digits).map((shorter) => BAR + shorter + BAR),
        ...scalarTexts(norm).slice(1),
      ];

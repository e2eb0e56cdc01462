// @ts-check
// Fit the text of a number to its room: with fewer digits, rounded anew from all its digits. Pure.

import { shared } from "../../../../web/constants.js";
import { shortened, textWidth } from "./measure.js";
import { scalar } from "./numbers.js";

const { minus: MINUS } = shared;
const BAR = "\u2016";
const SMALL = 0.01; // what is smaller is about 0, where there is no room for it

/** @param {string} text @returns {number} NaN for a text that is no number */
const numberOf = (text) => Number(text.trim().replaceAll(MINUS, "-").replace("\u221e", "Infinity") || NaN);

/** A number, the norm of a tensor or a vector, with as many digits as fit; else shortened.
 * @param {string} text as Python has written it for a card @param {string | undefined} full with all its digits
 * @param {number} room in units of the font's size */
export function fitting(text, full, room) {
  if (textWidth(text, 1) <= room) return text;
  const kinds = [scalarTexts, normTexts, vectorTexts];
  const texts = kinds.map((write) => write(text, full ?? text)).find((found) => found.length) ?? [];
  return texts.find((shorter) => textWidth(shorter, 1) <= room) ?? shortened(texts.at(-1) ?? text, room, 1);
}

/** @param {number} number @param {number[]} digits fewer and fewer */
const written = (number, digits) => [...digits.map((few) => scalar(number, few)), ...(Number.isFinite(number) ? [powerOfTen(number)] : [])];

/** @param {number} number "3e4" */
const powerOfTen = (number) => number.toExponential(0).replace("e+", "e").replaceAll("-", MINUS);

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
const barred = (norm, digits) => [...written(norm, digits).map((shorter) => BAR + shorter + BAR), ...scalarTexts(scalar(norm, 3), String(norm)).slice(1)];

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
  const parsed = (/** @type {string} */ list) => (/\[(.*)\]/.exec(list)?.[1] ?? "").split(",").map(numberOf);
  const exact = parsed(full);
  const numbers = exact.some(Number.isNaN) ? parsed(text) : exact;
  const norm = Math.hypot(...numbers);
  return [`[${numbers.map((number) => scalar(number, 2)).join(", ")}]`, ...barred(norm, [3, 2, 1])];
}

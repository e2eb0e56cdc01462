// @ts-check
// Read typed answers as asking/answers.py does, which explains the rules; tests/asking/cases.json holds both to it.

import { scalar } from "../base/numbers.js";
import { shared } from "../base/constants.js";

/** @typedef {{ choice: string, words: string[] }} Choice the first word is its label */
/** @typedef {{ form: string, count?: number, choices?: Choice[], number?: string }} Form what can be typed */
/** @typedef {{ choice: string, numbers: number[], unit: number, readAs: string }} Answer as it was read */
/** @typedef {{ message: string, hint: string }} Unread what was found, and what is needed */

const RANK = 6;
export const UNKNOWN = "?";
const KNOWS_NOT = new Set(
  ["?", "\u061f", "idk", "i do not know", "i don't know", "don't know", "do not know"].concat([
    "no idea",
  ]),
);
const ZEROS = new Set(["zero", "nothing", "none", "nil"]);
const INFINITE = new Set(["inf", "infinity", "infinite", "\u221e"]);
const NANS = new Set(["nan", "not a number"]);
/** @type {Record<string, string>} */
const HALVES = {
  "\u00bd": "1/2",
  "\u2153": "1/3",
  "\u2154": "2/3",
  "\u00bc": "1/4",
  "\u00be": "3/4",
  "\u215b": "1/8",
};
/** @type {Record<string, string>} */
const SIGNS = {
  "\u066b": ".",
  "\u060c": ",",
  "\u2044": "/",
  "\u2215": "/",
  "\u00d7": "x",
  "\u2019": "'",
};
for (const minus of "\u2212\u2010\u2011\u2012\u2013\ufe63\uff0d") SIGNS[minus] = "-";
for (const space of "\u00a0\u2009\u202f\u200e\u200f") SIGNS[space] = " ";
for (const zero of [0x660, 0x6f0])
  for (let i = 0; i < 10; i += 1) SIGNS[String.fromCharCode(zero + i)] = String(i);

const NUMBERS = "A number is needed, such as 1/2, 0.5, 5e-1, inf or nan.";
const SHAPES = "A shape is needed, such as 2x3, (2, 3), 3, or number for a single one.";
const NUMBER_SHAPES = new Set(["()", "[]", "number", "a number", "scalar", "a scalar"]);
NUMBER_SHAPES.add("one number");
const DECIMAL = /^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)(e[+-]?[0-9]{1,4})?$/;
const COMMA = /^([+-]?)([0-9]*),([0-9]+)(e[+-]?[0-9]{1,4})?$/;

/** Thrown where an answer cannot be read, which is not a wrong one. */
class NotRead extends Error {
  /** @param {string} found @param {string} [needed] */
  constructor(found, needed = "") {
    super(found);
    /** @type {Unread} */
    this.unread = { message: found, hint: needed };
  }
}

/** A typed answer as it was read, or why it could not be. @param {Form} form @param {string} text
 * @returns {{ answer: Answer, unread?: undefined } | { answer?: undefined, unread: Unread }} */
export function readAnswer(form, text) {
  try {
    return { answer: read(form, text) };
  } catch (error) {
    if (error instanceof NotRead) return { unread: error.unread };
    throw error;
  }
}

/** @param {Form} form @param {string} text @returns {Answer} */
function read(form, text) {
  if ([...text].length > shared.limits.answer) {
    const count = [...text].length.toLocaleString("en");
    throw new NotRead(
      `The answer has ${count} characters; at most ${shared.limits.answer} are read.`,
    );
  }
  const plain = [...text]
    .map((letter) => SIGNS[letter] ?? letter)
    .join("")
    .replaceAll("`", "")
    .split(/\s+/)
    .filter(Boolean)
    .join(" ");
  if (!plain) throw new NotRead("Nothing was typed.", "Type an answer, or ? if you do not know.");
  if (KNOWS_NOT.has(plain.toLowerCase())) return answer("read as: I do not know", UNKNOWN);
  if (form.form === "number") return numbers(plain, form.count ?? 1);
  return form.form === "shape" ? shape(plain) : choice(form, plain);
}

/** @param {string} readAs @param {string} [chosen] @param {number[]} [found] @param {number} [unit] @returns {Answer} */
const answer = (readAs, chosen = "", found = [], unit = 0) => ({
  choice: chosen,
  numbers: found,
  unit,
  readAs,
});

/** @param {string} text */
const quoted = (text) =>
  [...text].length <= 30
    ? `\u201c${text}\u201d`
    : `\u201c${[...text].slice(0, 30).join("")}\u2026\u201d`;

/** A number as an answer is read back. @param {number} number */
export const writtenNumber = (number) => scalar(number, 7);

/** The text without these letters at both ends. @param {string} text @param {string} letters */
function stripped(text, letters) {
  let [start, end] = [0, text.length];
  while (start < end && letters.includes(text[start])) start += 1;
  while (end > start && letters.includes(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

// Numbers

/** @param {string} text @param {number} count @returns {Answer} */
function numbers(text, count) {
  const bare = "[(".includes(text[0]) || text.includes(";") ? stripped(text, "[]() ") : text;
  const parts = count > 1 ? partsOf(bare, count) : [bare];
  if (count > 1 && !(parts.length === 1 && parts[0] === bare)) {
    if (parts.length !== count) {
      const found = `${quoted(text)} has ${parts.length} numbers; ${count} are asked for.`;
      throw new NotRead(found, "Write them as in [1, 2], or one number if all are the same.");
    }
    const each = parts.map(number);
    const list = each.map((one) => writtenNumber(one.number)).join(", ");
    return answer(
      `read as [${list}]`,
      "",
      each.map((one) => one.number),
      Math.max(...each.map((one) => one.unit)),
    );
  }
  const one = number(count > 1 ? bare : text);
  const written = writtenNumber(one.number);
  const readAs = one.fraction ? `${one.fraction} = ${written}` : written;
  return answer(`read as ${readAs}`, "", [one.number], one.unit);
}

/** @param {string} text @param {number} count */
function partsOf(text, count) {
  if (text.includes(";")) return text.split(";").map((part) => part.trim());
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length === count || text.includes(", ") || parts.length > 2) return parts;
  const words = text.split(" ").filter(Boolean);
  return words.length === count && !text.includes("/ ") && !text.includes(" /") ? words : [text];
}

/** @param {string} text @returns {{ number: number, unit: number, fraction: string }} */
function number(text) {
  let plain = text
    .toLowerCase()
    .trim()
    .replace(/^[=~\u2248 ]+/, "");
  plain = HALVES[plain] ?? plain;
  const sign = "+-".includes(plain[0] ?? " ") ? plain[0] : "";
  let word = plain.slice(sign.length).trim();
  if (INFINITE.has(word))
    return { number: sign === "-" ? -Infinity : Infinity, unit: 0, fraction: "" };
  if (NANS.has(word)) return { number: NaN, unit: 0, fraction: "" };
  if (ZEROS.has(plain)) return { number: 0, unit: 0, fraction: "" };
  word = HALVES[word] ?? word;
  plain = sign + word;
  if (!plain.includes("/")) return { ...decimal(plain, text), fraction: "" };
  const [above, below, ...more] = plain.split("/").map((part) => part.trim());
  if (more.length)
    throw new NotRead(`${quoted(text)} has two fraction bars.`, "Write one, as in 1/2.");
  const [top, bottom] = [decimal(above, text).number, decimal(below, text).number];
  if (!bottom)
    throw new NotRead(`${quoted(text)} divides by 0.`, "Write inf, -inf or nan if that is meant.");
  const fraction = `${above.replace(/^[+]/, "")}/${below.replace(/^[+]/, "")}`;
  return {
    number: finite(top / bottom, text),
    unit: 0,
    fraction: fraction.replaceAll("-", shared.minus),
  };
}

/** @param {string} text @param {string} whole @returns {{ number: number, unit: number }} */
function decimal(text, whole) {
  let plain = text.replace(/^([+-]) +/, "$1");
  const comma = COMMA.exec(plain);
  if (comma) {
    const [, sign, before, after, power = ""] = comma;
    const mayBeThousands = after.length === 3 && before.length <= 3 && /^[1-9]/.test(before);
    if (mayBeThousands) {
      const either = `${before}.${after} or ${before}${after}`;
      throw new NotRead(`The comma in ${quoted(whole)} may divide thousands.`, `Write ${either}.`);
    }
    plain = `${sign}${before}.${after}${power}`;
  }
  if (!DECIMAL.test(plain)) throw new NotRead(`${quoted(whole)} is no number.`, NUMBERS);
  const [digits, power = "0"] = plain.split("e");
  const places = (digits.split(".")[1] ?? "").length;
  const place = Math.max(-300, Math.min(Number(power) - places, 300));
  return { number: finite(Number(plain), whole), unit: Number(`1e${place}`) };
}

/** @param {number} found @param {string} text */
function finite(found, text) {
  if (Number.isFinite(found)) return found || 0; // -0 is 0
  throw new NotRead(
    `${quoted(text)} is too large for a number.`,
    "Write inf if infinity is meant.",
  );
}

// Shapes

/** @param {string} text @returns {Answer} */
function shape(text) {
  const plain = stripped(text.toLowerCase().replace(/^shape/, ""), " =:");
  if (NUMBER_SHAPES.has(plain)) return answer("read as the shape of a number, ()");
  const isBracketed = ["()", "[]"].includes(plain.slice(0, 1) + plain.slice(-1));
  const bare = (isBracketed ? plain.slice(1, -1) : plain).trim().replace(/,$/, "");
  const parts = bare.split(/\s*[x,*]\s*|\s+/);
  if (parts.length > RANK || !parts.every((part) => /^[0-9]{1,6}$/.test(part)))
    throw new NotRead(`${quoted(text)} is no shape.`, SHAPES);
  const lengths = parts.map(Number);
  return answer(`read as the shape ${writtenShape(lengths)}`, "", lengths);
}

/** @param {number[]} lengths */
const writtenShape = (lengths) =>
  lengths.length < 2 ? `(${lengths.join("")})` : lengths.join("\u00d7");

// Choices

/** @param {Form} form @param {string} text @returns {Answer} */
function choice(form, text) {
  const bare = stripped(text, "'\".!()[] ") || text;
  const choices = form.choices ?? [];
  const exact = choices.filter(({ words }) => words.includes(bare));
  const loose = choices.filter(({ words }) => words.some((word) => folded(word) === folded(bare)));
  for (const found of [exact, loose])
    if (found.length === 1) return answer(`read as: ${found[0].words[0]}`, found[0].choice);
  const typed = form.number ? numberOrNot(text) : undefined;
  const chosen = typed === undefined ? "" : choiceOfNumber(form.number ?? "", typed);
  const found = choices.find((each) => each.choice === chosen);
  if (found && typed !== undefined)
    return answer(`read as ${writtenNumber(typed)}: ${found.words[0]}`, chosen, [typed]);
  const labels = choices.map(({ words }) => words[0]);
  const most = 8;
  const shown =
    labels.length > most ? [...labels.slice(0, most), `${labels.length - most} more`] : labels;
  const listed = [shown.slice(0, -1).join(", "), shown.at(-1) ?? ""].filter(Boolean).join(" or ");
  throw new NotRead(`${quoted(text)} is none of the answers.`, `Needed is ${listed}, or ?.`);
}

/** @param {string} text */
const folded = (text) => text.toLowerCase().replace(/^the /, "").trim();

/** @param {string} text */
function numberOrNot(text) {
  try {
    return number(text).number;
  } catch (error) {
    if (error instanceof NotRead) return undefined;
    throw error;
  }
}

/** @param {string} which @param {number} found */
function choiceOfNumber(which, found) {
  if (Number.isNaN(found)) return which === "zero" ? "some" : "nan";
  if (!found) return "0";
  if (which === "zero") return "some";
  return found > 0 ? "+" : "-";
}

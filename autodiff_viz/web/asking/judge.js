// @ts-check
// Tell whether an answer is right by the table of its question alone, as asking/judge.py does, where no server answers.

import { scalar } from "../base/numbers.js";
import { UNKNOWN, readAnswer, writtenNumber } from "./answers.js";

/** @typedef {import("./answers.js").Answer} Answer */
/** @typedef {[number, number] | string} Interval [low, high], or "nan", "inf", "-inf" */
/** @typedef {[string, number]} Wire the node that reads, and its slot */
/** @typedef {{ choice?: string, others?: string[], shape?: number[], at?: Interval[] }} Entry */
/**
 * @typedef {object} Table what judging needs, as `feedback_table` makes it
 * @property {string} kind
 * @property {string} words
 * @property {string} hint
 * @property {import("./answers.js").Form} form
 * @property {Entry & { text: string, accepted: string, reason: string, near?: Interval[], exact?: (number | string)[] }} answer
 * @property {(Entry & { code: string, name: string, guess: string, wire: Wire | null, says: string, tier: number })[]} mistakes
 * @property {(Entry & { says: string })[]} told
 * @property {{ says: string, wire: Wire | null }} otherwise
 */
/**
 * @typedef {object} Judgement as asking/judge.py has it
 * @property {boolean} right
 * @property {boolean} near
 * @property {string} readAs
 * @property {string} accepted
 * @property {string} mistake
 * @property {Wire | null} wire
 * @property {string} says
 * @property {string} reason
 * @property {string} also
 * @property {boolean} unknown
 */

const ROUNDED = 0.1;
const UNKNOWN_SAYS = "No guess is no mistake. The reveal shows it.";
/** @type {Record<string, number>} */
const WORDS = { nan: NaN, inf: Infinity, "-inf": -Infinity };

/** An answer, judged; or why it could not be read. @param {Table} table @param {string} text
 * @returns {{ judgement: Judgement, unread?: undefined } | { judgement?: undefined, unread: import("./answers.js").Unread }} */
export function judged(table, text) {
  const { answer, unread } = readAnswer(table.form, text);
  return unread ? { unread } : { judgement: judgedAnswer(table, answer, text) };
}

/** @param {Table} table @param {Answer} answer @param {string} text @returns {Judgement} */
function judgedAnswer(table, answer, text) {
  const { kind, answer: right, mistakes } = table;
  if (answer.choice === UNKNOWN) return judgement(answer, { says: UNKNOWN_SAYS, unknown: true });
  const told = table.told.find((entry) => fits(answer, entry))?.says ?? "";
  const { accepted, reason } = right;
  if (fits(answer, right))
    return judgement(answer, { right: true, accepted, says: told || "Right.", reason });
  const near = judgement(answer, {
    near: true,
    accepted,
    says: told || `Right idea, rounding: accepted is ${accepted}.`,
  });
  const isNumber = kind === "number";
  if (isNumber && inside(answer.numbers, right.near ?? [])) return near;
  let matches = mistakes.filter((each) => fits(answer, each));
  if (!matches.length && isNumber)
    matches = mistakes.filter((each) => rounds(answer, (each.at ?? []).map(middle)));
  const [first] = matches;
  if (first) {
    const other = matches.find(
      (each) =>
        each.code !== first.code &&
        JSON.stringify(each.wire) !== JSON.stringify(first.wire) &&
        each.tier === first.tier,
    );
    const tied =
      other &&
      `${first.guess} comes about in two ways: ${first.name}, or ${other.name}. Which was yours?`;
    const said = tied || first.says;
    const isNamed = isNumber && said.startsWith(`${first.guess} `);
    return judgement(answer, {
      mistake: first.code,
      wire: first.wire,
      says: told || (isNamed ? `${asTyped(answer)}${said.slice(first.guess.length)}` : said),
      also: other?.code ?? "",
    });
  }
  if (isNumber && rounds(answer, (right.exact ?? []).map(came))) return near;
  const { says, wire } = table.otherwise;
  const guess = answer.numbers.length ? asTyped(answer) : `\u201c${cut(text)}\u201d`;
  return judgement(answer, { wire, says: told || says.replaceAll("<guess>", () => guess) });
}

/** The numbers of an answer as feedback names them: 1/30 as it was typed, several with four digits.
 * @param {Answer} answer */
function asTyped({ numbers, choice, readAs }) {
  if (numbers.length > 1 || choice) return guessText(numbers);
  return readAs.replace(/^read as /, "").split(" = ")[0];
}

/** @param {Answer} answer @param {Partial<Judgement>} more @returns {Judgement} */
const judgement = (answer, more) => ({
  right: false,
  near: false,
  readAs: answer.readAs,
  accepted: "",
  mistake: "",
  wire: null,
  says: "",
  reason: "",
  also: "",
  unknown: false,
  ...more,
});

/** @param {string} text */
const cut = (text) => ([...text].length <= 30 ? text : `${[...text].slice(0, 30).join("")}\u2026`);

/** @param {number[]} numbers */
function guessText(numbers) {
  const texts = numbers.map((number) =>
    writtenNumber(Number.isFinite(number) ? Number(fourDigits(number)) : number),
  );
  return new Set(texts).size === 1 ? texts[0] : `[${texts.join(", ")}]`;
}

/** Four significant digits, rounded as Python does. @param {number} number */
function fourDigits(number) {
  const size = Math.abs(number);
  if (size >= 1e-4 && size < 1e6) return scalar(number, 4).replace("\u2212", "-");
  return number.toPrecision(4);
}

/** @param {Answer} answer @param {Entry} entry */
function fits(answer, entry) {
  if (entry.choice !== undefined)
    return answer.choice === entry.choice || (entry.others ?? []).includes(answer.choice);
  if (entry.shape) return String(answer.numbers) === String(entry.shape);
  return inside(answer.numbers, entry.at ?? []);
}

/** @template T @param {T[]} given @param {number} count */
const spread = (given, count) =>
  given.length === 1 && count ? Array(count).fill(given[0]) : given;

/** @param {number[]} numbers @param {Interval[]} intervals */
function inside(numbers, intervals) {
  const all = spread(numbers, intervals.length);
  return all.length === intervals.length && all.every((each, i) => liesIn(each, intervals[i]));
}

/** @param {number} number @param {Interval} interval */
function liesIn(number, interval) {
  if (typeof interval === "string")
    return number === WORDS[interval] || (Number.isNaN(number) && interval === "nan");
  return interval[0] <= number && number <= interval[1];
}

/** @param {number | string} sent */
const came = (sent) => (typeof sent === "string" ? WORDS[sent] : sent);
/** @param {Interval} at */
const middle = (at) => (typeof at === "string" ? WORDS[at] : (at[0] + at[1]) / 2);

/** Whether an answer is these numbers, rounded to the digits that were typed. @param {Answer} answer @param {number[]} exact */
function rounds({ numbers, unit }, exact) {
  const all = spread(numbers, exact.length);
  return (
    all.length === exact.length &&
    all.every((each, i) => {
      const room = Math.min(unit / 2, ROUNDED * Math.abs(exact[i])) * (1 + 1e-9);
      return Number.isFinite(exact[i]) && Math.abs(each - exact[i]) <= room;
    })
  );
}

// @ts-check
// Folding of long literals for reading: `[[0.1, -0.3], ...]` is shown as `[4 x 2]` until the text is edited. Pure.

/** @typedef {import("./types.js").Range} Range */
/** @typedef {{ start: number, end: number, short: string }} Fold  a literal of the line, and what stands for it */

const LONG = 24; // characters of a literal that is folded

/** The long literals of a line. @param {string} line @returns {Fold[]} */
export function foldsOf(line) {
  const found = [];
  const code = line.split("#")[0];
  for (let start = code.indexOf("["); start >= 0; start = code.indexOf("[", start)) {
    const end = closing(code, start);
    const short = end - start > LONG ? shape(code.slice(start, end)) : null;
    if (short) found.push({ start, end, short });
    start = Math.max(end, start + 1);
  }
  return found;
}

/** The index after the bracket that closes the one at `start`; -1 without one. @param {string} text @param {number} start */
function closing(text, start) {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "[") depth++;
    if (text[at] === "]" && --depth === 0) return at + 1;
  }
  return -1;
}

/** The shape of a literal as text; null if it is not an array of numbers. @param {string} text */
function shape(text) {
  if (/[^\d\s.,eE+\-[\]]/.test(text)) return null;
  const dims = [];
  for (let part = text.trim(); part.startsWith("["); part = elements(part)[0]?.trim() ?? "") dims.push(elements(part).length);
  return dims.every((count) => count > 0) ? `[${dims.join(" x ")}]` : null;
}

/** The elements of an array literal. @param {string} text @returns {string[]} */
function elements(text) {
  const found = [""];
  let depth = 0;
  for (const sign of text.slice(1, -1)) {
    if (sign === "[") depth++;
    if (sign === "]") depth--;
    if (sign === "," && depth === 0) found.push("");
    else found[found.length - 1] += sign;
  }
  return found.filter((element) => element.trim());
}

/** The line as it is shown. @param {string} line @param {Fold[]} folds */
export const folded = (line, folds) => {
  let [text, last] = ["", 0];
  for (const { start, end, short } of folds) [text, last] = [text + line.slice(last, start) + short, end];
  return text + line.slice(last);
};

/** Where an offset of the line is in the folded line. @param {Fold[]} folds @param {number} offset */
export function toFolded(folds, offset) {
  let less = 0;
  for (const { start, end, short } of folds) {
    if (offset >= end) less += end - start - short.length;
    else if (offset > start) return start - less + Math.min(offset - start, short.length);
  }
  return offset - less;
}

/** Where an offset of the folded line is in the line; inside of a fold, its beginning.
 * @param {Fold[]} folds @param {number} offset */
export function fromFolded(folds, offset) {
  let more = 0;
  for (const { start, end, short } of folds) {
    if (offset + more <= start) break;
    if (offset + more < start + short.length) return start;
    more += end - start - short.length;
  }
  return offset + more;
}

/** @param {Fold[]} folds @param {Range} range @returns {Range} */
export const foldedRange = (folds, range) => ({ ...range, start: toFolded(folds, range.start), end: toFolded(folds, range.end) });

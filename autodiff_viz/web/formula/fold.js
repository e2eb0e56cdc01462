// @ts-check
// Fold long literals for reading, `[[0.1, -0.3], ...]` as `[… 4 x 2 numbers …]`, and replace the number of an input in
// the text. The other lines of a literal are hidden, and what follows it stands behind its shape. Pure.

/** @typedef {import("../types.js").Range} Range */
/**
 * A literal in the line.
 *
 * @typedef {object} Fold
 * @property {number} start
 * @property {number} end
 * @property {string} short what stands for it
 */
/**
 * A line as it is shown.
 *
 * @typedef {object} Shown
 * @property {string} text
 * @property {Fold[]} folds
 * @property {boolean} hidden whether it is in a literal of a line above
 * @property {number} last number of the line with what follows its last literal
 * @property {number} cut the offset in that line at which this begins, if it is another line
 */

const LONG = 40; // characters of a literal that is folded: most of a line, and more than what stands for it

/** The lines as they are shown. @param {string[]} lines @returns {Shown[]} */
export function foldedLines(lines) {
  const codes = lines.map((line) => line.split("#")[0]);
  /** @type {Shown[]} */
  const shown = lines.map((text, i) => ({ text, folds: [], hidden: false, last: i, cut: 0 }));
  for (let i = 0; i < lines.length; i = shown[i].last + 1) {
    const { folds } = shown[i];
    for (let start = codes[i].indexOf("["); start >= 0; start = codes[i].indexOf("[", start)) {
      const at = closing(codes, i, start);
      const literal = at && [codes[i].slice(start), ...codes.slice(i + 1, at.line)].join(" ");
      const whole =
        at &&
        (at.line === i
          ? codes[i].slice(start, at.end)
          : `${literal} ${codes[at.line].slice(0, at.end)}`);
      const short = whole && whole.length > LONG ? shape(whole) : null;
      if (at && short) folds.push({ start, end: at.line === i ? at.end : lines[i].length, short });
      if (at && short && at.line > i) {
        Object.assign(shown[i], { last: at.line, cut: at.end });
        break;
      }
      start = at?.line === i ? at.end : start + 1;
    }
    const { last, cut } = shown[i];
    shown[i].text = folded(lines[i], folds) + (last > i ? lines[last].slice(cut) : "");
    for (let other = i + 1; other <= last; other++) shown[other].hidden = true;
  }
  return shown;
}

/** Where the bracket closes that opens in a line at `start`: the line, and the offset behind it.
 * @param {string[]} lines @param {number} line @param {number} start */
function closing(lines, line, start) {
  let depth = 0;
  for (let at = line; at < lines.length; at++) {
    for (let i = at === line ? start : 0; i < lines[at].length; i++) {
      if (lines[at][i] === "[") depth++;
      if (lines[at][i] === "]" && --depth === 0) return { line: at, end: i + 1 };
    }
  }
  return null;
}

/** The shape of a literal as text; null if it is not an array of numbers. @param {string} text */
function shape(text) {
  if (/[^\d\s.,eE+\-[\]]/.test(text)) return null;
  const dims = [];
  for (let part = text.trim(); part.startsWith("["); part = elements(part)[0]?.trim() ?? "")
    dims.push(elements(part).length);
  return dims.every((count) => count > 0) ? `[… ${dims.join(" x ")} numbers …]` : null;
}

/** The elements of an array literal. @param {string} text @returns {string[]} */
function elements(text) {
  const elements = [""];
  let depth = 0;
  for (const sign of text.slice(1, -1)) {
    if (sign === "[") depth++;
    if (sign === "]") depth--;
    if (sign === "," && depth === 0) elements.push("");
    else elements[elements.length - 1] += sign;
  }
  return elements.filter((element) => element.trim());
}

/** @param {string} line @param {Fold[]} folds */
function folded(line, folds) {
  let [text, last] = ["", 0];
  for (const { start, end, short } of folds)
    [text, last] = [text + line.slice(last, start) + short, end];
  return text + line.slice(last);
}

/** Where an offset of the line is in the line as it is shown. @param {Fold[]} folds @param {number} offset */
export function toFolded(folds, offset) {
  let less = 0;
  for (const { start, end, short } of folds) {
    if (offset >= end) less += end - start - short.length;
    else if (offset > start) return start - less + Math.min(offset - start, short.length);
  }
  return offset - less;
}

/** The place in the text of an offset of a line as it is shown; in a literal, its beginning.
 * @param {Shown[]} shown @param {number} line @param {number} offset @returns {{ line: number, unit: number }} */
export function offsetInText(shown, line, offset) {
  const { text, folds, last, cut } = shown[line];
  const { start: begins, short: stands } = folds.at(-1) ?? { start: 0, short: "" };
  const behind = last > line ? toFolded(folds, begins) + stands.length : text.length + 1;
  if (offset >= behind) return { line: last, unit: cut + offset - behind };
  let more = 0;
  for (const { start, end, short } of folds) {
    if (offset + more <= start) break;
    if (offset + more < start + short.length) return { line, unit: start };
    more += end - start - short.length;
  }
  return { line, unit: offset + more };
}

/** @param {Fold[]} folds @param {Range} range @returns {Range} */
export const foldedRange = (folds, range) => ({
  ...range,
  start: toFolded(folds, range.start),
  end: toFolded(folds, range.end),
});

// The number of an input.

const NUMBER = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`;
const CALL = String.raw`(?:(?:input|parameter)\([ \t]*(?:value[ \t]*=[ \t]*)?)?`;

/** The text with another number for an input; null if the input has no number of its own.
 * @param {string} text @param {string} name of the input @param {string} number */
export function withNumber(text, name, number) {
  const pattern = new RegExp(
    `((?:^|;)[ \\t]*${name}[ \\t]*=[ \\t]*${CALL})${NUMBER}(?=[ \\t]*(?:[,);#]|$))`,
    "m",
  );
  const written = /[.en]/i.test(number) ? number : `${number}.0`; // as Python writes floats: 3.0, but 1e+16, inf, nan
  return pattern.test(text) ? text.replace(pattern, (_, before) => before + written) : null;
}

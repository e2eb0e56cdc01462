// @ts-check
// Mark ranges of lines, and divide a line into spans. Pure.

import { unitOf } from "./caret.js";

/** @typedef {import("./types.js").Place} Place */
/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./types.js").Token} Token */
/** @typedef {{ text: string, classes: string, message?: string }} Segment */

/** Map from lines of `before` to lines of `after`, from 0; -1 for a changed line.
 * @param {string[]} before @param {string[]} after @returns {(line: number) => number} */
export function lineMap(before, after) {
  const most = Math.min(before.length, after.length);
  let head = 0, tail = 0;
  while (head < most && before[head] === after[head]) head++;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return (line) => (line < head ? line : line >= before.length - tail ? line + after.length - before.length : -1);
}

/** The marked range of each line of `place`, without the indentation of continuation lines.
 * @param {Place} place @param {string[]} lines @returns {{ line: number, start: number, end: number }[]} lines from 0 */
export function pieces({ line, column, endLine, endColumn }, lines) {
  const found = [];
  for (let at = line - 1; at < Math.min(endLine, lines.length); at++) {
    const text = lines[at];
    const start = at === line - 1 ? unitOf(text, column) : Math.max(text.search(/\S/), 0);
    const end = at === endLine - 1 ? unitOf(text, endColumn) : text.length;
    found.push({ line: at, start, end: Math.max(end, start + 1) });
  }
  return found;
}

/** The text with a correction applied; null where its lines have changed since Python read them. An end below the
 * last line is that of the text.
 * @param {string} text @param {string} read the text as Python read it
 * @param {import("./types.js").Correction} correction @returns {string | null} */
export function corrected(text, read, { line, column, endLine, endColumn, text: insert }) {
  const seen = read.split("\n"), lines = text.split("\n");
  const where = lineMap(seen, lines);
  const last = Math.min(endLine, seen.length);
  for (let at = line - 1; at < last; at++) if (where(at) !== where(line - 1) + at - (line - 1) || where(at) < 0) return null;
  const first = where(line - 1), end = first + last - line;
  const before = lines.slice(0, first).map((one) => `${one}\n`).join("") + lines[first].slice(0, unitOf(lines[first], column));
  if (endLine > seen.length) return before + insert;
  return [before + insert + lines[end].slice(unitOf(lines[end], endColumn)), ...lines.slice(end + 1)].join("\n");
}

/** Spans of a line, each with the classes of its token and of the ranges that cover it. A range may extend beyond
 * the end of the line, where a space stands for missing text.
 * @param {string} line @param {Token[]} tokens @param {Range[]} ranges @returns {Segment[]} */
export function segments(line, tokens, ranges) {
  const length = Math.max(line.length, ...ranges.map(({ end }) => end));
  const cuts = new Set([0, line.length, length, ...[...tokens, ...ranges].flatMap(({ start, end }) => [start, end])]);
  const edges = [...cuts].filter((cut) => cut <= length).sort((a, b) => a - b);
  return edges.slice(1).map((end, i) => {
    const start = edges[i];
    const over = [...tokens, ...ranges].filter((piece) => piece.start <= start && piece.end >= end);
    const wrong = ranges.find((range) => over.includes(range) && range.message);
    const text = line.slice(start, end) || " ".repeat(end - start);
    return { text, classes: [...new Set(over.map(({ kind }) => kind))].join(" "), message: wrong?.message };
  });
}

// @ts-check
// Draw a coloured copy of the text, its tokens and marked ranges, under the transparent text area into which
// the user types.

import { html } from "../base/dom.js";
import { unitOf } from "./caret.js";

// Ranges of lines, and the spans into which they divide a line. Pure.

/** @typedef {import("../types.js").Place} Place */
/** @typedef {import("../types.js").Range} Range */
/** @typedef {import("../types.js").Token} Token */
/**
 * @typedef {object} Segment
 * @property {string} text
 * @property {string} classes
 * @property {string} [message]
 */

/** Map from lines of `before` to lines of `after`, from 0; -1 for a changed line.
 * @param {string[]} before @param {string[]} after @returns {(line: number) => number} */
export function lineMap(before, after) {
  const most = Math.min(before.length, after.length);
  let head = 0,
    tail = 0;
  while (head < most && before[head] === after[head]) head++;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail++;
  return (line) =>
    line < head ? line : line >= before.length - tail ? line + after.length - before.length : -1;
}

/** The marked range of each line of `place`, without the indentation of continuation lines.
 * @param {Place} place @param {string[]} lines @returns {{ line: number, start: number, end: number }[]} lines from 0 */
export function pieces({ line, column, endLine, endColumn }, lines) {
  const ranges = [];
  for (let at = line - 1; at < Math.min(endLine, lines.length); at++) {
    const text = lines[at];
    const start = at === line - 1 ? unitOf(text, column) : Math.max(text.search(/\S/), 0);
    const end = at === endLine - 1 ? unitOf(text, endColumn) : text.length;
    ranges.push({ line: at, start, end: Math.max(end, start + 1) });
  }
  return ranges;
}

/** The text with a correction applied; null where its lines have changed since Python read them. An end below the
 * last line is that of the text.
 * @param {string} text @param {string} read the text as Python read it
 * @param {import("../types.js").Correction} correction @returns {string | null} */
export function withCorrection(text, read, { line, column, endLine, endColumn, text: insert }) {
  const seen = read.split("\n"),
    lines = text.split("\n");
  const where = lineMap(seen, lines);
  const last = Math.min(endLine, seen.length);
  for (let at = line - 1; at < last; at++)
    if (where(at) !== where(line - 1) + at - (line - 1) || where(at) < 0) return null;
  const first = where(line - 1),
    end = first + last - line;
  const before =
    lines
      .slice(0, first)
      .map((one) => `${one}\n`)
      .join("") + lines[first].slice(0, unitOf(lines[first], column));
  if (endLine > seen.length) return before + insert;
  return [
    before + insert + lines[end].slice(unitOf(lines[end], endColumn)),
    ...lines.slice(end + 1),
  ].join("\n");
}

/** Spans of a line, each with the classes of its token and of the ranges that cover it. A range may extend beyond
 * the end of the line, where a space stands for missing text.
 * @param {string} line @param {Token[]} tokens @param {Range[]} ranges @returns {Segment[]} */
export function segments(line, tokens, ranges) {
  const length = Math.max(line.length, ...ranges.map(({ end }) => end));
  const cuts = new Set([
    0,
    line.length,
    length,
    ...[...tokens, ...ranges].flatMap(({ start, end }) => [start, end]),
  ]);
  const edges = [...cuts].filter((cut) => cut <= length).sort((a, b) => a - b);
  return edges.slice(1).map((end, i) => {
    const start = edges[i];
    const over = [...tokens, ...ranges].filter((piece) => piece.start <= start && piece.end >= end);
    const wrong = ranges.find((range) => over.includes(range) && range.message);
    const text = line.slice(start, end) || " ".repeat(end - start);
    return {
      text,
      classes: [...new Set(over.map(({ kind }) => kind))].join(" "),
      message: wrong?.message,
    };
  });
}

// Tokens of a formula line. Pure.

const TOKEN =
  /(?<comment>#.*)|(?<string>"[^"]*"?|'[^']*'?)|(?<number>(?<!\w)(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<word>[A-Za-z_]\w*)/g;

export const KEYWORDS = new Set(
  (
    "with for in def return lambda import from as class if elif else while not and or is " +
    "None True False pass break continue"
  ).split(" "),
);
const BLOCKS = new Set(["checkpoint", "group", "branches"]);

/** The coloured tokens of `line`, in order. A called word has the kind that `kinds` gives it.
 * @param {string} line @param {Map<string, string>} kinds @returns {Token[]} */
export function tokens(line, kinds) {
  const spans = [];
  let header = false; // between `lambda` and its colon
  let last = 0;
  for (const match of line.matchAll(TOKEN)) {
    const groups = /** @type {Record<string, string>} */ (match.groups);
    const start = match.index,
      end = start + match[0].length;
    if (line.slice(last, start).includes(":")) header = false;
    last = end;
    const kind = groups.word
      ? wordKind(groups.word, line.slice(end), kinds, header)
      : ["comment", "string", "number"].find((other) => groups[other]);
    if (groups.word === "lambda") header = true;
    if (kind) spans.push({ start, end, kind });
  }
  return spans;
}

/** @param {string} word @param {string} rest @param {Map<string, string>} kinds @param {boolean} header */
function wordKind(word, rest, kinds, header) {
  if (KEYWORDS.has(word)) return word === "lambda" ? "lambda" : "keyword";
  if (header) return "argument";
  if (!/^\s*\(/.test(rest)) return undefined;
  return word === "stop_gradient" ? "stop" : BLOCKS.has(word) ? "keyword" : kinds.get(word);
}

/**
 * Lines count from 0.
 *
 * @typedef {object} Picture
 * @property {string[]} lines
 * @property {Map<number, Range[]>} ranges
 * @property {Map<string, string>} kinds
 */

/** Update the mirror's lines, touching only those that changed.
 * @param {HTMLElement} mirror @param {Picture} picture */
export function paint(mirror, { lines, ranges, kinds }) {
  // Of the live collection the browser counts anew after each change, which takes the square of the length.
  const rows = /** @type {HTMLElement[]} */ ([...mirror.children]);
  for (const row of rows.splice(lines.length)) row.remove();
  while (rows.length < lines.length)
    rows.push(mirror.appendChild(html("div", { "data-number": rows.length + 1 })));
  lines.forEach((line, i) => {
    const row = rows[i];
    const marked = ranges.get(i) ?? [];
    const sign = line + JSON.stringify(marked);
    if (signs.get(row) === sign) return;
    signs.set(row, sign);
    const chosen = marked.find(({ kind }) => kind === "chosen");
    row.className = `line${chosen ? " here" : ""}${marked.some(({ kind }) => kind === "lit") ? " lit-line" : ""}${chosen && chosen.start > line.search(/\S/) ? " partly" : ""}`;
    row.replaceChildren(...segments(line, tokens(line, kinds), marked).map(piece));
  });
}

/** The content that a row shows. @type {WeakMap<Element, string>} */
const signs = new WeakMap();

/** @param {Segment} segment */
const piece = ({ text, classes, message }) =>
  classes ? html("span", { class: classes, "data-message": message }, text) : text;

/** The message under a point of the screen, with the box of its underline.
 * @param {HTMLElement} mirror @param {number} x @param {number} y */
export function messageAt(mirror, x, y) {
  for (const span of mirror.querySelectorAll("[data-message]")) {
    for (const box of span.getClientRects()) {
      if (x >= box.left && x <= box.right && y >= box.top && y <= box.bottom) {
        return { text: /** @type {HTMLElement} */ (span).dataset.message ?? "", box };
      }
    }
  }
  return null;
}

/** The line and the offset of the character under a point of the screen; null for none.
 * @param {HTMLElement} mirror @param {number} x @param {number} y */
export function unitAt(mirror, x, y) {
  const over = /** @type {Document | ShadowRoot} */ (mirror.getRootNode()).elementsFromPoint(x, y);
  const row = over
    .map((element) => element.closest(".line"))
    .find((one) => one && one.parentElement === mirror);
  if (!row) return null;
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const isOver = () =>
    [...range.getClientRects()].some(
      ({ left, right, top, bottom }) => x >= left && x < right && y >= top && y <= bottom,
    );
  for (
    let node = walker.nextNode(), before = 0;
    node;
    before += node.textContent?.length ?? 0, node = walker.nextNode()
  ) {
    range.selectNodeContents(node);
    if (!isOver()) continue; // of a long line, one piece is measured by the character
    for (let unit = 0; unit < (node.textContent?.length ?? 0); unit++) {
      range.setStart(node, unit);
      range.setEnd(node, unit + 1);
      if (isOver())
        return {
          line: Number(/** @type {HTMLElement} */ (row).dataset.number) - 1,
          unit: before + unit,
        };
    }
  }
  return null;
}

/** The place in the text nearest to a point of the screen. @param {HTMLElement} mirror @param {number} x @param {number} y */
export function placeAt(mirror, x, y) {
  const rows = [...mirror.children];
  const seen = (/** @type {Element} */ row) => !row.hasAttribute("hidden");
  const below = rows.findIndex((row) => seen(row) && row.getBoundingClientRect().bottom > y);
  const line = below < 0 ? rows.findLastIndex(seen) : below;
  const { length } = rows[line].textContent ?? "";
  const boxes = Array.from({ length }, (_, unit) => boxOf(mirror, line, unit));
  const unit = boxes.findIndex(
    ({ top, bottom, left, width }) => y >= top && y <= bottom && x < left + width / 2,
  );
  const past = boxes.findLastIndex(
    ({ top, bottom, left, width }) => y >= top && y <= bottom && x >= left + width / 2,
  );
  return { line, unit: unit < 0 ? (past < 0 ? length : past + 1) : unit };
}

/** The box of a character on the screen. @param {HTMLElement} mirror @param {number} line @param {number} unit */
export function boxOf(mirror, line, unit) {
  const row = mirror.children[line];
  // A row has a text node for each of its spans: count down to the one that has the character.
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let left = unit;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.textContent?.length ?? 0;
    if (left < length) {
      range.setStart(node, left);
      range.setEnd(node, left + 1);
      return range.getBoundingClientRect();
    }
    left -= length;
  }
  return row.getBoundingClientRect();
}

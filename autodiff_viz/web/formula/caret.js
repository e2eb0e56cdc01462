// @ts-check
// Handle the keys of the formula editor: compute positions in the text and the text edits that keys make.

/** @typedef {import("../types.js").Typing} Typing */
/**
 * @typedef {object} Change
 * @property {number} start
 * @property {number} end
 * @property {string} insert what is put in place of start..end
 */

const INDENT = "    ";

/** The offset at which the line with `offset` begins. @param {string} text @param {number} offset */
export const lineStart = (text, offset) => text.lastIndexOf("\n", offset - 1) + 1;

/** @param {string} text @param {number} offset @returns {{ line: number, unit: number }} both from 0 */
export function placeOf(text, offset) {
  const start = lineStart(text, offset);
  return { line: text.slice(0, start).split("\n").length - 1, unit: offset - start };
}

/** The offset of `unit` in `line` (both from 0). @param {string[]} lines @param {number} line @param {number} unit */
export const offsetOf = (lines, line, unit) =>
  lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + unit;

/** The UTF-16 offset of a column: Python counts characters, and an emoji is two UTF-16 units.
 * @param {string} line @param {number} column */
export function unitOf(line, column) {
  let unit = 0;
  for (const character of line) {
    if (column-- <= 0) break;
    unit += character.length;
  }
  return unit;
}

/** The one range in which `after` differs from `before`.
 * @param {string} before @param {string} after @returns {Change} */
export function change(before, after) {
  const most = Math.min(before.length, after.length);
  let start = 0,
    tail = 0;
  while (start < most && before[start] === after[start]) start++;
  while (tail < most - start && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail++;
  return { start, end: before.length - tail, insert: after.slice(start, after.length - tail) };
}

/** The position of a caret after the change. @param {number} offset @param {Change} change */
export function caretAfter(offset, { start, end, insert }) {
  if (offset <= start) return offset;
  return offset >= end
    ? offset + insert.length - (end - start)
    : Math.min(offset, start + insert.length);
}

/** Enter: the next line has the same indentation, and one level more after a colon.
 * @param {Typing} typing @returns {Change} */
export function newLine({ text, start, end }) {
  const before = text.slice(lineStart(text, start), start);
  const indent = /^[ \t]*/.exec(before)?.[0] ?? "";
  return { start, end, insert: `\n${indent}${/:\s*$/.test(before) ? INDENT : ""}` };
}

/** Tab: four spaces; selected lines are indented by four. @param {Typing} typing @returns {Typing} */
export function indented(typing) {
  const { text, start, end } = typing;
  if (text.slice(start, end).includes("\n"))
    return withLines(typing, (line) => (line.trim() ? INDENT + line : line));
  return {
    text: text.slice(0, start) + INDENT + text.slice(end),
    start: start + INDENT.length,
    end: start + INDENT.length,
  };
}

/** Backspace in the indentation of a line: one level of it; null anywhere else. Pure. @param {Typing} typing @returns {Change | null} */
export function outdented({ text, start, end }) {
  const before = text.slice(lineStart(text, start), start);
  if (start !== end || !/^ +$/.test(before)) return null;
  const taken = ((before.length - 1) % INDENT.length) + 1; // to the next level, as from one that is not whole
  return { start: start - taken, end, insert: "" };
}

/** Ctrl+/: comment the lines, or uncomment them if all are comments. @param {Typing} typing @returns {Typing} */
export function commented(typing) {
  const { first, last } = lineRange(typing);
  const lines = typing.text
    .slice(first, last)
    .split("\n")
    .filter((line) => line.trim());
  if (lines.every((line) => /^\s*#/.test(line)))
    return withLines(typing, (line) => line.replace(/^(\s*)# ?/, "$1"));
  const depth = Math.min(...lines.map((line) => line.search(/\S/)));
  return withLines(typing, (line) =>
    line.trim() ? `${line.slice(0, depth)}# ${line.slice(depth)}` : line,
  );
}

/** The range from the start of the first selected line to the end of the last. @param {Typing} typing */
function lineRange({ text, start, end }) {
  const stop = end > start && text[end - 1] === "\n" ? end - 1 : end; // a selection that ends at a line's start
  const last = text.indexOf("\n", stop);
  return { first: lineStart(text, start), last: last < 0 ? text.length : last };
}

/** Replace each selected line by a change at its first character; the selection moves along.
 * @param {Typing} typing @param {(line: string) => string} make @returns {Typing} */
function withLines(typing, make) {
  const { first, last } = lineRange(typing);
  const before = typing.text.slice(first, last).split("\n");
  const after = before.map(make);
  const longer = after.join("\n").length - (last - first);
  /** @param {number} offset */
  const moved = (offset) => {
    const { line, unit } = placeOf(typing.text.slice(first), offset - first);
    if (line >= before.length) return offset + longer;
    const shift = unit < before[line].search(/\S|$/) ? 0 : after[line].length - before[line].length;
    return first + offsetOf(after, line, Math.max(unit + shift, 0));
  };
  const text = typing.text.slice(0, first) + after.join("\n") + typing.text.slice(last);
  return { text, start: moved(typing.start), end: moved(typing.end) };
}

// Keys of the editor, kept from Streamlit, whose own shortcuts (r, c) would also answer.

/** @typedef {import("./editor.js").Formula} Formula */

/** @type {Record<string, (formula: Formula) => void>} while completions are on view */
const CHOOSING = {
  ArrowDown: ({ popup }) => popup.mark(popup.marked + 1),
  ArrowUp: ({ popup }) => popup.mark(popup.marked - 1),
  Enter: ({ popup }) => popup.take(),
  Tab: ({ popup }) => popup.take(),
  Escape: ({ popup }) => popup.close(),
};

/** @type {Record<string, (formula: Formula) => void>} */
const WRITING = {
  Enter: (formula) => formula.replace(newLine(formula.typing)),
  "ctrl+Enter": (formula) => formula.confirm(),
  Escape: (formula) => formula.leave(),
  "ctrl+f": (formula) => formula.find(),
  "ctrl+/": (formula) => formula.become(commented(formula.typing)),
};

/** @param {Formula} formula */
export function listenToKeys(formula) {
  const { host, area } = formula;
  // Streamlit's own shortcuts (r, c) would answer these keys too.
  for (const kind of ["keydown", "keyup", "keypress"])
    host.addEventListener(kind, (event) => event.stopPropagation());
  area.addEventListener("keydown", (event) => {
    if (event.isComposing) return; // an input method uses the keys
    const act = actionOf(formula, event);
    if (!act) return;
    event.preventDefault();
    act(formula);
  });
}

/** @param {Formula} formula @param {KeyboardEvent} event */
function actionOf(formula, event) {
  const ctrl = event.ctrlKey || event.metaKey;
  if (event.altKey || (event.shiftKey && event.key !== "/")) return null; // on some keyboards / needs shift
  if (formula.popup.open && !ctrl && CHOOSING[event.key]) return CHOOSING[event.key];
  if (event.key === "Backspace" && !ctrl) {
    const change = outdented(formula.typing);
    return change && (() => formula.replace(change));
  }
  if (event.key === "Tab")
    return formula.begun ? () => formula.become(indented(formula.typing)) : null;
  return WRITING[
    `${ctrl ? "ctrl+" : ""}${ctrl && event.key.length === 1 ? event.key.toLowerCase() : event.key}`
  ]; // F with caps lock
}

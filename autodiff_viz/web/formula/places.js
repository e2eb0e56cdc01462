// @ts-check
// Look up which nodes a place in the text makes, and where the text makes a node.

import { placeOf, unitOf } from "./caret.js";
import { offsetInText, foldedLines } from "./fold.js";
import { lineMap, unitAt } from "./mirror.js";

/** @typedef {import("../types.js").Place} Place */
/** @typedef {{ line: number, unit: number }} Spot  a line, from 0, and a UTF-16 offset in it */
/**
 * A node with its place: lines from 0 and UTF-16 offsets.
 *
 * @typedef {object} Made
 * @property {string} name
 * @property {number} line
 * @property {number} start
 * @property {number} endLine
 * @property {number} end just behind the last one
 * @property {string} sign nodes of one sign have one place
 */
/**
 * @typedef {object} Index
 * @property {string[]} lines
 * @property {Map<string, Made>} made
 * @property {Map<number, Made[]>} at the nodes of each line
 * @property {Map<number, { name: string, nodes: string[] }[]>} heads the frames that each line begins
 */

const WORD = /[A-Za-z_]\w*/g;
const DEF = /^\s*def\s+\w+\s*\(([^)]*)/;

/** Whether a text is a draft, which the graph is older than: it has mistakes or is being read, and no part of it is
 * the graph.
 * @param {{ mistakes: unknown[], being_read?: boolean, code?: unknown } | undefined} data */
export const isDraft = (data) => Boolean((data?.mistakes.length || data?.being_read) && !data.code);

/** Read the places that Python has written.
 * @param {{ text: string, places?: string, heads?: string }} data @param {string[]} nodes @param {{ name: string, nodes: string[] }[]} frames
 * both in Python's order @returns {Index} */
export function indexed({ text, places = "", heads = "" }, nodes, frames) {
  /** @type {Index} */
  const index = { lines: text.split("\n"), made: new Map(), at: new Map(), heads: new Map() };
  const signs = places.split(" "),
    begins = heads.split(" ");
  if (places && signs.length === nodes.length)
    nodes.forEach((name, i) => signs[i] && add(index, name, signs[i]));
  if (places && begins.length === frames.length)
    frames.forEach((frame, i) =>
      begins[i].split(",").forEach((line) => push(index.heads, Number(line) - 1, frame)),
    );
  return index;
}

/** @param {Index} index @param {string} name @param {string} sign "3", "3:8-14" or "3:8-4:2" */
function add({ lines, made, at }, name, sign) {
  const [, first, column, ends] = /^(\d+)(?::(\d+)-(.*))?$/.exec(sign) ?? [];
  const line = Number(first) - 1;
  const [last, endColumn] = (ends ?? "").includes(":")
    ? ends.split(":").map(Number)
    : [line + 1, Number(ends)];
  const text = lines[line] ?? "";
  const whole = column === undefined;
  const one = {
    name,
    sign,
    line,
    endLine: last - 1,
    start: whole ? text.search(/\S|$/) : unitOf(text, Number(column)),
    end: whole ? text.length : unitOf(lines[last - 1] ?? "", endColumn),
  };
  made.set(name, one);
  for (let over = line; over < last; over++) push(at, over, one);
}

/** @template K, V @param {Map<K, V[]>} map @param {K} key @param {V} value */
const push = (map, key, value) => void (map.get(key)?.push(value) ?? map.set(key, [value]));

/** The nodes that a place in the text makes: those of the innermost expression there; of a line that only begins blocks, all in
 * them; of the head of a function, all that its calls make.
 * @param {Index} index @param {Spot} at one in the indentation is that of the line's beginning @returns {string[]} */
export function nodesAt(index, at) {
  const spot = { line: at.line, unit: Math.max(at.unit, depthOf(index.lines[at.line] ?? "")) };
  const called = calledAt(index, spot);
  if (called.length) return called;
  const around = (index.at.get(spot.line) ?? []).filter((one) => holds(one, spot));
  const inner = around.reduce(
    (/** @type {Made | null} */ best, one) => (best && !isInside(one, best) ? best : one),
    null,
  );
  if (inner) return around.filter(({ sign }) => sign === inner.sign).map(({ name }) => name);
  const frames = index.heads.get(spot.line);
  if (frames) return unique(frames.flatMap(({ nodes }) => nodes));
  if (DEF.test(index.lines[spot.line] ?? ""))
    return nodesIn(index, spot.line + 1, blockEnd(index.lines, spot.line));
  const [, returned] = /^\s*return\s+(\w+)/.exec(index.lines[spot.line] ?? "") ?? [];
  return returned ? nodesNamed(index, spot.line, returned) : [];
}

/** The nodes of the lines that a selection covers, or of the innermost expression around it.
 * @param {Index} index @param {Spot} from @param {Spot} to @returns {string[]} */
export function nodesBetween(index, from, to) {
  if (from.line === to.line)
    return nodesAt(index, from).filter(
      (name) => from.unit === to.unit || nodesAt(index, to).includes(name),
    );
  return nodesIn(index, from.line, to.unit ? to.line + 1 : to.line);
}

/** The nodes that lines make. @param {Index} index @param {number} first @param {number} end the line behind the last */
function nodesIn({ at, heads }, first, end) {
  /** @type {string[]} */
  const names = [];
  for (let line = first; line < end; line++) {
    names.push(...(at.get(line) ?? []).map(({ name }) => name));
    for (const { nodes } of heads.get(line) ?? []) names.push(...nodes);
  }
  return unique(names);
}

/** The nodes of a call of a function of the text, if its name is at this place. @param {Index} index @param {Spot} spot */
function calledAt({ lines, heads }, { line, unit }) {
  const word = wordAt(lines[line] ?? "", unit);
  if (!word?.called) return [];
  return unique(
    (heads.get(line) ?? [])
      .filter(({ name }) => name.split(/[ .]/)[0] === word.text)
      .flatMap(({ nodes }) => nodes),
  );
}

/** What a pointer at a place means: the node of a name, else the nodes that the place makes.
 * @param {Index} index @param {Spot} spot @returns {string[]} */
export function nodesUnder(index, { line, unit }) {
  const text = index.lines[line] ?? "";
  const word = wordAt(text, unit);
  const named =
    word && !word.called && isName(text, word) ? nodesNamed(index, line, word.text) : [];
  return named.length ? named : nodesAt(index, { line, unit });
}

/** The nodes that a name in a line means. In a function they are those that its own lines make; an argument means another node in
 * each call, and none here.
 * @param {Index} index @param {number} line @param {string} name @returns {string[]} */
export function nodesNamed(index, line, name) {
  const head = functionAround(index.lines, line);
  if (head >= 0) {
    const own = assigned(index, name, head + 1, blockEnd(index.lines, head));
    if (own.length) return own;
    const given =
      DEF.exec(index.lines[head])?.[1]
        .split(",")
        .map((argument) => argument.split("=")[0].trim()) ?? [];
    if (given.includes(name)) return [];
  }
  /** @type {string[]} */
  const names = index.made.has(name) ? [name] : [];
  for (
    let at = 0;
    at < index.lines.length;
    at = DEF.test(index.lines[at]) ? blockEnd(index.lines, at) : at + 1
  )
    names.push(...assigned(index, name, at, at + 1));
  return unique(names);
}

/** The nodes that lines assign to a name. @param {Index} index @param {string} name @param {number} first @param {number} end */
function assigned({ at, lines }, name, first, end) {
  const begins = new RegExp(`^${name}\\s*=(?!=)`);
  const names = [];
  for (let line = first; line < end; line++) {
    for (const one of at.get(line) ?? [])
      if (one.line === line && begins.test(lines[line].slice(one.start))) names.push(one.name);
  }
  return names;
}

/** The word at an offset of a line. @param {string} text @param {number} unit */
function wordAt(text, unit) {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (index <= unit && unit <= index + word.length)
      return { text: word, start: index, called: /^\s*\(/.test(text.slice(index + word.length)) };
  }
  return null;
}

/** Whether a word can be the name of a node: not in a comment or a string, no keyword of a call, and no argument of a lambda.
 * @param {string} line @param {{ text: string, start: number }} word */
function isName(line, { text, start }) {
  const before = line.slice(0, start).replace(/"[^"]*"|'[^']*'/g, "");
  if (
    /["'#]/.test(before) ||
    (/[(,]\s*$/.test(before) && /^\s*=(?!=)/.test(line.slice(start + text.length)))
  )
    return false;
  const [, given] = /\blambda\b([^:]*)(?!.*\blambda\b)/.exec(before) ?? [];
  return given === undefined || !given.split(",").some((argument) => argument.trim() === text);
}

/** The line of the function whose body has this line; -1 for none. @param {string[]} lines @param {number} line */
function functionAround(lines, line) {
  for (let at = line - 1, depth = depthOf(lines[line] ?? ""); at >= 0 && depth > 0; at--) {
    const own = lines[at].trim() ? depthOf(lines[at]) : depth;
    if (own >= depth) continue;
    if (DEF.test(lines[at])) return at;
    depth = own;
  }
  return -1;
}

/** The line behind a block, by its head. @param {string[]} lines @param {number} head */
function blockEnd(lines, head) {
  let end = head + 1;
  while (end < lines.length && (!lines[end].trim() || depthOf(lines[end]) > depthOf(lines[head])))
    end++;
  return end;
}

/** @param {string} line */
const depthOf = (line) => line.search(/\S|$/);

/** @param {Made} one @param {Spot} spot */
const holds = ({ line, start, endLine, end }, spot) =>
  !isBefore(spot, { line, unit: start }) && !isBefore({ line: endLine, unit: end }, spot);

/** @param {Made} one @param {Made} other */
const isInside = (one, other) =>
  holds(other, { line: one.line, unit: one.start }) &&
  holds(other, { line: one.endLine, unit: one.end });

/** @param {Spot} a @param {Spot} b */
const isBefore = (a, b) => a.line < b.line || (a.line === b.line && a.unit < b.unit);

/** @param {string[]} names */
const unique = (names) => [...new Set(names)];

/** Where the text makes these nodes, each place once. @param {Index} index @param {Iterable<string>} names @returns {Made[]} */
export function placesOf({ made }, names) {
  /** @type {Map<string, Made>} */
  const places = new Map();
  for (const name of names) {
    const one = made.get(name);
    if (one) places.set(one.sign, one);
  }
  return [...places.values()];
}

/** The range of each line of a place, without the indentation of continuation lines.
 * @param {Made} made @param {string[]} lines of the text @returns {{ line: number, start: number, end: number }[]} */
export function rangesOf({ line, start, endLine, end }, lines) {
  const ranges = [];
  for (let at = line; at <= Math.min(endLine, lines.length - 1); at++) {
    ranges.push({
      line: at,
      start: at === line ? start : depthOf(lines[at]),
      end: at === endLine ? end : lines[at].length,
    });
  }
  return ranges;
}

// Places of the text that Python has read last without a mistake: of the caret, of a point of the screen.

/** @typedef {import("./editor.js").Formula} Formula */

/** Whether the keyboard writes in the formula. @param {Formula} formula */
export const hasCaret = ({ area }) =>
  /** @type {Document | ShadowRoot} */ (area.getRootNode()).activeElement === area;

/** The ends of the selection; null in a line that has changed since Python read it.
 * @param {Formula} formula @param {string[]} known the lines that it read @returns {[Spot, Spot] | null} */
export function spotsOf({ area }, known) {
  const read = lineMap(area.value.split("\n"), known);
  const [from, to] = [area.selectionStart, area.selectionEnd].map((offset) =>
    asRead(placeOf(area.value, offset), read),
  );
  return from && to && [from, to];
}

/** The place of a character under a point of the screen; null for none.
 * @param {Formula} formula @param {string[]} known the lines that Python read @param {number} x @param {number} y */
export function characterAt({ area, mirror, reads }, known, x, y) {
  const character = unitAt(mirror, x, y);
  const lines = area.value.split("\n");
  const place =
    character && reads
      ? offsetInText(foldedLines(lines), character.line, character.unit)
      : character;
  return place && asRead(place, lineMap(lines, known));
}

/** @param {Spot} spot @param {(line: number) => number} read @returns {Spot | null} */
function asRead({ line, unit }, read) {
  const now = read(line);
  return now < 0 ? null : { line: now, unit };
}

/** Scroll the text to the first chosen node, or lit one, without scrolling the page; false if the text is not on view.
 * @param {Formula} formula @param {"chosen" | "lit"} kind */
export function showMarked({ area, box, mirror, nodes }, kind) {
  const [first] = nodes[kind];
  const { known } = nodes;
  const line = first ? lineMap(known, area.value.split("\n"))(first.line) : -1;
  const row = /** @type {HTMLElement | undefined} */ (mirror.children[line]);
  if (!row) return true;
  if (!box.clientHeight) return false;
  const [outer, inner] = [box.getBoundingClientRect(), row.getBoundingClientRect()];
  box.scrollTop += Math.min(inner.top - outer.top, 0) + Math.max(inner.bottom - outer.bottom, 0);
  return true;
}

// @ts-check
// Look up all numbers along one slider in the table that views/canvas/slider_tables.py sends. Pure. Between
// its positions nothing is made up: the nearest one is shown.

import { normOf, numberText, signOf, steady, widthOf } from "../draw/text/numbers.js";

/** @typedef {[what: string, node: string, ...rest: number[]]} Column the last number is its kind */
/**
 * @typedef {{
 *   key: string, input: string, count: number, low: number, high: number, wide: boolean,
 *   columns: Column[], floor: number, numbers: string, flows?: "passed" | "pushed",
 * }} Sent  `flows`: what wires show, in forward mode what they add to a tangent; a table that is too large has a `count` of 0 and
 * nothing else
 */
/** @typedef {{ sent: Sent, count: number, rows: Float32Array | Float64Array, starts: number[] }} Table */
/** @typedef {{ text: string }} NodeNumber */
/** @typedef {{ width: number, sign: number, passed: string }} Flow */
/** @typedef {{ kind: number, numbers: ArrayLike<number> }} Place  `kind`: as of a column */
/** @typedef {{ position: number, value: Map<string, string>, tangent: Map<string, string>, cotangent: Map<string, string>, passed: Map<string, Flow>, numbers: Map<string, Place> }} Row
 * what stands on the canvas at one position: by node, and by wire; in forward mode `passed` is what a wire adds to a tangent;
 * `numbers`: all of the table, such as those of "value y" and "local y:0" */

const WRITTEN = ["value", "tangent", "cotangent"]; // on cards

/** @param {Sent} sent @returns {Table} */
export function readTable(sent) {
  if (!sent.count) return { sent, count: 0, rows: new Float32Array(), starts: [0] };
  const bytes = Uint8Array.from(atob(sent.numbers), (letter) => letter.charCodeAt(0));
  const rows = sent.wide ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
  const starts = [0];
  for (const column of sent.columns) starts.push((starts.at(-1) ?? 0) + partsOf(kindOf(column)));
  return { sent, count: sent.count, rows, starts };
}

/** @param {Column} column @returns {number} */
const kindOf = (column) => /** @type {number} */ (column.at(-1));

/** Number of numbers in a row for a column of this kind. @param {number} kind */
const partsOf = (kind) => (kind < 0 ? 2 : kind || 1);

/** The position nearest to `value`. @param {Table} table @param {number} value */
export function nearest({ sent: { low, high, count } }, value) {
  const i = Math.round(((value - low) / (high - low)) * (count - 1));
  return Math.min(Math.max(i, 0), count - 1);
}

/** The value of the input at a position, computed exactly as in Python. @param {Table} table @param {number} i */
export const positionOf = ({ sent: { low, high, count } }, i) => low + ((high - low) * i) / (count - 1);

/** @param {Table} table @param {number} i @returns {Row} */
export function rowOf(table, i) {
  const { sent, starts, rows } = table;
  const start = i * (starts.at(-1) ?? 0);
  /** @type {Row} */
  const row = { position: positionOf(table, i), value: new Map(), tangent: new Map(), cotangent: new Map(), passed: new Map(), numbers: new Map() };
  const parts = sent.columns.map((_, c) => rows.subarray(start + starts[c], start + starts[c + 1]));
  const largest = largestOf(sent, parts);
  sent.columns.forEach((column, c) => {
    const [what, node, slot] = column;
    const kind = kindOf(column);
    row.numbers.set(`${what} ${node}${column.length > 3 ? `:${slot}` : ""}`, { kind, numbers: parts[c] });
    if (what === flowsOf(sent)) row.passed.set(`${node}:${slot}`, flowOf(kind, parts[c], largest));
    else if (WRITTEN.includes(what)) row[/** @type {"value"} */ (what)].set(node, numberText(kind, parts[c], 4, steady));
  });
  return row;
}

/** @param {Sent} sent */
const flowsOf = ({ flows = "passed" }) => flows;

/** @param {number} kind @param {ArrayLike<number>} numbers @param {number} largest @returns {Flow} */
const flowOf = (kind, numbers, largest) => ({
  width: widthOf(normOf(kind, numbers), largest),
  sign: signOf(kind, numbers),
  passed: numberText(kind, numbers, 3, steady),
});

/** The largest contribution at this position. @param {Sent} sent @param {ArrayLike<number>[]} parts */
function largestOf(sent, parts) {
  let largest = sent.floor;
  sent.columns.forEach((column, c) => {
    if (column[0] !== flowsOf(sent)) return;
    const size = normOf(kindOf(column), parts[c]);
    if (Number.isFinite(size) && size > largest) largest = size;
  });
  return largest;
}

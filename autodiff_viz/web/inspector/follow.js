// @ts-check
// Compute the selected node's numbers at the position of a dragged slider, from the table that moves the
// canvas. Numbers that the table lacks either do not depend on the slider, or cannot be computed here and are
// faded. Pure.

import { shared } from "../base/constants.js";
import { fullText, scalar, shortText, termText } from "../base/numbers.js";

/** @typedef {import("../types.js").NodeData} NodeData */
/** @typedef {import("../types.js").Term} Term */
/** @typedef {import("../types.js").WireRow} WireRow */
/** @typedef {import("../base/numbers.js").Num} Num */
/** @typedef {Map<string, Num>} Numbers  by place in the table, such as "local y:0" */

const { digits: DIGITS } = shared;

/** All digits of a number; a text as it is, and "" for nothing. @param {Num | string | undefined} what */
export const inFull = (what) => (typeof what === "object" ? fullText(what) : (what ?? ""));

/** A piece of a line of numbers: negative numbers in brackets. @param {Term} term @param {boolean} [isTotal] which has none @returns {string} */
function termSays([what], isTotal) {
  if (typeof what !== "object") return what;
  if (what.kind !== 0) return shortText(what);
  return isTotal ? scalar(what.numbers[0], DIGITS) : termText(what.numbers[0], DIGITS);
}

/** A line of numbers as texts with their roles. @param {Term[] | undefined} terms @param {boolean} [isSum] the last number is the total
 * @returns {[text: string, role: string][]} */
export const pieces = (terms = [], isSum = false) =>
  terms.map((term, i) => [termSays(term, isSum && i === terms.length - 1), term[1]]);

/** The same in one text. @param {Term[] | undefined} terms @param {boolean} [isSum] */
export const lineText = (terms, isSum) =>
  pieces(terms, isSum)
    .map(([text]) => text)
    .join("");

/** The node's data with the numbers of a table's row, and the numbers that are of the position before.
 * @param {NodeData} data @param {Numbers} numbers @returns {{ data: NodeData, stale: Set<string> }} */
export function followed(data, numbers) {
  /** @type {Set<string>} */
  const stale = new Set();
  const whole = (
    /** @type {"value" | "arriving" | "tangent"} */ part,
    /** @type {string} */ what,
  ) => {
    const [moving, before] = [numbers.get(`${what} ${data.name}`), data[part]];
    if (before === null) return before; // Python has no number for it: no path leads to the output
    const now = moving && before !== undefined ? movedTo(moving, before) : moving;
    if (now === null) stale.add(part);
    return now ?? before;
  };
  // A sum leaves out terms that are zero: it is stale if it may have one more at the slider's position.
  const summed = new Set(data.added?.map(([, , place]) => place));
  const pushed = data.wires?.map(({ slot }) => `pushed ${data.name}:${slot}`);
  if (pushed?.some((place) => numbers.has(place) && !summed.has(place))) stale.add("added");
  const wires = data.wires?.map((wire) => followedWire(wire, `${data.name}:${wire.slot}`, numbers));
  const value = /** @type {Num | undefined} */ (whole("value", "value"));
  const arriving = /** @type {Num | undefined} */ (whole("arriving", "cotangent"));
  const tangent = whole("tangent", "tangent");
  return {
    stale,
    data: {
      ...data,
      value,
      arriving,
      tangent,
      added: moved(data.added, numbers),
      fork: moved(data.fork, numbers),
      wires,
    },
  };
}

/** The node's data while a pass is played: without the numbers that it has not computed yet.
 * @param {NodeData} data @param {(place: string) => boolean} isComputed @returns {NodeData} */
export function computedSoFar(data, isComputed) {
  const { name } = data;
  const [value, cotangent] = [isComputed(`value ${name}`), isComputed(`cotangent ${name}`)];
  const wires = data.wires?.map((wire) =>
    isComputed(`passed ${name}:${wire.slot}`)
      ? wire
      : { ...wire, passed: undefined, terms: undefined, apart: "" },
  );
  return {
    ...data,
    value: value ? data.value : undefined,
    arriving: cotangent ? data.arriving : undefined,
    fork: cotangent ? data.fork : undefined,
    wires,
  };
}

/** A wire's row of the panel, which stands in the wire's popover too.
 * @param {WireRow} wire @param {string} id @param {Numbers} numbers @returns {WireRow} */
export function followedWire(wire, id, numbers) {
  const place = `passed ${id}`;
  const before = wire.passed ?? wire.terms?.find(([, , at]) => at === place)?.[0]; // its equation has it, if there is one
  const moving = numbers.get(place);
  const passed =
    moving && typeof before === "object" ? (movedTo(moving, before) ?? before) : before;
  const terms = isSymbolic(wire.terms, numbers) ? undefined : moved(wire.terms, numbers);
  return { ...wire, passed, terms, pushes: moved(wire.pushes, numbers) };
}

/** Whether JAX passes nothing, a symbolic zero, where the product would be NaN; as lab/inspector/node.py says it.
 * @param {Term[] | undefined} terms @param {Numbers} numbers */
function isSymbolic(terms = [], numbers) {
  const at = (/** @type {string} */ what) => {
    const [own, , place = ""] = terms.find(([, , at]) => at?.startsWith(`${what} `)) ?? [];
    return typeof own === "object" ? (numbers.get(place) ?? own).numbers[0] : undefined;
  };
  const [local, arriving, passed] = [at("local"), at("cotangent"), at("passed")];
  return (
    local !== undefined &&
    arriving !== undefined &&
    passed !== undefined &&
    Number.isNaN(local * arriving) &&
    Number.isFinite(passed)
  );
}

/** A line with the numbers of the row. @template {Term[] | undefined} T @param {T} terms @param {Numbers} numbers @returns {T} */
const moved = (terms, numbers) =>
  /** @type {T} */ (
    terms?.map(([before, role, place]) => {
      const moving = place === undefined ? undefined : numbers.get(place);
      return moving ? [movedTo(moving, before) ?? before, role, place] : [before, role, place];
    })
  );

/** A number of the row with the shape that it had at another position; null for a written vector of which only the norm is
 * known. @param {Num} num @param {Num | string} before @returns {Num | null} */
function movedTo(num, before) {
  if (typeof before !== "object" || num.kind >= 0) return num;
  return before.kind > 0 ? null : { ...num, dims: before.dims };
}

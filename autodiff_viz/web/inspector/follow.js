// @ts-check
// Compute the selected node's numbers at the position of a dragged slider, from the table that moves the
// canvas. Numbers that the table lacks either do not depend on the slider, or cannot be computed here and are
// faded. Pure.

import { shared } from "../base/constants.js";
import { scalar } from "../base/numbers.js";

/** @typedef {import("../types.js").NodeData} NodeData */
/** @typedef {import("../types.js").Term} Term */
/** @typedef {import("../types.js").WireRow} WireRow */
/** @typedef {Map<string, import("../canvas/scrub.js").Place>} Numbers  by place in the table, such as "local y:0" */

const { digits: DIGITS } = shared;
const FEW = 3; // of a tensor's norm and of a vector's numbers

/** The node's data with the numbers of a table's row, and the numbers that are of the position before.
 * @param {NodeData} data @param {Numbers} numbers @returns {{ data: NodeData, stale: Set<string> }} */
export function followed(data, numbers) {
  /** @type {Set<string>} */
  const stale = new Set();
  const whole = (
    /** @type {"value" | "arriving" | "tangent"} */ part,
    /** @type {string} */ what,
  ) => {
    const found = numbers.get(`${what} ${data.name}`);
    const text = found && tensorText(found, data[part] ?? "");
    if (text === null) stale.add(part);
    return text ?? data[part];
  };
  if (data.wires?.some(({ slot }) => isLeftOut(`pushed ${data.name}:${slot}`, data.added, numbers)))
    stale.add("added");
  const wires = data.wires?.map((wire) => followedWire(wire, `${data.name}:${wire.slot}`, numbers));
  const [value, arriving, tangent] = [
    whole("value", "value"),
    whole("arriving", "cotangent"),
    whole("tangent", "tangent"),
  ];
  return {
    stale,
    data: {
      ...data,
      value,
      arriving,
      tangent,
      added: sum(data.added, numbers),
      fork: sum(data.fork, numbers),
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
      : { ...wire, passed: "", terms: undefined, apart: "" },
  );
  return {
    ...data,
    value: value ? data.value : "",
    arriving: cotangent ? data.arriving : "",
    fork: cotangent ? data.fork : undefined,
    wires,
  };
}

/** Whether a sum, which leaves out terms that are zero, may have this one at another position.
 * @param {string} place @param {Term[] | undefined} terms @param {Numbers} numbers */
const isLeftOut = (place, terms = [], numbers) =>
  numbers.has(place) && terms.every(([, , at]) => at !== place);

/** A wire's row of the panel, which stands in the wire's popover too.
 * @param {WireRow} wire @param {string} id @param {Numbers} numbers @returns {WireRow} */
export function followedWire(wire, id, numbers) {
  const passed = passedText(wire, numbers.get(`passed ${id}`));
  const terms = isSymbolic(wire.terms, numbers) ? undefined : product(wire.terms, numbers);
  return { ...wire, passed, terms, pushes: product(wire.pushes, numbers) };
}

/** Whether JAX passes nothing, a symbolic zero, where the product would be NaN; as lab/inspector/node.py says it.
 * @param {Term[] | undefined} terms @param {Numbers} numbers */
function isSymbolic(terms = [], numbers) {
  const at = (/** @type {string} */ what) => {
    const term = terms.find(([, , place]) => place?.startsWith(`${what} `));
    return term && (numbers.get(term[2] ?? "")?.numbers[0] ?? read(term[0]));
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

/** The number of a text. @param {string} text */
function read(text) {
  const plain = text
    .replace(/[()]/g, "")
    .replaceAll(shared.minus, "-")
    .replace("\u221e", "Infinity");
  return Number(plain);
}

/** What a wire passes. @param {WireRow} wire @param {import("../canvas/scrub.js").Place} [found] */
const passedText = ({ passed = "" }, found) =>
  found && /[\d\u221e]|NaN/.test(passed) ? (tensorText(found, passed) ?? passed) : passed;

/** A sum, of which the last number is the total. @param {Term[] | undefined} terms @param {Numbers} numbers */
const sum = (terms, numbers) => terms?.map((term, i) => moved(term, numbers, i < terms.length - 1));

/** @param {Term[] | undefined} terms @param {Numbers} numbers */
const product = (terms, numbers) => terms?.map((term) => moved(term, numbers, true));

/** A piece with the number of the row, in brackets if it is a negative term. @param {Term} term @param {Numbers} numbers
 * @param {boolean} bracket @returns {Term} */
function moved(term, numbers, bracket) {
  const [before, role, place] = term;
  const found = place === undefined ? undefined : numbers.get(place);
  if (!found) return term;
  const text = tensorText(found, before) ?? before;
  return [
    bracket && found.kind === 0 && text.startsWith(shared.minus) ? `(${text})` : text,
    role,
    place,
  ];
}

/** A number, a short vector, or a norm with what stands before it; null for a tensor of which only the norm is known.
 * @param {import("../canvas/scrub.js").Place} found @param {string} before its text at another position */
function tensorText({ kind, numbers }, before) {
  if (kind === 0) return scalar(numbers[0], DIGITS);
  if (kind > 0) return `[${Array.from(numbers, (number) => scalar(number, FEW)).join(", ")}]`;
  const [, normed] = /^(.*)\u2016.*\u2016$/.exec(before) ?? [];
  if (normed !== undefined) return `${normed}\u2016${scalar(numbers[0], FEW)}\u2016`;
  return before.startsWith("norm ") ? `norm ${scalar(numbers[0], DIGITS)}` : null;
}

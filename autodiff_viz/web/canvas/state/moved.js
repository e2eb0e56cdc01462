// @ts-check
// Write the numbers at another position of a slider into nodes and wires, for tooltips and screen readers. Pure.

import { fullText, numberText } from "../../base/numbers.js";
import { wiresOf } from "./fold.js";

/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").Wire} Wire */
/** @typedef {Pick<import("../scrub.js").Row, "numbers" | "passed">} Row */

const PADDING = /[\u2007\u2008]+$/; // of numbers whose digits keep their places

/** A node with the numbers of a row; the same node if the row has none of it. What else is said of its numbers is of the
 * position before, and left out.
 * @param {GraphNode} node @param {Row} row @returns {GraphNode} */
export function nodeAt(node, { numbers }) {
  const name = node.group ? node.group.output : node.id;
  const found = /** @type {const} */ (["value", "tangent", "cotangent"]).flatMap((which) => {
    const num = numbers.get(`${which} ${name}`);
    if (!num || node[which] === undefined) return [];
    const whole = num.kind < 0 ? { ...num, dims: node.dims } : num;
    return [
      [which, numberText(whole)],
      [`${which}Full`, fullText(whole)],
    ];
  });
  if (!found.length) return node;
  const { state, warning, heat, ...rest } = node;
  return { ...rest, ...Object.fromEntries(found) };
}

/** A wire with the numbers of a row; the same wire if the row has none of it.
 * @param {Wire} wire @param {Row} row @returns {Wire} */
export function wireAt(wire, { numbers, passed }) {
  const [one, ...more] = wiresOf(wire).map(({ to, slot }) => `${to}:${slot}`);
  const flow = passed.get(one);
  if (more.length || !flow) return wire;
  const text = flow.passed.replace(PADDING, "");
  const back = numbers.get(`passed ${one}`);
  if (!wire.reverse) return { ...wire, passed: text, passedFull: back && fullText(back) };
  const reverse = back && {
    ...wire.reverse,
    passed: numberText(back, 3),
    passedFull: fullText(back),
  };
  return { ...wire, passed: text, passedFull: text, reverse: reverse ?? wire.reverse };
}

/** A drawing with the numbers of a row; the same drawing without a row.
 * @template {{ nodes: GraphNode[], wires: Wire[] }} T @param {T} drawing @param {Row | null} row @returns {T} */
export const drawingAt = (drawing, row) =>
  row
    ? {
        ...drawing,
        nodes: drawing.nodes.map((node) => nodeAt(node, row)),
        wires: drawing.wires.map((wire) => wireAt(wire, row)),
      }
    : drawing;

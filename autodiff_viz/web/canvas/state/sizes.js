// @ts-check
// Sort cards by the size of a quantity, by which they are filled where no number is read: cotangent, value or elements.
// The size of a tensor is its norm. Pure.

import { sizeOf } from "../../base/numbers.js";

/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {"cotangent" | "value" | "elements"} Quantity */
/**
 * @typedef {object} Sizes
 * @property {Map<string, string>} classes by node, a step from 0 to 4, "zero", "none" or "nonfinite"
 * @property {number} least of what has a step, 0 without any
 * @property {number} most of what has a step, 0 without any
 * @property {Set<string>} kinds of the classes
 */

export const STEPS = 5;

/** @param {import("../../base/numbers.js").Num | undefined} num */
const sizeIn = (num) => (num ? sizeOf(num) : null);

/** @type {Record<Quantity, (node: GraphNode) => number | null>} null: there is none */
const SIZE = {
  cotangent: ({ connected, numbers }) => (connected ? sizeIn(numbers?.cotangent) : null),
  value: ({ numbers }) => sizeIn(numbers?.value),
  elements: ({ numbers }) =>
    numbers?.value ? (numbers.value.dims ?? []).reduce((all, one) => all * one, 1) : null,
};
export const QUANTITIES = /** @type {Quantity[]} */ (Object.keys(SIZE));

/** Whether neither a cotangent arrives at a node nor anything but zeros. @param {GraphNode} node */
export const takesNoGradient = (node) => !node.isOutput && [null, 0].includes(SIZE.cotangent(node));

/** Steps that are even on a logarithmic scale, from the least to the greatest size.
 * @param {GraphNode[]} nodes @param {Quantity} quantity @returns {Sizes} */
export function sizesBy(nodes, quantity) {
  const sizes = nodes.map((node) => SIZE[quantity](node));
  const usual = /** @type {number[]} */ (
    sizes.filter((size) => size !== null && size > 0 && size < Infinity)
  );
  const least = usual.reduce((a, b) => Math.min(a, b), usual[0] ?? 0);
  const most = usual.reduce((a, b) => Math.max(a, b), 0);
  const span = Math.log(most / least);
  const classOf = (/** @type {number | null} */ size) => {
    if (size === null) return "none";
    if (!Number.isFinite(size)) return "nonfinite";
    if (size === 0) return "zero";
    return String(
      span > 0
        ? Math.min(Math.floor((STEPS * Math.log(size / least)) / span), STEPS - 1)
        : STEPS - 1,
    );
  };
  const classes = new Map(nodes.map(({ id }, i) => [id, classOf(sizes[i])]));
  return { classes, least, most, kinds: new Set(classes.values()) };
}

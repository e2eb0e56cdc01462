// @ts-check
// Compute the share of a wire in the cotangent of the node that it comes from. Pure.

import { shared } from "../../../web/constants.js";

/** @typedef {import("../types.js").Wire} Wire */

/** @param {string | undefined} text as Python writes a number in full @returns {number} NaN for a tensor */
const numberOf = (text) => Number((text ?? "").replaceAll(shared.minus, "-").replace("\u221e", "Infinity") || NaN);

/** In words, what part of the cotangent at a fork comes through this wire; "" where the node feeds no other.
 * @param {{ nodes: import("../types.js").GraphNode[], wires: Wire[] }} drawing @param {Wire} wire */
export function shareOf({ nodes, wires }, wire) {
  const beside = wires.filter(({ from, alternative }) => from === wire.from && !alternative);
  const node = nodes.find(({ id }) => id === wire.from);
  if (!node || beside.length < 2) return "";
  const of = `${wire.passed} of ${node.cotangent}`;
  const parts = beside.map(({ passed, passedFull }) => numberOf(passedFull ?? passed));
  const own = numberOf(wire.passedFull ?? wire.passed);
  const sum = parts.reduce((all, part) => all + part, 0);
  const many = `the sum of ${beside.length} wires`;
  if (!Number.isFinite(sum) || !sum || node.isOutput || parts.some((part) => part * sum < 0)) return `${of}, ${many}`;
  return `${of}, ${Math.round((100 * own) / sum)} % of ${many}`;
}

// @ts-check
// Remove from a drawing the nodes that take no gradient, with their wires. Pure.

import { takesNoGradient } from "./sizes.js";

/** @typedef {import("../../types.js").Drawing} Drawing */

/** @param {Drawing} drawing @returns {Drawing} */
export function withoutNone(drawing) {
  const gone = new Set(drawing.nodes.filter(takesNoGradient).map(({ id }) => id));
  const held = (/** @type {any[]} */ frames) =>
    frames
      .map((frame) => ({
        ...frame,
        nodes: frame.nodes.filter((/** @type {string} */ id) => !gone.has(id)),
      }))
      .filter(({ nodes }) => nodes.length);
  return {
    ...drawing,
    hidden: gone.size,
    nodes: drawing.nodes.filter(({ id }) => !gone.has(id)),
    wires: drawing.wires.filter(({ from, to }) => !gone.has(from) && !gone.has(to)),
    regions: held(drawing.regions),
    groups: held(drawing.groups ?? []),
  };
}

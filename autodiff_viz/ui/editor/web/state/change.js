// @ts-check
// Update a drawing persistently: return a copy with one change, which shares all unchanged objects. Pure.

import { RULES } from "../../../web/constants.js";

/** @typedef {import("../types.js").Drawing} Drawing */
/** @typedef {import("../types.js").GraphNode} GraphNode */
/** @typedef {import("../types.js").Slot} Slot */

/** @param {Drawing} drawing @param {string} id @param {Partial<GraphNode>} change @returns {Drawing} */
export const withNode = (drawing, id, change) => ({
  ...drawing,
  nodes: drawing.nodes.map((node) => (node.id === id ? { ...node, ...change } : node)),
});

/** @param {Drawing} drawing @param {string} id @param {number} slot @param {Partial<Slot>} change @returns {Drawing} */
export const withSlot = (drawing, id, slot, change) => {
  const slots = drawing.nodes.find((node) => node.id === id)?.slots ?? [];
  return withNode(drawing, id, { slots: slots.map((old, i) => (i === slot ? { ...old, ...change } : old)) });
};

/** @param {Drawing} drawing @param {string} to @param {number} slot @returns {Drawing} */
export const withoutWire = (drawing, to, slot) => ({
  ...withSlot(drawing, to, slot, { wired: false }),
  wires: drawing.wires.filter((wire) => wire.to !== to || wire.slot !== slot),
});

/** Wire `from` into a slot, in place of its content. The wire's contribution is not computed yet.
 * @param {Drawing} drawing @param {string} from @param {string} to @param {number} slot @returns {Drawing} */
export const withWire = (drawing, from, to, slot) => {
  const next = withSlot(withoutWire(drawing, to, slot), to, slot, { constant: null, constantFull: undefined, wired: true });
  const target = drawing.nodes.find(({ id }) => id === to);
  const alternative = Boolean(target && RULES[target.rule]?.alternative && slot === target.slots.length - 1);
  return { ...next, wires: [...next.wires, { from, to, slot, width: 0, sign: 0, passed: "", via: [], alternative }] };
};

/** @param {Drawing} drawing @param {string | undefined} id undefined: there is none @returns {Drawing} */
export const withOutput = (drawing, id) => ({
  ...drawing,
  nodes: drawing.nodes.map((n) => (n.isOutput === (n.id === id) ? n : { ...n, isOutput: n.id === id })),
});

// @ts-check
// Drawings travel without the fields that hold nothing, or what they usually hold; here they are put
// back. Pure.

import { CARD } from "./geometry.js";

/** @typedef {import("./types.js").Drawing} Drawing */

const NODE = { slots: [], value: "", cotangent: "", rule: "follow", isOutput: false, isInput: false };
const SLOT = { label: "", constant: null, wired: false };
const WIRE = { passed: "", via: [] };

/** @param {any} lean @returns {Drawing} */
export const complete = ({ nodes = [], wires = [], regions = [], selected = null, history = {}, notice = [], ...rest }) => ({
  ...rest,
  selected,
  history,
  notice,
  nodes: nodes.map((/** @type {any} */ node) => {
    const { slots, ...whole } = { ...NODE, ...CARD, symbol: node.op, connected: true, ...node };
    return { ...whole, slots: slots.map((/** @type {any} */ slot) => ({ ...SLOT, ...slot })) };
  }),
  wires: wires.map((/** @type {any} */ wire) => ({ ...WIRE, ...wire })),
  regions: regions.map((/** @type {any} */ region) => ({ nodes: [], saved: [], path: [], ...region })),
});

// @ts-check
// Decode lean drawings, which are sent without empty fields and default values. Pure.

import { CARD } from "../draw/geometry.js";
import { shared } from "../../../web/constants.js";

/** @typedef {import("../types.js").Drawing} Drawing */

const NODE = { slots: [], dims: [], value: "", cotangent: "", isOutput: false, isInput: false };
const SLOT = { label: "", constant: null, wired: false };
const FORMULA = { text: "", mistakes: [], marks: [], notes: [], readings: [], places: "", heads: "" };
const WIRE = { passed: "", via: [] };

/** Records already completed, so that unchanged records stay the same objects. @type {WeakMap<object, any>} */
const known = new WeakMap();

/** @template T @param {T[]} records @param {(record: any) => any} whole */
const all = (records, whole) => records.map((record) => {
  const found = known.get(/** @type {any} */ (record)) ?? whole(record);
  known.set(/** @type {any} */ (record), found);
  return found;
});

/** In forward mode a wire shows what it adds to the tangent of the node that reads it. @param {any} wire */
function pushing({ pushed = "", pushedFull, pushWidth, pushSign, ...wire }) {
  if (pushWidth === undefined) return wire;
  const { passed, passedFull } = wire;
  return { ...wire, passed: pushed, passedFull: pushedFull, width: pushWidth, sign: pushSign, reverse: { passed, passedFull } };
}

/** @param {any} lean @returns {Drawing} */
export const complete = ({ nodes = [], wires = [], regions = [], groups = [], selected = null, history = {}, notice = [], formula, ...rest }) => ({
  ...rest,
  formula: { ...FORMULA, ...formula },
  selected,
  history,
  notice,
  nodes: all(nodes, (node) => {
    const { slots, ...whole } = { ...NODE, ...shared.usual, w: CARD.w, h: CARD.h, symbol: node.op, ...node };
    return { ...whole, slots: slots.map((/** @type {any} */ slot) => ({ ...SLOT, ...slot })) };
  }),
  wires: all(wires, (wire) => pushing({ ...WIRE, ...wire })),
  regions: all(regions, (region) => ({ nodes: [], saved: [], path: [], policy: "", ...region })),
  groups: all(groups, (group) => ({ nodes: [], collapsed: false, ...group, sums: (group.sums ?? []).map((/** @type {any} */ sum) => ({ passed: "", width: 0, sign: 0, ...sum })) })),
});

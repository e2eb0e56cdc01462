// @ts-check
// Apply a delta-encoded patch, as canvas/delta.py describes it, to a known drawing. Pure; unchanged
// objects are shared.

import { shared } from "../../base/constants.js";
import { CARD } from "./geometry.js";

/** @param {any} record @returns {string} */
const nameOf = (record) =>
  "to" in record && "slot" in record ? `${record.to}:${record.slot}` : (record.id ?? record.name);

/** @param {any} before @param {any} patch @returns {any} */
export function apply(before, patch) {
  if (!isObject(patch)) return patch;
  if (Array.isArray(before)) return records(before, patch);
  if (!isObject(before)) return patch;
  const after = { ...before };
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete after[name];
    else after[name] = apply(before[name], change);
  }
  return after;
}

/** @param {any[]} before @param {{ gone?: string[], set?: Record<string, any>, new?: any[], order?: string[] }} patch */
function records(before, { gone = [], set = {}, new: added = [], order }) {
  const found = new Map(before.map((record) => [nameOf(record), record]));
  for (const name of gone) found.delete(name);
  for (const [name, change] of Object.entries(set)) found.set(name, apply(found.get(name), change));
  for (const record of added) found.set(nameOf(record), record);
  return order ? order.map((name) => found.get(name)) : [...found.values()];
}

/** @param {any} value */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const { drawings: KEPT } = shared; // older drawings that Python may still use as a base

/** The drawings of one session, by number. */
export class Drawings {
  constructor() {
    this.key = "";
    /** @type {Map<number, any>} */
    this.known = new Map();
  }

  /** The newest known number, which Python uses as the base. */
  get have() {
    return [...this.known.keys()].at(-1) ?? null;
  }

  /** The drawing of a message, whole or patched; null for a patch of a drawing that never arrived.
   * @param {{ key: string, rev: number, base?: number | null, full?: any, patch?: any }} word */
  read({ key, rev, base, full, patch }) {
    if (key !== this.key) [this.key, this.known] = [key, new Map()];
    const before = full ? null : this.known.get(base ?? -1);
    const drawing = this.known.get(rev) ?? full ?? (before && apply(before, patch));
    if (!drawing) return null;
    this.known.delete(rev);
    this.known.set(rev, drawing);
    for (const old of [...this.known.keys()].slice(0, -KEPT)) this.known.delete(old);
    return drawing;
  }
}

// -- Decode lean drawings, which are sent without empty fields and default values. Pure.

/** @typedef {import("../../types.js").Drawing} Drawing */

const NODE = { slots: [], dims: [], value: "", cotangent: "", isOutput: false, isInput: false };
const SLOT = { label: "", constant: null, wired: false };
const FORMULA = {
  text: "",
  mistakes: [],
  marks: [],
  notes: [],
  readings: [],
  places: "",
  heads: "",
};
const WIRE = { passed: "", via: [] };

/** Records already completed, so that unchanged records stay the same objects. @type {WeakMap<object, any>} */
const known = new WeakMap();

/** @template T @param {T[]} records @param {(record: any) => any} whole */
const all = (records, whole) =>
  records.map((record) => {
    const found = known.get(/** @type {any} */ (record)) ?? whole(record);
    known.set(/** @type {any} */ (record), found);
    return found;
  });

/** In forward mode a wire shows what it adds to the tangent of the node that reads it. @param {any} wire */
function pushing({ pushed = "", pushedFull, pushWidth, pushSign, ...wire }) {
  if (pushWidth === undefined) return wire;
  const { passed, passedFull } = wire;
  return {
    ...wire,
    passed: pushed,
    passedFull: pushedFull,
    width: pushWidth,
    sign: pushSign,
    reverse: { passed, passedFull },
  };
}

/** @param {any} lean @returns {Drawing} */
export const complete = ({
  nodes = [],
  wires = [],
  regions = [],
  groups = [],
  selected = null,
  history = {},
  notice = [],
  formula,
  ...rest
}) => ({
  ...rest,
  formula: { ...FORMULA, ...formula },
  selected,
  history,
  notice,
  nodes: all(nodes, (node) => {
    const { slots, ...whole } = {
      ...NODE,
      ...shared.usual,
      w: CARD.w,
      h: CARD.h,
      symbol: node.op,
      ...node,
    };
    return { ...whole, slots: slots.map((/** @type {any} */ slot) => ({ ...SLOT, ...slot })) };
  }),
  wires: all(wires, (wire) => pushing({ ...WIRE, ...wire })),
  regions: all(regions, (region) => ({ nodes: [], saved: [], path: [], policy: "", ...region })),
  groups: all(groups, (group) => ({
    nodes: [],
    collapsed: false,
    ...group,
    sums: (group.sums ?? []).map((/** @type {any} */ sum) => ({
      passed: "",
      width: 0,
      sign: 0,
      ...sum,
    })),
  })),
});

// @ts-check
// Apply a delta-encoded patch, as canvas/delta.py describes it, to a known drawing. Pure; unchanged
// objects are shared.

import { shared } from "../../base/constants.js";

/** @param {any} record @returns {string} */
const nameOf = (record) =>
  "to" in record && "slot" in record ? `${record.to}:${record.slot}` : (record.id ?? record.name);

/** @param {any} before @param {any} patch @returns {any} */
export function apply(before, patch) {
  if (!isObject(patch)) return patch;
  if (Array.isArray(before)) return records(before, patch);
  if (typeof before === "string" && patch.splice) {
    const [at, gone, put] = patch.splice;
    return before.slice(0, at) + put + before.slice(at + gone);
  }
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

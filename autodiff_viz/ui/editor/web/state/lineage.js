// @ts-check
// Find ancestors and descendants of nodes. Pure.

import { grouped } from "./loops.js";

/** @typedef {{ from: string, to: string, slot: number }} Wire */

/** The nodes, their ancestors and their descendants, and the wires between them, by `to:slot`.
 * @param {Wire[]} wires @param {string[]} ids @returns {{ nodes: Set<string>, wires: Set<string> }} */
export function lineage(wires, ids) {
  const into = grouped(wires, "to");
  const out = grouped(wires, "from");
  /** @type {Set<string>} */
  const along = new Set();
  const up = reached(ids, into, "from", along);
  const down = reached(ids, out, "to", along);
  return { nodes: new Set([...up, ...down]), wires: along };
}

/** @param {string[]} start @param {Map<string, Wire[]>} steps @param {"from" | "to"} end @param {Set<string>} along */
function reached(start, steps, end, along) {
  const found = new Set(start);
  for (const name of found) {
    for (const wire of steps.get(name) ?? []) {
      along.add(`${wire.to}:${wire.slot}`);
      found.add(wire[end]);
    }
  }
  return found;
}

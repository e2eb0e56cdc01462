// @ts-check
// Copies of nodes as they will look before Python has made them. Pure.

import { framesOf } from "./frames.js";

/** @typedef {import("./types.js").Drawing} Drawing */
/** @typedef {import("./types.js").Point} Point */

/** What the copies of the named nodes will be called, by name: as `graph/fragment.py` names them.
 * @param {string[]} taken @param {string[]} names @returns {Map<string, string>} */
export function copyNames(taken, names) {
  const used = new Set(taken);
  return new Map(names.map((name) => {
    const stem = name.replace(/_\d+$/, "") || name;
    let k = 1;
    while (used.has(`${stem}_${k}`)) k += 1;
    used.add(`${stem}_${k}`);
    return /** @type {[string, string]} */ ([name, `${stem}_${k}`]);
  }));
}

/** The drawing with copies of the named nodes, `by` away. They read what the originals read; nothing reads them.
 * @param {Drawing} drawing @param {string[]} names @param {Point} by @returns {Drawing} */
export function withCopies(drawing, names, [right, down]) {
  const chosen = new Set(names);
  const originals = drawing.nodes.filter(({ id }) => chosen.has(id));
  const nameOf = copyNames(drawing.nodes.map(({ id }) => id), originals.map(({ id }) => id));
  const nodes = originals.map((node) => {
    const id = /** @type {string} */ (nameOf.get(node.id));
    const symbol = node.isInput ? id : node.symbol;
    return { ...node, id, symbol, x: node.x + right, y: node.y + down, isOutput: false, connected: false, problem: null };
  });
  const wires = drawing.wires.filter(({ to }) => chosen.has(to)).map((wire) => ({
    ...wire, from: nameOf.get(wire.from) ?? wire.from, to: /** @type {string} */ (nameOf.get(wire.to)),
    width: 0, sign: 0, passed: "", passedFull: "", via: [],
  }));
  const whole = (drawing.groups ?? []).filter((group) => group.nodes.every((name) => chosen.has(name)));
  const titleOf = copyNames(framesOf(drawing).map(({ name }) => name), whole.map(({ name }) => name));
  const groups = whole.map((group) => ({ ...group, name: titleOf.get(group.name) ?? "", nodes: group.nodes.map((name) => nameOf.get(name) ?? name), sums: [] }));
  return { ...drawing, nodes: [...drawing.nodes, ...nodes], wires: [...drawing.wires, ...wires], groups: [...(drawing.groups ?? []), ...groups] };
}

// @ts-check
// Copies of nodes as they will look before Python has made them. Pure.

import { framesOf } from "./frames.js";
import { bounds } from "./geometry.js";

/** @typedef {import("./types.js").Drawing} Drawing */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./types.js").GraphNode} GraphNode */

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
export function withCopies(drawing, names, by) {
  const chosen = new Set(names);
  return copied(drawing, drawing.nodes.filter(({ id }) => chosen.has(id)), by);
}

/** @param {Drawing} drawing @param {GraphNode[]} originals @param {Point} by @returns {Drawing} */
function copied(drawing, originals, [right, down]) {
  const chosen = new Set(originals.map(({ id }) => id));
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

const STEP = 28; // px right and down, where a paste would cover nodes exactly; views/arranging.py says the same
const SAME = 8; // px within which two nodes stand in the same place

/** The drawing with pasted text put in around `at`, where the text was copied from nodes that are still there as they
 * were; as it is, where only Python can read the text.
 * @param {Drawing} drawing @param {{ text: string, at: Point }} paste @returns {Drawing} */
export function withPaste(drawing, { text, at }) {
  const found = originals(drawing, text);
  const box = bounds(found);
  if (!box) return drawing;
  const by = /** @type {Point} */ ([Math.round(at[0] - box.x - box.w / 2), Math.round(at[1] - box.y - box.h / 2)]);
  const covers = () => found.some(({ x, y }) => drawing.nodes.some((node) =>
    Math.abs(node.x - x - by[0]) < SAME && Math.abs(node.y - y - by[1]) < SAME));
  for (let tries = 0; tries <= drawing.nodes.length && covers(); tries += 1) [by[0], by[1]] = [by[0] + STEP, by[1] + STEP];
  return copied(drawing, found, by);
}

/** The nodes that a piece of text was copied from, where it says that they stood; [] unless all are there, unchanged.
 * @param {Drawing} drawing @param {string} text @returns {GraphNode[]} */
function originals({ nodes }, text) {
  const byName = new Map(nodes.map((node) => [node.id, node]));
  const places = new Map([...text.matchAll(/^# positions: (.*)$/gm)].flatMap(([, line]) =>
    line.split(", ").map((entry) => entry.split(" ")).map(([name, x, y]) => [name, [Number(x), Number(y)]])));
  const lines = [...text.matchAll(/^ *(\w+) = (.*)$/gm)];
  const found = lines.flatMap(([, name, line]) => {
    const [node, place] = [byName.get(name), places.get(name)];
    return node && place && (node.text ?? node.literal) === line ? [{ ...node, x: place[0], y: place[1] }] : [];
  });
  return found.length === lines.length ? found : [];
}

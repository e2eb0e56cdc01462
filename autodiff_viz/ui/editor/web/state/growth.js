// @ts-check
// Predict edits of nodes and wires, as graph/edits/node_edits.py and graph/edits/wire_edits.py apply them:
// add, insert into a wire, delete, connect, rewire. Pure.

import { withNode, withOutput, withoutWire, withWire } from "./change.js";
import { CARD, heightOf, PICTURED } from "../draw/geometry.js";
import { holding } from "./frames.js";
import { downstream, inOrder, upstream } from "./loops.js";
import { ownSlots } from "./rules.js";
import { shared } from "../../../web/constants.js";

/** @typedef {import("../types.js").Drawing} Drawing */
/** @typedef {import("../types.js").GraphNode} GraphNode */
/** @typedef {import("../types.js").PaletteOp} PaletteOp */
/** @typedef {import("../types.js").Point} Point */
/** @typedef {{ from: string, slot: number } | null | undefined} Reads */
/** @typedef {{ to: string, slot: number } | null | undefined} Feeds */

const { letters: LETTERS, inputs: NEW, nothing: NOTHING_YET } = shared;

/** The name that Python will give to a new node. @param {Drawing} drawing @param {string} op */
export function freshName({ nodes }, op) {
  const taken = new Set(nodes.map((node) => node.id));
  const letters = [...(LETTERS[op] ?? "")];
  const letter = letters.find((name) => !taken.has(name));
  if (letter) return letter;
  const stem = letters[0] ?? op;
  for (let k = 1; ; k++) if (!taken.has(`${stem}_${k}`)) return `${stem}_${k}`;
}

/** Size of the card of a new node. @param {PaletteOp} entry */
export const sizeOfNew = ({ slots }) => ({ w: CARD.w, h: heightOf(slots.length) });

/** Room to keep free for a new node: that of a picture where it reads a tensor, since its own is then likely one.
 * @param {PaletteOp} entry @param {GraphNode | undefined} from the node that it reads */
export const roomOfNew = (entry, from) => {
  const { w, h } = sizeOfNew(entry);
  return from?.heat ? { w: Math.max(w, PICTURED.w), h: Math.max(h, PICTURED.h) } : { w, h };
};

/** @param {Drawing} drawing @param {{ op: string, position: Point | null, wire?: Reads, by?: string, feeds?: Feeds, rule?: string }} edit
 * @param {Map<string, PaletteOp>} ops @returns {Drawing} */
export function added(drawing, { op, position, wire, by, feeds, rule }, ops) {
  const entry = ops.get(op);
  if (!entry || !position) return drawing;
  const node = { ...newNode(entry, freshName(drawing, op), position), ...(rule && { rule }) };
  const wider = { ...drawing, nodes: [...drawing.nodes, node] };
  const grown = drawing.nodes.length ? wider : withOutput(wider, node.id);
  if (wire && feeds) return inserted(grown, { node: node.id, position, from: wire.from, ...feeds });
  if (wire) {
    const wired = connected(grown, { from: wire.from, to: node.id, slot: wire.slot });
    return by ? connected(wired, { from: by, to: node.id, slot: 1 }) : wired;
  }
  return feeds ? connected(grown, { from: node.id, to: feeds.to, slot: feeds.slot }) : grown;
}

/** @param {PaletteOp} entry @param {string} id @param {Point} position @returns {GraphNode} */
function newNode(entry, id, [x, y]) {
  const given = NEW[entry.op];
  const isInput = Boolean(given);
  return {
    id, op: isInput ? "input" : entry.op, symbol: isInput ? id : entry.symbol, x, y, ...sizeOfNew(entry),
    slots: entry.slots.map((label) => ({ label, constant: null, wired: false })),
    cotangent: NOTHING_YET, dims: [], ...(given ?? { value: NOTHING_YET }),
    rule: "follow", isOutput: false, isInput, isParameter: entry.op === "parameter", connected: true,
  };
}

/** Connect two nodes; a wire from the output moves the output to the only end downstream, if there is exactly one.
 * @param {Drawing} drawing @param {{ from: string, to: string, slot: number }} edit @returns {Drawing} */
export function connected(drawing, { from, to, slot }) {
  if (!has(drawing, from) || !has(drawing, to)) return drawing;
  const next = withWire(drawing, from, to, slot);
  if (!drawing.nodes.find((node) => node.id === from)?.isOutput) return next;
  const sources = new Set(next.wires.map((wire) => wire.from));
  const ends = [...downstream(next.wires, to)].filter((name) => !sources.has(name));
  return ends.length === 1 ? withOutput(next, ends[0]) : next;
}

/** The slot with which a node inserted into a wire reads it: the first empty one, else the first; -1 for a node
 * without slots.
 * @param {GraphNode} node */
export function readingSlot(node) {
  const own = ownSlots(node);
  const empty = own.findIndex(({ wired, constant }) => !wired && constant === null);
  return empty >= 0 ? empty : Math.min(own.length, 1) - 1;
}

/** Insert a node into a wire; regions and groups that hold both ends get the node, other groups lose it.
 * @param {Drawing} drawing @param {{ node: string, position: Point, from: string, to: string, slot: number }} edit
 * @returns {Drawing} */
export function inserted(drawing, { node: id, position, from, to, slot }) {
  const node = drawing.nodes.find((other) => other.id === id);
  const own = node ? readingSlot(node) : -1;
  if (own < 0 || !has(drawing, from) || !has(drawing, to)) return drawing;
  const placed = withNode(drawing, id, { x: position[0], y: position[1] });
  const wired = withWire(connected(placed, { from: id, to, slot }), from, id, own);
  const holdsBoth = (/** @type {string[]} */ nodes) => nodes.includes(from) && nodes.includes(to);
  const wider = (/** @type {string[]} */ nodes) => (holdsBoth(nodes) && !nodes.includes(id) ? [...nodes, id] : nodes);
  const tied = wired.regions.some(({ nodes }) => nodes.includes(id) && !holdsBoth(nodes));
  const regrouped = (/** @type {string[]} */ nodes) => (tied ? nodes : holdsBoth(nodes) ? wider(nodes) : nodes.filter((name) => name !== id));
  return { ...wired, regions: holding(wired.regions, ({ nodes }) => wider(nodes)), groups: holding(wired.groups ?? [], ({ nodes }) => regrouped(nodes)) };
}

/** Move the end of a wire to another slot.
 * @param {Drawing} drawing @param {{ from: string, oldTo: string, oldSlot: number, to: string, slot: number }} edit */
export const rewired = (drawing, { from, oldTo, oldSlot, to, slot }) =>
  connected(withoutWire(drawing, oldTo, oldSlot), { from, to, slot });

/** Delete nodes: if all wires of a deleted node come from one node, its consumers are wired to that node.
 * @param {Drawing} drawing @param {{ nodes: string[] }} edit @returns {Drawing} */
export function removed(drawing, { nodes: names }) {
  const gone = new Set(names);
  const heirOf = heirs(drawing, gone);
  let next = { ...drawing, nodes: drawing.nodes.filter((node) => !gone.has(node.id)) };
  next.wires = drawing.wires.filter((wire) => !gone.has(wire.from) && !gone.has(wire.to));
  for (const { from, to, slot } of drawing.wires) {
    if (!gone.has(from) || gone.has(to)) continue;
    const heir = heirOf(from);
    next = heir === null ? withoutWire(next, to, slot) : withWire(next, heir, to, slot);
  }
  const output = drawing.nodes.find((node) => node.isOutput)?.id;
  if (output !== undefined && gone.has(output)) next = withOutput(next, heirOf(output) ?? lastEnd(next, upstream(drawing.wires, output)));
  return { ...next, regions: thinned(drawing.regions, gone), groups: thinned(drawing.groups ?? [], gone) };
}

/** The last node without consumers, preferably one of `preferred`, and preferably not an input.
 * @param {Drawing} drawing @param {Set<string>} preferred */
function lastEnd({ nodes, wires }, preferred) {
  const sources = new Set(wires.map(({ from }) => from));
  const ends = inOrder(nodes, wires).filter(({ id }) => !sources.has(id));
  const rank = (/** @type {GraphNode} */ { id, isInput }) => 2 * Number(preferred.has(id)) + Number(!isInput);
  return ends.reduce((/** @type {GraphNode | undefined} */ best, node) => (best && rank(best) > rank(node) ? best : node), undefined)?.id;
}

/** The kept node that replaces a deleted one, if there is one.
 * @param {Drawing} drawing @param {Set<string>} gone @returns {(name: string) => string | null} */
function heirs({ wires }, gone) {
  /** @type {Map<string, Set<string>>} */
  const reads = new Map();
  for (const { from, to } of wires) if (gone.has(to)) reads.set(to, (reads.get(to) ?? new Set()).add(from));
  return (name) => {
    const passed = new Set();
    for (let at = name; ; ) {
      const [source, ...others] = reads.get(at) ?? [];
      if (source === undefined || others.length || passed.has(at)) return null;
      if (!gone.has(source)) return source;
      passed.add(at);
      at = source;
    }
  };
}

/** @template {import("../types.js").Frame} T @param {T[]} frames @param {Set<string>} gone @returns {T[]} */
const thinned = (frames, gone) => holding(frames, ({ nodes }) => nodes.filter((name) => !gone.has(name)));

/** @param {Drawing} drawing @param {string} id */
const has = ({ nodes }, id) => nodes.some((node) => node.id === id);

// @ts-check
// What the drawing will look like once Python has applied the edits under way: it is shown at once, and
// Python's own drawing replaces it. Pure; what an edit does not touch is the same object as before.

import { rehoused } from "./housing.js";
import { withCopies } from "./copies.js";

/** @typedef {import("./types.js").Drawing} Drawing */
/** @typedef {import("./types.js").Edit} Edit */
/** @typedef {import("./types.js").GraphNode} GraphNode */
/** @typedef {import("./types.js").Wire} Wire */
/** @typedef {import("./types.js").Point} Point */

/** @param {Drawing} drawing @param {Edit[]} pending @returns {Drawing} */
export const predict = (drawing, pending) =>
  pending.reduce((shown, edit) => GUESSES[edit.kind]?.(shown, edit) ?? shown, drawing);

/** @type {Record<string, (drawing: Drawing, edit: any) => Drawing>} */
const GUESSES = {
  select: (drawing, { node }) => ({ ...drawing, selected: node }),
  move: (drawing, { positions }) => moved(drawing, positions),
  rules: (drawing, { nodes, rule }) => ({
    ...drawing,
    nodes: drawing.nodes.map((n) => (nodes.includes(n.id) && n.rule !== rule ? { ...n, rule, ruleText: "" } : n)),
  }),
  output: (drawing, { node }) => ({
    ...drawing,
    nodes: drawing.nodes.map((n) => (n.isOutput === (n.id === node) ? n : { ...n, isOutput: n.id === node })),
  }),
  constant: (drawing, { node, slot, text }) =>
    slot === null
      ? withNode(drawing, node, { value: text, literal: text, shape: "" })
      : withSlot(drawing, node, slot, { constant: text, constantFull: text, wired: false }),
  connect: (drawing, { from, to, slot }) => {
    const next = withSlot(withoutWire(drawing, to, slot), to, slot, { constant: null, wired: true });
    return { ...next, wires: [...next.wires, { from, to, slot, width: 0, sign: 0, passed: "", via: [] }] };
  },
  disconnect: (drawing, { to, slot }) => withSlot(withoutWire(drawing, to, slot), to, slot, { wired: false }),
  delete: (drawing, { nodes }) => ({
    ...drawing,
    nodes: drawing.nodes.filter((node) => !nodes.includes(node.id)),
    wires: drawing.wires.filter((wire) => !nodes.includes(wire.from) && !nodes.includes(wire.to)),
  }),
  mute: (drawing, { nodes, on }) => ({
    ...drawing,
    nodes: drawing.nodes.map((n) => (nodes.includes(n.id) && !n.isInput && n.slots.some(({ wired }) => wired) ? { ...n, muted: on } : n)),
  }),
  function: (drawing, { node, text }) => withNode(drawing, node, { ruleFull: text, ruleText: text.replace(/^[^:]*: */, "") }),
  house: (drawing, edit) => rehoused(moved(drawing, edit.positions), edit),
  region: (drawing, { region, nodes }) => withRegion(drawing, region, { nodes, problem: null, fault: null }),
  policy: (drawing, { region, policy, saved }) => withRegion(drawing, region, { policy, saved }),
  rename_region: (drawing, { region, name }) => withRegion(drawing, region, { name }),
  duplicate: (drawing, { nodes, by }) => withCopies(drawing, nodes, by),
  cut: (drawing, edit) => GUESSES.delete(drawing, edit),
  uncheckpoint: (drawing, { region }) => ({
    ...drawing,
    regions: drawing.regions.filter(({ name }) => name !== region),
  }),
};

/** @param {Drawing} drawing @param {string} name @param {Partial<import("./types.js").Region>} change @returns {Drawing} */
const withRegion = (drawing, name, change) => ({
  ...drawing,
  regions: drawing.regions.map((region) => (region.name === name ? { ...region, ...change } : region)),
});

/** Nodes at new places; a wire keeps its bends only when both of its ends move alike.
 * @param {Drawing} drawing @param {Record<string, Point>} positions @returns {Drawing} */
export function moved(drawing, positions) {
  /** @type {Map<string, Point>} */
  const shifts = new Map();
  const nodes = drawing.nodes.map((node) => {
    const at = positions[node.id];
    if (!at) return node;
    shifts.set(node.id, [at[0] - node.x, at[1] - node.y]);
    return { ...node, x: at[0], y: at[1] };
  });
  return { ...drawing, nodes, wires: drawing.wires.map((wire) => shifted(wire, shifts)) };
}

/** @param {Wire} wire @param {Map<string, Point>} shifts @returns {Wire} */
function shifted(wire, shifts) {
  const [a, b] = [shifts.get(wire.from), shifts.get(wire.to)];
  if (!wire.via.length || (!a && !b)) return wire;
  if (!a || !b || a[0] !== b[0] || a[1] !== b[1]) return { ...wire, via: [] };
  return { ...wire, via: wire.via.map(([x, y]) => /** @type {Point} */ ([x + a[0], y + a[1]])) };
}

/** @param {Drawing} drawing @param {string} id @param {Partial<GraphNode>} change @returns {Drawing} */
const withNode = (drawing, id, change) => ({
  ...drawing,
  nodes: drawing.nodes.map((node) => (node.id === id ? { ...node, ...change } : node)),
});

/** @param {Drawing} drawing @param {string} id @param {number} slot @param {object} change @returns {Drawing} */
const withSlot = (drawing, id, slot, change) => {
  const slots = drawing.nodes.find((node) => node.id === id)?.slots ?? [];
  return withNode(drawing, id, { slots: slots.map((old, i) => (i === slot ? { ...old, ...change } : old)) });
};

/** @param {Drawing} drawing @param {string} to @param {number} slot @returns {Drawing} */
const withoutWire = (drawing, to, slot) => ({
  ...drawing,
  wires: drawing.wires.filter((wire) => wire.to !== to || wire.slot !== slot),
});

/** Every node that a change of `start` reaches, itself included: a wire from one of them back to
 * `start` would close a loop.
 * @param {Wire[]} wires @param {string} start @returns {Set<string>} */
export function downstream(wires, start) {
  const next = grouped(wires);
  const reached = new Set([start]);
  for (const name of reached) for (const wire of next.get(name) ?? []) reached.add(wire.to);
  return reached;
}

/** @param {Wire[]} wires */
function grouped(wires) {
  /** @type {Map<string, Wire[]>} */
  const groups = new Map();
  for (const wire of wires) groups.set(wire.from, [...(groups.get(wire.from) ?? []), wire]);
  return groups;
}

// @ts-check
// Predict pending edits (optimistic update): the drawing with the edits applied, shown until Python's own
// drawing replaces it. Pure; objects that an edit does not touch are shared.

import { POLICIES } from "../../base/constants.js";
import { literal } from "../../base/numbers.js";
import { withCopies, withPaste } from "./copies.js";
import {
  withAdded,
  withConnection,
  inserted,
  ownSlots,
  removed,
  rewired,
  withOneBranchTrained,
  withBranches,
  withNode,
  withOutput,
  withoutWire,
  withRules,
  withSlot,
} from "./edits.js";
import { framesOf, framesOfNodes, showsTheSame } from "./frames.js";
import { withMoves } from "./membership.js";
import { stackTabs } from "./tabs.js";

/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("../../types.js").Edit} Edit */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").Wire} Wire */
/** @typedef {import("../../types.js").Point} Point */

/** @typedef {Map<string, import("../../types.js").PaletteOp>} Ops */

/** Kinds of edits that change no number. */
export const NO_MATTER = new Set([
  "select",
  "move",
  "collapse",
  "kept",
  "restored",
  "resync",
  "check",
  "figure",
  "pin",
  "unpin",
  "ask",
  "answer",
  "reveal",
  "stop_asking",
]);
/** Kinds of edits that are made in the formula and with sliders. */
export const BESIDE = new Set(["type", "slide"]);

/** @param {Drawing} drawing @param {Edit[]} pending @param {Ops} [ops] the palette's, by name @returns {Drawing} */
export const predict = (drawing, pending, ops = new Map()) =>
  pending.reduce((shown, edit) => {
    const next = GUESSES[edit.kind]?.(shown, edit, ops) ?? shown;
    return showsTheSame(next, shown) ? next : stackTabs(withBranches(next));
  }, drawing);

/** @type {Record<string, (drawing: Drawing, edit: any, ops: Ops) => Drawing>} */
const GUESSES = {
  select: (drawing, { node }) => ({ ...drawing, selected: node }),
  move: (drawing, { positions }) => withPositions(drawing, positions),
  rules: (drawing, { nodes, rule }) => withRules(drawing, nodes, rule),
  output: (drawing, { node }) => withOutput(drawing, node),
  constant: (drawing, { node, slot, text }) =>
    text.includes("[") && drawing.nodes.some(({ tab }) => tab)
      ? drawing // another shape may take parameters out of their tabs
      : slot === null
        ? withNode(drawing, node, {
            value: text,
            literal: text,
            ...(isLiteral(drawing, node) && { text }),
            shape: "",
            numbers: {
              ...drawing.nodes.find(({ id }) => id === node)?.numbers,
              value: literal(text),
            },
          })
        : withSlot(withoutWire(drawing, node, slot), node, slot, {
            constant: text,
            constantFull: text,
          }),
  connect: withConnection,
  disconnect: (drawing, { to, slot }) => withoutWire(drawing, to, slot),
  rewire: rewired,
  insert: inserted,
  add: withAdded,
  delete: removed,
  mute: (drawing, { nodes, on }) => ({
    ...drawing,
    nodes: drawing.nodes.map((n) => {
      if (!nodes.includes(n.id) || Boolean(n.muted) === on) return n;
      // A muted node passes on its first wired input: without one it cannot be muted.
      const passesOn = !n.isInput && ownSlots(n).some(({ wired }) => wired);
      return !on || passesOn ? { ...n, muted: on } : n;
    }),
  }),
  cut_after: (drawing, { nodes, on }) => ({
    ...drawing,
    nodes: drawing.nodes.map((n) =>
      nodes.includes(n.id) && !n.isInput && Boolean(n.cut) !== on ? { ...n, cut: on } : n,
    ),
  }),
  function: (drawing, { node, text }) =>
    withNode(drawing, node, { ruleFull: text, ruleText: text.replace(/^[^:]*: */, "") }),
  regroup: (drawing, edit) => withMoves(withPositions(drawing, edit.positions), edit),
  region: (drawing, { region, nodes }) => ({
    ...drawing,
    regions: framesOfNodes(drawing.regions, (frame) =>
      frame.name === region ? nodes : frame.nodes,
    ).map((frame) => (frame.name === region ? { ...frame, problem: null, fault: null } : frame)),
  }),
  policy: (drawing, { region, policy, saved }) => ({
    ...drawing,
    regions: drawing.regions.map((frame) =>
      frame.name === region
        ? {
            ...frame,
            policy,
            saved: POLICIES[policy]?.takesNames
              ? frame.nodes.filter((id) => saved.includes(id))
              : [],
          }
        : frame,
    ),
  }),
  rename_region: (drawing, { region, name }) =>
    withGroup(withRegion(drawing, region, { name }), region, { name }),
  group: (drawing, { nodes }) => ({
    ...drawing,
    groups: [
      ...(drawing.groups ?? []),
      { name: freshTitle(drawing, "group"), nodes, collapsed: false, sums: [] },
    ],
  }),
  branches: (drawing, { group, k }) =>
    withGroup(drawing, group, { branches: numbered(drawing, group, k), asked: true }),
  tune: withOneBranchTrained,
  ungroup: (drawing, { group, positions = {} }) => ({
    ...withPositions(drawing, positions),
    groups: drawing.groups.filter(({ name }) => name !== group),
  }),
  collapse: (drawing, { group, on, positions = {} }) =>
    withGroup(withPositions(drawing, positions), group, { collapsed: on }),
  duplicate: (drawing, { nodes, by }) => withCopies(drawing, nodes, by),
  paste: withPaste,
  cut: removed,
  uncheckpoint: (drawing, { region }) => ({
    ...drawing,
    regions: drawing.regions.filter(({ name }) => name !== region),
  }),
};

/** Whether an input's line of the formula is its value alone, as typed. @param {Drawing} drawing @param {string} name */
const isLiteral = ({ nodes }, name) =>
  nodes.some(({ id, text, literal }) => id === name && text === literal);

/** @param {Drawing} drawing @param {string} name @param {Partial<import("../../types.js").Region>} change @returns {Drawing} */
const withRegion = (drawing, name, change) => ({
  ...drawing,
  regions: drawing.regions.map((region) =>
    region.name === name ? { ...region, ...change } : region,
  ),
});

/** @param {Drawing} drawing @param {string} name @param {Partial<import("../../types.js").Group>} change @returns {Drawing} */
const withGroup = (drawing, name, change) => ({
  ...drawing,
  groups: (drawing.groups ?? []).map((group) =>
    group.name === name ? { ...group, ...change } : group,
  ),
});

/** The names of `k` branches; new ones have no name yet.
 * @param {Drawing} drawing @param {string} group @param {number} k */
function numbered({ groups }, group, k) {
  const known = groups.find(({ name }) => name === group)?.branches ?? [];
  return Array.from({ length: Math.max(k, 0) }, (_, i) => known[i] ?? "\u2026");
}

/** The name of a new group, as graph/frames.py gives it. @param {Drawing} drawing @param {string} stem */
function freshTitle(drawing, stem) {
  const taken = new Set(framesOf(drawing).map(({ name }) => name));
  if (!taken.has(stem)) return stem;
  for (let k = 2; ; k++) if (!taken.has(`${stem}_${k}`)) return `${stem}_${k}`;
}

/** Move nodes; a wire keeps its bends only if both of its ends move by the same amount.
 * @param {Drawing} drawing @param {Record<string, Point>} positions @returns {Drawing} */
export function withPositions(drawing, positions) {
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

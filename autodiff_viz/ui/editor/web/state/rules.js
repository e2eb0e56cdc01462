// @ts-check
// Predict edits of rules, as graph/edits/node_edits.py and graph/edits/train_one_branch.py apply them. Pure.

import { branchesIn, parametersOf } from "./branchgroups.js";
import { heightOf } from "../draw/geometry.js";
import { RULES, shared } from "../../../web/constants.js";

/** @typedef {import("../types.js").Drawing} Drawing */
/** @typedef {import("../types.js").GraphNode} GraphNode */
/** @typedef {import("../types.js").RuleKind} RuleKind */
/** @typedef {import("../types.js").Wire} Wire */

/** Whether a node can have the rule: one that replaces a derivative needs a wired slot.
 * @param {GraphNode} node @param {string} rule */
export const canHave = ({ slots }, rule) => !RULES[rule]?.replaces || slots.some(({ wired }) => wired);

/** The slots of the node's op, without the one that `backward_as` adds. @param {GraphNode} node */
export const ownSlots = ({ slots, rule }) => (RULES[rule]?.alternative ? slots.slice(0, -1) : slots);

/** Set a rule on the nodes that can have it and have another one.
 * @param {Drawing} drawing @param {string[]} names @param {RuleKind} rule @returns {Drawing} */
export function withRules(drawing, names, rule) {
  const changed = drawing.nodes.filter((node) => names.includes(node.id) && node.rule !== rule && canHave(node, rule));
  if (!changed.length) return drawing;
  const ruled = new Map(changed.map((node) => [node.id, withRule(drawing.wires, node, rule)]));
  const own = new Map(changed.map((node) => [node.id, ownSlots(node).length]));
  const kept = drawing.wires.filter(({ to, slot }) => slot < (own.get(to) ?? Infinity));
  return {
    ...drawing,
    nodes: drawing.nodes.map((node) => ruled.get(node.id)?.node ?? node),
    wires: [...kept, ...[...ruled.values()].flatMap(({ wire }) => wire ?? [])],
  };
}

/** The node with the rule, and the wire that `backward_as` begins with: from the node's first wired input.
 * @param {Wire[]} wires @param {GraphNode} node @param {RuleKind} rule @returns {{ node: GraphNode, wire: Wire | null }} */
function withRule(wires, node, rule) {
  const own = ownSlots(node);
  const { alternative } = RULES[rule];
  const slots = alternative ? [...own, { label: shared.alternative, constant: null, wired: true }] : own;
  const [first] = wires.filter(({ to }) => to === node.id).sort((a, b) => a.slot - b.slot);
  const wire = !alternative ? null
    : { from: first.from, to: node.id, slot: own.length, width: 0, sign: 0, passed: "", via: [], alternative: true };
  return { node: { ...node, rule, slots, h: heightOf(slots.length, node), ruleText: wire?.from ?? "", ruleFull: undefined }, wire };
}

/** Train only one branch by stopping the parameters of the others; without a branch, stop none.
 * @param {Drawing} drawing @param {{ group: string, branch: string | null }} edit @returns {Drawing} */
export function tuned(drawing, { group: name, branch }) {
  const group = drawing.groups.find((other) => other.name === name);
  if (!group) return drawing;
  return branchesIn(drawing.groups, group).reduce((next, one) => {
    const stops = branch !== null && one.name !== branch;
    const held = parametersOf(drawing, one).filter(({ rule }) => stops || rule === "stop").map(({ id }) => id);
    return withRules(next, held, stops ? "stop" : "follow");
  }, drawing);
}

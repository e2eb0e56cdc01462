// @ts-check
// Find groups of branches in a drawing, as graph/structure/branches.py and graph/edits/train_one_branch.py
// do. Pure.

import { nested } from "./frames.js";

/** @typedef {import("../types.js").Drawing} Drawing */
/** @typedef {import("../types.js").Group} Group */
/** @typedef {import("../types.js").GraphNode} GraphNode */

/** The branches of a group, first to last: the groups directly inside it.
 * @param {Group[]} groups @param {Group} group @returns {Group[]} */
export function branchesIn(groups, group) {
  const order = nested(groups).map(({ frame }) => frame);
  const within = (/** @type {Group} */ inner, /** @type {Group} */ outer) => inner.nodes.every((id) => outer.nodes.includes(id));
  /** @type {Group[]} */
  const found = [];
  for (const other of order.slice(order.indexOf(group) + 1))
    if (within(other, group) && !found.some((one) => within(other, one))) found.push(other);
  return found.sort((a, b) => compared(a.name, b.name));
}

/** Natural sort order: "branch_2" before "branch_10". @param {string} a @param {string} b */
function compared(a, b) {
  const [left, right] = [a, b].map((name) => name.split(/([0-9]+)/));
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [one, other] = i % 2 ? [Number(left[i]), Number(right[i])] : [left[i], right[i]];
    if (one !== other) return one < other ? -1 : 1;
  }
  return left.length - right.length;
}

/** The parameters in a branch, and those that only this branch reads.
 * @param {Drawing} drawing @param {Group} branch @returns {GraphNode[]} */
export function parametersOf({ nodes, wires }, branch) {
  const inside = new Set(branch.nodes);
  return nodes.filter(({ id, isParameter }) => {
    if (!isParameter || inside.has(id)) return isParameter;
    const readers = wires.filter(({ from }) => from === id);
    return readers.length > 0 && readers.every(({ to }) => inside.has(to));
  });
}

/** The drawing with the derived fields of its groups of branches: their branches, and which are trained. A group for
 * which another number is requested is left to Python.
 * @param {Drawing} drawing @returns {Drawing} */
export function withBranches(drawing) {
  const { groups = [] } = drawing;
  if (!groups.some(({ branches }) => branches)) return drawing;
  const next = groups.map((group) => (group.branches && !group.asked ? described(drawing, group) : group));
  return next.every((group, i) => group === groups[i]) ? drawing : { ...drawing, groups: next };
}

/** @param {Drawing} drawing @param {Group} group @returns {Group} */
function described(drawing, group) {
  const branches = branchesIn(drawing.groups, group);
  const held = branches.map((one) => ({ name: one.name, rules: parametersOf(drawing, one).map(({ rule }) => rule) })).filter(({ rules }) => rules.length);
  const trained = held.filter(({ rules }) => rules.some((rule) => rule !== "stop"));
  const alone = trained.length === 1 && held.length > 1 ? trained[0].name : undefined;
  const stopped = !alone && held.some(({ rules }) => rules.includes("stop")) ? true : undefined;
  const names = branches.map(({ name }) => name);
  const same = names.join("\n") === group.branches?.join("\n") && alone === group.alone && stopped === group.stopped;
  return same ? group : { ...group, branches: names, alone, stopped };
}

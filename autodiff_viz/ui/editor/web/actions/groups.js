// @ts-check
// Commands on groups: make one of the selected nodes, ungroup, collapse, expand, rename.

import { openField } from "../popovers/field.js";
import { idOf, nodesOf } from "../state/fold.js";
import { overlap } from "../draw/geometry.js";
import { tabOf } from "../draw/regions.js";
import { say } from "../draw/stage.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../types.js").Group} Group */

/** The group that consists of exactly the selected nodes. @param {Editor} editor */
export const groupOf = ({ shown, selection }) =>
  shown.groups.find(({ nodes }) => nodes.length === selection.size && nodes.every((name) => selection.has(name)));

/** @param {Editor} editor */
export function toggleGroup(editor) {
  const group = groupOf(editor);
  if (group) editor.send({ kind: "ungroup", group: group.name });
  else if (editor.selection.size) editor.send({ kind: "group", nodes: [...editor.selection] });
  else say(editor.stage, "Select the nodes to group first.");
}

/** Collapse or expand a group. @param {Editor} editor @param {string} name @param {boolean} on */
export function collapse(editor, name, on) {
  const { stage } = editor;
  const byKeys = stage.host.classList.contains("by-keys");
  editor.send({ kind: "collapse", group: name, on });
  if (byKeys) (on ? stage.cards.get(idOf(name))?.root : stage.regions.tabs.get(name)?.root.querySelector(".tab"))?.focus({ preventScroll: true });
  const lies = !on && liesOverOthers(editor, name);
  say(stage, on ? `Collapsed ${name}` : lies ? `Opened ${name}. It lies over other nodes: l arranges.` : `Opened ${name}`);
}

/** @param {Editor} editor @param {string} name */
function liesOverOthers({ seen }, name) {
  const inside = new Set(seen.groups.find((group) => group.name === name)?.nodes);
  const [own, others] = [seen.nodes.filter(({ id }) => inside.has(id)), seen.nodes.filter(({ id }) => !inside.has(id))];
  return own.some((node) => others.some((other) => overlap(node, other)));
}

/** Collapse or expand the groups of the selection: those inside it, else the smallest one around it; without a
 * selection, the card in focus.
 * @param {Editor} editor */
export function toggleCollapse(editor) {
  const cards = editor.chosen.filter(({ group }) => group);
  const focused = editor.node(/** @type {ShadowRoot} */ (editor.stage.host.getRootNode()).activeElement?.getAttribute("data-id"));
  if (!cards.length && !editor.selection.size && focused?.group) cards.push(focused);
  if (cards.length) return cards.forEach(({ group }) => collapse(editor, group?.name ?? "", false));
  const found = groupsOfSelection(editor);
  if (!found.length) return say(editor.stage, "Select nodes of a group first, or make one of them: g.");
  found.forEach(({ name }) => collapse(editor, name, true));
}

/** Whether a selected node is in a group. @param {Editor} editor */
export const touchesGroup = ({ shown, selection }) => shown.groups.some(({ nodes }) => nodes.some((name) => selection.has(name)));

/** @param {Editor} editor @returns {Group[]} */
function groupsOfSelection({ seen, selection }) {
  const within = seen.groups.filter(({ nodes }) => nodes.every((id) => nodesOf(seen.nodes.find((node) => node.id === id)).every((name) => selection.has(name))));
  const outer = within.filter((group) => !within.some((other) => other !== group && other.nodes.length > group.nodes.length && group.nodes.every((id) => other.nodes.includes(id))));
  if (outer.length || !selection.size) return outer;
  const around = seen.groups.filter(({ nodes }) => [...selection].every((name) => nodes.includes(name)));
  return around.sort((a, b) => a.nodes.length - b.nodes.length).slice(0, 1);
}

/** Rename a group in a field on its tab or its card. @param {Editor} editor @param {string} name */
export function renameGroup(editor, name) {
  const card = editor.seen.nodes.find(({ id }) => id === idOf(name));
  const tab = tabOf(editor.seen, name);
  const box = card ? { x: card.x + 24, y: card.y + 3, w: card.w - 50 } : tab && { x: tab.x + 20, y: tab.y - 3, w: Math.max(tab.w, 90) };
  if (box) openField(editor, [box.x, box.y], box.w, name, `Name of group ${name}`, (typed) => editor.send({ kind: "rename_region", region: name, name: typed }));
}

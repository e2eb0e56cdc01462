// @ts-check
// Run commands on the selected nodes and the selected wire, and test whether they already apply to all of
// them.

import { realWire } from "../state/fold.js";
import { canHave } from "../state/rules.js";
import { say } from "../draw/stage.js";

/** @typedef {import("../editor.js").Editor} Editor */

/** Set `rule` on the selected nodes; if all that can have it do, restore JAX's own derivative.
 * @param {Editor} editor @param {string} rule */
export function toggleRule(editor, rule) {
  const nodes = [...editor.selection];
  if (nodes.length) editor.send({ kind: "rules", nodes, rule: rulesOn(editor, rule) ? "follow" : rule });
}

/** Whether every selected node that can have `rule` has it. @param {Editor} editor @param {string} rule */
export function rulesOn(editor, rule) {
  const nodes = [...editor.selection].flatMap((id) => editor.node(id) ?? []);
  const able = nodes.filter((node) => canHave(node, rule));
  return able.length > 0 && able.every((node) => node.rule === rule);
}

/** The region that consists of exactly the selected nodes. @param {Editor} editor */
export const regionOf = (editor) =>
  editor.shown.regions.find(
    ({ nodes }) => nodes.length === editor.selection.size && nodes.every((name) => editor.selection.has(name)),
  );

/** @param {Editor} editor */
export function toggleCheckpoint(editor) {
  const region = regionOf(editor);
  if (region) editor.send({ kind: "uncheckpoint", region: region.name });
  else if (editor.selection.size) editor.send({ kind: "checkpoint", nodes: [...editor.selection] });
}

/** Whether all selected nodes are the output. @param {Editor} editor */
export const outputOn = (editor) => [...editor.selection].every((id) => editor.node(id)?.isOutput);

/** Whether every selected node that can be muted is. @param {Editor} editor */
export function mutedOn(editor) {
  const nodes = [...editor.selection].flatMap((id) => editor.node(id) ?? []);
  const able = nodes.filter((node) => !node.isInput && node.slots.some(({ wired }) => wired));
  return able.length > 0 && able.every((node) => node.muted);
}

/** @param {Editor} editor */
export function toggleMute(editor) {
  if (editor.selection.size) editor.send({ kind: "mute", nodes: [...editor.selection], on: !mutedOn(editor) });
}

/** Whether a segment ends after each selected node that is not an input. @param {Editor} editor */
export function cutOn(editor) {
  const able = [...editor.selection].flatMap((id) => editor.node(id) ?? []).filter((node) => !node.isInput);
  return able.length > 0 && able.every((node) => node.cut);
}

/** @param {Editor} editor */
export function toggleCut(editor) {
  if (editor.selection.size) editor.send({ kind: "cut_after", nodes: [...editor.selection], on: !cutOn(editor) });
}

/** Remove the region or group in focus, else the selected wire, else the selected nodes.
 * @param {Editor} editor @param {string | null} [frame] name of the region or group whose tab has the focus */
export function remove(editor, frame) {
  const isGroup = editor.shown.groups.some(({ name }) => name === frame);
  if (frame) editor.send(isGroup ? { kind: "ungroup", group: frame } : { kind: "uncheckpoint", region: frame });
  else if (editor.wire) removeWire(editor);
  else if (editor.selection.size) editor.send({ kind: "delete", nodes: [...editor.selection] });
}

/** @param {Editor} editor */
export function removeWire(editor) {
  const seen = editor.stage.strands.get(editor.wire ?? "")?.wire;
  const wire = seen && realWire(seen);
  if (seen && !wire) return say(editor.stage, `This wire stands for ${seen.of?.length}: open the group to remove one.`);
  editor.wire = null;
  if (wire) editor.send({ kind: "disconnect", to: wire.to, slot: wire.slot });
}

/** @param {Editor} editor */
export function makeOutput(editor) {
  if (editor.single) editor.send({ kind: "output", node: editor.single });
}

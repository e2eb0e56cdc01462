// @ts-check
// What the buttons and the keys do, as data: one list for toolbars, keyboard and cheat sheet.

import { arrange } from "./arrange.js";
import { realWire } from "./fold.js";
import { toggleGroup } from "./groups.js";
import { step, toggleHistory } from "./history.js";
import { canHave } from "./rules.js";
import { say, zoomCentred } from "./stage.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {{ label: string, key: string, word?: string, run: (editor: Editor) => void }} Action */

const ZOOM = 1.25;

/** Choose `rule` for the selected nodes; where all that can have it do, go back to JAX's own.
 * @param {Editor} editor @param {string} rule */
function toggleRule(editor, rule) {
  const nodes = [...editor.selection];
  if (nodes.length) editor.send({ kind: "rules", nodes, rule: rulesOn(editor, rule) ? "follow" : rule });
}

/** Whether every selected node that can have `rule` has it. @param {Editor} editor @param {string} rule */
export function rulesOn(editor, rule) {
  const nodes = [...editor.selection].flatMap((id) => editor.node(id) ?? []);
  const able = nodes.filter((node) => canHave(node, rule));
  return able.length > 0 && able.every((node) => node.rule === rule);
}

/** The region made of exactly the selected nodes. @param {Editor} editor */
export const regionOf = (editor) =>
  editor.shown.regions.find(
    ({ nodes }) => nodes.length === editor.selection.size && nodes.every((name) => editor.selection.has(name)),
  );

/** @param {Editor} editor */
function toggleCheckpoint(editor) {
  const region = regionOf(editor);
  if (region) editor.send({ kind: "uncheckpoint", region: region.name });
  else if (editor.selection.size) editor.send({ kind: "checkpoint", nodes: [...editor.selection] });
}

/** Whether all selected nodes are muted that can be. @param {Editor} editor */
export function mutedOn(editor) {
  const nodes = [...editor.selection].flatMap((id) => editor.node(id) ?? []);
  const able = nodes.filter((node) => !node.isInput && node.slots.some(({ wired }) => wired));
  return able.length > 0 && able.every((node) => node.muted);
}

/** @param {Editor} editor */
function toggleMute(editor) {
  if (editor.selection.size) editor.send({ kind: "mute", nodes: [...editor.selection], on: !mutedOn(editor) });
}

/** Whether a segment ends after each selected node that is no input. @param {Editor} editor */
export function cutOn(editor) {
  const able = [...editor.selection].flatMap((id) => editor.node(id) ?? []).filter((node) => !node.isInput);
  return able.length > 0 && able.every((node) => node.cut);
}

/** @param {Editor} editor */
function toggleCut(editor) {
  if (editor.selection.size) editor.send({ kind: "cut_after", nodes: [...editor.selection], on: !cutOn(editor) });
}

/** @param {Editor} editor */
function remove(editor) {
  if (editor.wire) removeWire(editor);
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
function makeOutput(editor) {
  if (editor.single) editor.send({ kind: "output", node: editor.single });
}

/** For the selected nodes. @type {Record<string, Action>} */
export const NODE_ACTIONS = {
  stop: { label: "Stop the gradient", key: "s", word: "stop", run: (editor) => toggleRule(editor, "stop") },
  rewrite: { label: "Rewrite the gradient", key: "r", word: "rewrite", run: (editor) => toggleRule(editor, "rewrite") },
  pullback: { label: "Declare a derivative", key: "p", word: "pullback", run: (editor) => toggleRule(editor, "pullback") },
  backward_as: {
    label: "Go backward as another expression", key: "b", word: "backward as", run: (editor) => toggleRule(editor, "backward_as"),
  },
  checkpoint: { label: "Checkpoint", key: "c", word: "checkpoint", run: toggleCheckpoint },
  group: { label: "Group, or take the group apart", key: "g", word: "group", run: toggleGroup },
  mute: { label: "Mute: hand on the first input", key: "m", word: "mute", run: toggleMute },
  cut_after: { label: "Cut after it: a segment ends here", key: "k", word: "cut after", run: toggleCut },
  output: { label: "Make it the output", key: "o", word: "output", run: makeOutput },
  delete: { label: "Delete", key: "Delete", run: remove },
};

/** For the whole canvas. @type {Record<string, Action>} */
export const VIEW_ACTIONS = {
  undo: { label: "Undo", key: "Ctrl+Z", run: (editor) => step(editor, "undo") },
  redo: { label: "Redo", key: "Ctrl+Shift+Z", run: (editor) => step(editor, "redo") },
  history: { label: "History", key: "h", run: toggleHistory },
  arrange: { label: "Arrange all nodes, or those selected", key: "l", run: arrange },
  farther: { label: "Zoom out", key: "-", run: (editor) => editor.look(zoomCentred(editor.stage, 1 / ZOOM)) },
  fit: { label: "Fit to view", key: "f", run: (editor) => editor.fit() },
  nearer: { label: "Zoom in", key: "+", run: (editor) => editor.look(zoomCentred(editor.stage, ZOOM)) },
};


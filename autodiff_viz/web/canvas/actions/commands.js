// @ts-check
// Run commands on the selected nodes and wire, on forward mode and on the comparison, and test whether they
// already apply.

import { showStatus } from "../draw/stage.js";
import { pressDownload } from "../files/import_export.js";
import { canHave } from "../state/edits.js";
import { realWire } from "../state/fold.js";

/** @typedef {import("../editor.js").Editor} Editor */

/** Set `rule` on the selected nodes; if all that can have it do, restore JAX's own derivative.
 * @param {Editor} editor @param {string} rule */
export function toggleRule(editor, rule) {
  const nodes = [...editor.selection];
  if (nodes.length)
    editor.send({ kind: "rules", nodes, rule: rulesOn(editor, rule) ? "follow" : rule });
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
    ({ nodes }) =>
      nodes.length === editor.selection.size && nodes.every((name) => editor.selection.has(name)),
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
  if (editor.selection.size)
    editor.send({ kind: "mute", nodes: [...editor.selection], on: !mutedOn(editor) });
}

/** Whether a segment ends after each selected node that is not an input. @param {Editor} editor */
export function segmentsEndHere(editor) {
  const able = [...editor.selection]
    .flatMap((id) => editor.node(id) ?? [])
    .filter((node) => !node.isInput);
  return able.length > 0 && able.every((node) => node.cut);
}

/** @param {Editor} editor */
export function toggleCut(editor) {
  if (editor.selection.size)
    editor.send({ kind: "cut_after", nodes: [...editor.selection], on: !segmentsEndHere(editor) });
}

/** Remove the region or group in focus, else the selected wire, else the selected nodes.
 * @param {Editor} editor @param {string | null} [frame] name of the region or group whose tab has the focus */
export function remove(editor, frame) {
  const isGroup = editor.shown.groups.some(({ name }) => name === frame);
  if (frame)
    editor.send(
      isGroup ? { kind: "ungroup", group: frame } : { kind: "uncheckpoint", region: frame },
    );
  else if (editor.wire) removeWire(editor);
  else if (editor.selection.size) editor.send({ kind: "delete", nodes: [...editor.selection] });
}

/** @param {Editor} editor */
export function removeWire(editor) {
  const seen = editor.stage.strands.get(editor.wire ?? "")?.wire;
  const wire = seen && realWire(seen);
  if (seen && !wire)
    return showStatus(
      editor.stage,
      `This wire stands for ${seen.of?.length}: open the group to remove one.`,
    );
  editor.wire = null;
  if (wire) editor.send({ kind: "disconnect", to: wire.to, slot: wire.slot });
}

/** @param {Editor} editor */
export function makeOutput(editor) {
  if (editor.single) editor.send({ kind: "output", node: editor.single });
}

// Forward mode.

/** Whether no question hides numbers: only then tangents are computed. @param {Editor} editor */
export const hasAllNumbers = ({ drawing }) => !drawing.asking?.hiding;

/** @param {Editor} editor */
export const isForward = (editor) => Boolean(editor.drawing.forward);

/** @param {Editor} editor */
export const toggleForward = (editor) => editor.send({ kind: "forward", on: !isForward(editor) });

// The comparison: pin the present graph, flip between the two, compare without a rule, save both.

const FILE = "download_twins"; // key of the page's button
const PATIENCE = 3000; // ms

/** @param {Editor} editor */
export const isPinned = (editor) => Boolean(editor.drawing.twins);

/** @param {Editor} editor */
export function togglePin(editor) {
  if (isPinned(editor)) return editor.send({ kind: "unpin" });
  editor.send({ kind: "pin" });
  if (editor.shown.nodes.length)
    showStatus(
      editor.stage,
      "Pinned as A. What you change now is B; the key v flips between them.",
    );
}

/** @param {Editor} editor */
export function flip(editor) {
  if (isPinned(editor)) editor.send({ kind: "flip" });
  else showStatus(editor.stage, "Nothing is pinned yet: Shift+V pins this graph as A.");
}

/** What the selection has that the graph can be compared without: the rule or the mute of a node, or a region; nothing while a
 * question hides numbers.
 * @param {Editor} editor @returns {{ what: "rule" | "mute" | "region", name: string } | null} */
export function bendOf(editor) {
  const node = editor.node(editor.single);
  if (!hasAllNumbers(editor)) return null;
  if (node && !node.group && node.muted) return { what: "mute", name: node.id };
  if (node && !node.group && node.rule !== "follow") return { what: "rule", name: node.id };
  const region = regionOf(editor);
  return region ? { what: "region", name: region.name } : null;
}

/** Pin the graph as A, and go on as B without a rule, a mute or a region. @param {Editor} editor */
export function compareWithout(editor, bend = bendOf(editor)) {
  if (bend) editor.send({ kind: "without", ...bend });
}

/** Save both programs, once the page has the button for it, which comes after the numbers. @param {Editor} editor */
export const saveTwins = async (editor) => {
  const end = Date.now() + PATIENCE;
  while (!document.querySelector(`.st-key-${FILE} button`) && Date.now() < end)
    await new Promise((go) => setTimeout(go, 50));
  await pressDownload(editor, FILE);
};

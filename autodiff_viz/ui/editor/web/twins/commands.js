// @ts-check
// Run the commands of the comparison: pin the present graph, flip between the two, compare without a rule,
// save both.

import { regionOf } from "../actions/commands.js";
import { pressDownload } from "../files/take.js";
import { say } from "../draw/stage.js";

/** @typedef {import("../editor.js").Editor} Editor */

const FILE = "download_twins"; // key of the page's button
const PATIENCE = 3000; // ms

/** @param {Editor} editor */
export const isPinned = (editor) => Boolean(editor.drawing.twins);

/** @param {Editor} editor */
export function togglePin(editor) {
  if (isPinned(editor)) return editor.send({ kind: "unpin" });
  editor.send({ kind: "pin" });
  if (editor.shown.nodes.length) say(editor.stage, "Pinned as A. What you change now is B; the key v flips between them.");
}

/** @param {Editor} editor */
export function flip(editor) {
  if (isPinned(editor)) editor.send({ kind: "flip" });
  else say(editor.stage, "Nothing is pinned yet: Shift+V pins this graph as A.");
}

/** What the selection has that the graph can be compared without: the rule or the mute of a node, or a region.
 * @param {Editor} editor @returns {{ what: "rule" | "mute" | "region", name: string } | null} */
export function bendOf(editor) {
  const node = editor.node(editor.single);
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
  while (!document.querySelector(`.st-key-${FILE} button`) && Date.now() < end) await new Promise((go) => setTimeout(go, 50));
  await pressDownload(editor, FILE);
};

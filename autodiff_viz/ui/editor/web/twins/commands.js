// @ts-check
// Commands of the comparison: pin the present graph, flip between the two, save both.

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

/** Save both programs, once the page has the button for it, which comes after the numbers. @param {Editor} editor */
export const saveTwins = async (editor) => {
  const end = Date.now() + PATIENCE;
  while (!document.querySelector(`.st-key-${FILE} button`) && Date.now() < end) await new Promise((go) => setTimeout(go, 50));
  await pressDownload(editor, FILE);
};

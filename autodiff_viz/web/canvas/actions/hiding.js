// @ts-check
// Show or hide the nodes that take no gradient, and say how many are hidden.

import { html, setText } from "../../base/dom.js";
import { showStatus } from "../draw/stage.js";
import { takesNoGradient } from "../state/sizes.js";

/** @typedef {import("../editor.js").Editor} Editor */

/** @param {Editor} editor */
export const isHiding = ({ hiding }) => hiding;

/** @param {Editor} editor */
export function toggleHiding(editor) {
  if (!editor.hiding && !editor.shown.nodes.some(takesNoGradient))
    return showStatus(editor.stage, "A gradient arrives at every node");
  editor.hiding = !editor.hiding;
  editor.refresh();
}

/** A note on the canvas of how many nodes are hidden, with a way to show them. @param {Editor} editor */
export function noteHidden(editor) {
  const count = html("span");
  const note = html(
    "div",
    { class: "hidden-note", role: "status" },
    count,
    html("button", { type: "button", click: () => toggleHiding(editor) }, "Show"),
  );
  editor.stage.host.append(note);
  editor.watchers.push(() => {
    note.hidden = !editor.hiding;
    if (editor.hiding) setText(count, wordsOf(editor.seen.hidden ?? 0));
  });
}

/** @param {number} count of hidden nodes */
const wordsOf = (count) =>
  count === 1
    ? "1 node that takes no gradient is hidden"
    : `${count} nodes that take no gradient are hidden`;

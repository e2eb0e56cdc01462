// @ts-check
// Describe what an edit did, once Python has answered it: for screen readers, and in the status line where the formula has
// changed by more than the edit. A figure has no edits, and none of this.

import { shared } from "../../base/constants.js";
import { html } from "../../base/dom.js";
import { showStatus } from "./stage.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").GraphNode} GraphNode */

const WRITTEN = "The copies now differ, so the formula writes the loop out. Undo brings it back.";

/** Tell what every edit came to that Python has answered. @param {Editor} editor */
export function tellSteps(editor) {
  const answer = html("div", { "aria-live": "polite", class: "told" });
  editor.stage.host.querySelector(".unseen")?.append(answer);
  let { drawing } = editor;
  editor.watchers.push(() => {
    if (editor.drawing === drawing) return;
    const [was, is] = [drawing.history, editor.drawing.history];
    const what = drawing.rev < 0 ? "" : spokenStep(drawing, editor.drawing);
    if (drawing.rev >= 0 && isWrittenOut(was, is)) showStatus(editor.stage, WRITTEN);
    if (drawing.rev >= 0 && isOfData(was, is)) showStatus(editor.stage, is.undo ?? "");
    drawing = editor.drawing;
    if (what) answer.textContent = editor.lastStep = what;
  });
}

/** Text after Python has answered an edit: the edit's name and the value of the output, or for a change of rules
 * the cotangents that it has changed. Typing that goes on is the same step, and is said again with its new output.
 * @param {Stepped} before @param {Stepped} after */
export function spokenStep(before, after) {
  const [was, is] = [before.history, after.history];
  const output = outputOf(after);
  if (!isStep(was, is) && was.redo === is.redo) {
    const isRewritten = is.undo && !is.redo && output && output !== outputOf(before);
    return isRewritten ? `${is.undo}. ${output}` : "";
  }
  const back =
    is.redo && is.redo === was.undo && (is.redo !== was.redo || numberOf(is) < numberOf(was));
  const forth =
    is.undo && is.undo === was.redo && (is.undo !== was.undo || numberOf(is) > numberOf(was));
  const what = back ? `Undone: ${is.redo}` : forth ? `Redone: ${is.undo}` : is.undo;
  if (!what) return "";
  const ruled = changes(before, after, ({ rule, ruleFull }) => `${rule} ${ruleFull ?? ""}`);
  if (ruled.length) {
    const edit =
      back || forth ? what : `${ruled[0].rule.replace("_", " ")} on ${enumerated(ruled)}`;
    const changed = changes(
      before,
      after,
      ({ cotangent, cotangentFull }) => cotangentFull ?? cotangent,
    );
    return `${edit}: ${changed.length ? `cotangents of ${enumerated(changed)} changed` : "no cotangent changed"}`;
  }
  return `${what}. ${output}`.trim();
}

/** What is said of the output; nothing where its value is not on view. @param {Stepped} drawing */
function outputOf({ nodes }) {
  const output = nodes.find((node) => node.isOutput);
  return output?.value ? `Output ${output.id} is ${output.value}` : "";
}

/** Number of the present step among all, also those that are no longer kept. @param {Steps} steps */
const numberOf = ({ at = 0, gone = 0 }) => at + gone;

/** Whether the present step is another one; two in a row may have one name. @param {Steps} was @param {Steps} is */
const isStep = (was, is) => was.undo !== is.undo || numberOf(was) !== numberOf(is);

/** Whether a new step has taken the loops and functions out of the formula.
 * @param {Steps} was @param {Steps} is */
export const isWrittenOut = (was, is) =>
  isStep(was, is) && !is.redo && Boolean(is.undo?.endsWith(shared.written_out));

/** Whether the last edit has set an input to data, of which its label says what was read.
 * @param {Steps} was @param {Steps} is */
export const isOfData = (was, is) =>
  isStep(was, is) &&
  was.redo !== is.undo &&
  Boolean(is.undo?.startsWith(shared.data_of)) &&
  !is.redo;

/**
 * @typedef {object} Steps
 * @property {string} [undo]
 * @property {string} [redo]
 * @property {number} [at]
 * @property {number} [gone]
 */
/** @typedef {{ history: Steps, nodes: GraphNode[] }} Stepped */

/** The nodes of both drawings that a look finds changed.
 * @param {Stepped} before @param {Stepped} after @param {(node: GraphNode) => string} look */
function changes(before, after, look) {
  const looks = new Map(before.nodes.map((node) => [node.id, look(node)]));
  return after.nodes.filter((node) => looks.has(node.id) && looks.get(node.id) !== look(node));
}

const NAMED = 5; // nodes that are named before the others are counted

/** @param {GraphNode[]} nodes */
const enumerated = (nodes) =>
  nodes
    .slice(0, NAMED)
    .map(({ id }) => id)
    .join(", ") + (nodes.length > NAMED ? ` and ${nodes.length - NAMED} more` : "");

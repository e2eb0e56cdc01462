// @ts-check
// Open the field of the question about a place on the canvas; asking/field.js has it.

import { withPart } from "../later.js";
import { questionAt, wireAsked } from "./questions.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("../explain/play.js").Quantity} Quantity */

/** Open the field of the question about a place; false if nothing is asked there.
 * @param {Editor} editor @param {Quantity} about */
export function openAnswer(editor, about) {
  const at = questionAt(editor.drawing.asking, about);
  if (at < 0) return false;
  editor.goToQuestion(at);
  void withPart(editor, "ask", (form) => form.openAnswerField(editor, about, at));
  return true;
}

/** Open the field of the question about the node or the wire that has the focus; false if nothing is asked there.
 * @param {Editor} editor @param {string | null} node @param {string | null} wire */
export function answerFocused(editor, node, wire) {
  if (wire) return openAnswer(editor, wireAsked(wire));
  const about = (/** @type {"cotangent" | "value"} */ of) => ({ of, node: node ?? "" });
  return openAnswer(editor, about("cotangent")) || openAnswer(editor, about("value"));
}

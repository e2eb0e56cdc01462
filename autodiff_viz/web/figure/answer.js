// @ts-check
// Open the field of the question about a place on the canvas, in a figure, which has all its code at once.

import { openField } from "../asking/field.js";
import { questionAt } from "../asking/questions.js";

/** @param {import("../canvas/editor.js").Editor} editor @param {import("../explain/play.js").Quantity} about */
export function openAnswer(editor, about) {
  const at = questionAt(editor.drawing.asking, about);
  if (at < 0) return false;
  editor.goToQuestion(at);
  openField(editor, about, at);
  return true;
}

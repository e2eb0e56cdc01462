// @ts-check
// Start and end asking about the graph; asking/ask_form.js has the popover in which that is said.

import { withPart } from "../later.js";
import { recordOfItem } from "./questions.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("../messages.js").QuestionRecord} QuestionRecord */

/** @param {Editor} editor */
export const isAsking = (editor) => Boolean(editor.drawing.asking);

/** Open the questions; the key goes to the one on view. @param {Editor} editor @param {unknown} _ @param {string} [key] */
export function askOrAnswer(editor, _, key) {
  if (key && editor.drawing.asking?.at !== undefined) editor.goToQuestion();
  else openAsk(editor);
}

/** Open the questions. @param {Editor} editor */
export const openAsk = (editor) => withPart(editor, "ask", (form) => form.openAskForm(editor));

/** Show all numbers. @param {Editor} editor */
export function stopAsking(editor) {
  editor.endPlay();
  editor.send({ kind: "stop_asking" });
  editor.stage.surface.focus({ preventScroll: true });
}

/** @param {Editor} editor @param {QuestionRecord[]} questions @param {string} [hides] */
export function send(editor, questions, hides = editor.drawing.asking?.hides ?? "cotangents") {
  editor.endPlay();
  editor.send({ kind: "ask", hides, questions });
}

/** The questions, with the change that is still on its way. @param {Editor} editor @returns {QuestionRecord[]} */
export function records(editor) {
  const last = editor.mail.outbox.pending.filter(({ kind }) => kind === "ask").at(-1);
  if (last?.kind === "ask") return last.questions;
  return (editor.drawing.asking?.items ?? []).map(recordOfItem);
}

/** @param {Editor} editor @param {number} at */
export const withoutQuestion = (editor, at) =>
  send(
    editor,
    records(editor).filter((_, i) => i !== at),
  );

/** Ask no longer what one question asks; with the last one no number is hidden either.
 * @param {Editor} editor @param {number} at */
export function removeQuestion(editor, at) {
  if (records(editor).length > 1) withoutQuestion(editor, at);
  else stopAsking(editor);
}

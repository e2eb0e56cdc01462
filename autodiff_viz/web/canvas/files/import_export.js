// @ts-check
// Import and export graphs: what is said in a line, and the way to what files/documents.js does, which comes later.

import { html } from "../../base/dom.js";
import { dispatch } from "../../base/events.js";
import { withPart } from "../../later.js";
import { showStatus } from "../draw/stage.js";

/** @typedef {import("../editor.js").Editor} Editor */

let onPaper = true; // pictures on white

let withAnswers = false; // pictures have the visitor's own, and the numbers that were asked for

export const isWithAnswers = () => withAnswers;
export const toggleWithAnswers = () => (withAnswers = !withAnswers);
/** What has been answered here. @param {Editor} editor */
export const answeredItems = ({ drawing }) =>
  (drawing.asking?.items ?? []).filter(({ tries, revealed }) => tries.length || revealed);
export const isOnPaper = () => onPaper;
export const togglePaper = () => (onPaper = !onPaper);

/** A query as others get it: what was answered here stays here. @param {string} search */
export const withoutAnswers = (search) =>
  search.replace(/([?&])guess=[^&]*&?/, "$1").replace(/[?&]$/, "");

/** For what a file with the numbers waits, in a few words; "" for nothing. @param {Editor} editor */
export const afterAnswers = ({ drawing }) => (drawing.asking?.hiding ? "after the answers" : "");

/** Show the tour to edit; begin one if there is none. @param {Editor} editor */
export function openTour(editor) {
  if (!editor.drawing.tour) editor.send({ kind: "tour_new" });
  dispatch("tour", {});
}

/** Begin with an empty graph. @param {Editor} editor */
export function newGraph(editor) {
  editor.send({ kind: "new" });
  showStatus(editor.stage, "A new graph. Undo brings the last one back.");
}

/** @param {Editor} editor */
export function chooseFile(editor) {
  const chooser = /** @type {HTMLInputElement} */ (
    html("input", {
      type: "file",
      accept:
        ".json,.csv,.tsv,.npy,.txt,.py,.ipynb,.png,.svg,application/json,text/plain,image/png,image/svg+xml",
    })
  );
  chooser.addEventListener(
    "change",
    () => chooser.files?.[0] && readFile(editor, chooser.files[0]),
  );
  chooser.click();
}

/** Whether a pasted text is a document to open in place of the graph: a link to a graph or a tour, or the JSON of one.
 * @param {string} text */
export function isDocument(text) {
  const trimmed = text.trim();
  if (/^\S*[?&](g|tour)=[\w-]+\S*$/.test(trimmed)) return true;
  return trimmed.startsWith("{") && /"autodiff_viz(_tour)?"\s*:/.test(trimmed.slice(0, 200));
}

/** @param {Editor} editor @param {File} file @param {string | null} [node] on which it was dropped
 * @param {import("../../types.js").Point | null} [at] the place where, if on none */
export const readFile = (editor, file, node = null, at = null) =>
  withPart(editor, "files", (files) => files.readFile(editor, file, node, at));

/** Open `text` in place of the graph. @param {Editor} editor @param {string} text @param {string} [name] */
export const openText = (editor, text, name = "text") =>
  withPart(editor, "files", (files) => files.openText(editor, text, name));

/** @param {Editor} editor */
export const openTextField = (editor) =>
  withPart(editor, "files", (files) => files.openTextField(editor));

/** @param {Editor} editor @param {"png" | "svg"} kind */
export const takePicture = (editor, kind) =>
  withPart(editor, "files", (files) => files.takePicture(editor, kind));

/** Press the page's button for a file that Python writes. @param {Editor} editor @param {string} key */
export const pressDownload = (editor, key) =>
  withPart(editor, "files", (files) => files.pressDownload(editor, key));

/** Copy a text. @param {Editor} editor @param {string} what @param {string} text */
export const copy = (editor, what, text) =>
  withPart(editor, "files", (files) => files.copy(editor, what, text));

/** @param {Editor} editor */
export const takeLink = (editor) => withPart(editor, "files", (files) => files.takeLink(editor));

/** Copy the link of the tour alone. @param {Editor} editor */
export const takeTourLink = (editor) =>
  withPart(editor, "files", (files) => files.takeTourLink(editor));

/** @param {Editor} editor */
export const takeFormula = (editor) =>
  withPart(editor, "files", (files) => files.takeFormula(editor));

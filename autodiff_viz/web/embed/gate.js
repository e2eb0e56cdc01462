// @ts-check
// Ask whether a gesture may change what it is about to change; in a frame that does not let it, say so.

import { host } from "../base/host.js";
import { showStatus } from "../canvas/draw/stage.js";

export const NOT_HERE =
  "The author of this page has not let this be changed. Open it in the lab to do so.";

/** Whether edits of a kind are made here. @param {string} kind */
export const may = (kind) => host.may(kind);

/** The same, with a word to the user if not.
 * @param {import("../canvas/editor.js").Editor} editor @param {string} kind */
export function mayEdit(editor, kind) {
  if (may(kind)) return true;
  showStatus(editor.stage, NOT_HERE);
  return false;
}

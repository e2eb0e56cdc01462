// @ts-check
// Switch forward mode on and off.

/** @typedef {import("../editor.js").Editor} Editor */

/** @param {Editor} editor */
export const isForward = (editor) => Boolean(editor.drawing.forward);

/** @param {Editor} editor */
export const toggleForward = (editor) => editor.send({ kind: "forward", on: !isForward(editor) });

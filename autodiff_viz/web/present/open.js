// @ts-check
// Open the stage where the address asks for it. The stage itself is present/presenter.js.

import { withPart } from "../later.js";

export const NAME = "present"; // parameter of the address, and of what the tab stores

/** @param {import("../canvas/editor.js").Editor} editor */
export function openStage(editor) {
  const wished = new URLSearchParams(location.search).get(NAME);
  if (wished === null) return;
  const watch = () => {
    if (editor.drawing.rev < 0 || !editor.fitted) return; // before the first drawing
    editor.watchers = editor.watchers.filter((other) => other !== watch);
    const hidden = wished === "hidden";
    withPart(editor, "present", ({ enterStage }) => enterStage(editor, { hidden }));
  };
  editor.watchers.push(watch);
}

// @ts-check
// Draw the row above the canvas that chooses between the graphs of the open lesson.

import { html } from "../base/dom.js";
import { Tabs } from "../dock/panels.js";
import { NO_FOCUS } from "./actions/reading.js";
import { actionOf } from "./actions/keys.js";

/** @typedef {import("./editor.js").Editor} Editor */

/** @param {Editor} editor */
export function variantsBar(editor) {
  const tabs = new Tabs("Graphs of the lesson", (name) => {
    const { lesson } = editor.drawing;
    if (lesson && Number(name) !== lesson.variant)
      editor.send({ kind: "variant", lesson: lesson.key, variant: Number(name) });
  });
  // The tabs keep their keys from the canvas; a graph that was opened by them is left again by undo.
  tabs.root.addEventListener("keydown", (event) => {
    const [key, action] = actionOf(event);
    if (!action?.undoes) return;
    event.preventDefault();
    action.do?.(editor, NO_FOCUS, key);
  });
  const root = html("div", { class: "variants", hidden: true }, tabs.root);
  editor.watchers.push(() => {
    const { lesson } = editor.drawing;
    root.hidden = !lesson || lesson.variants.length < 2;
    if (lesson && !root.hidden)
      tabs.show(
        lesson.variants.map((label, i) => ({ name: String(i), label })),
        String(lesson.variant),
      );
  });
  return root;
}

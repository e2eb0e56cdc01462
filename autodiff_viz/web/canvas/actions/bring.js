// @ts-check
// Move nodes into view that are pointed at in the formula or by the search for a node.

import { NAMED } from "../draw/levels.js";
import { sizeOf } from "../draw/stage.js";
import { viewBringing } from "../draw/viewport.js";
import { visibleCard } from "../state/fold.js";
import { clearOf } from "../state/geometry.js";

/** @param {import("../editor.js").Editor} editor @param {string[]} names
 * @param {import("../../types.js").Box} [cover] px of the canvas that a popover at its right edge, or along its top, covers */
export function bringIntoView(editor, names, cover) {
  const { stage, seen, choice } = editor;
  const ids = new Set(names.map((name) => visibleCard(seen, name)));
  const size = sizeOf(stage);
  const { side, ...clear } = clearOf(size);
  const least = stage.level.detail === "boxes" ? NAMED * stage.reading : 0;
  const view = viewBringing(
    stage.view,
    seen.nodes.filter(({ id }) => ids.has(id)),
    size,
    { ...clear, left: side, right: side },
    least,
    cover,
  );
  if (view) editor.look(view, choice === "own" || view.k !== stage.view.k);
}

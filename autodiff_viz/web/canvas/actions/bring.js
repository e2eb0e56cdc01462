// @ts-check
// Move nodes into view: those that are pointed at in the formula or by the search for a node, those that have just
// come, and the output.

import { NAMED } from "../draw/levels.js";
import {
  isLarge,
  leastReadScale,
  measureCanvas,
  showsWhole,
  sizeOf,
  wholeView,
} from "../draw/stage.js";
import { viewBringing } from "../draw/viewport.js";
import { visibleCard } from "../state/fold.js";
import { bounds, clearOf, padded, viewShowing } from "../state/geometry.js";

/** @typedef {import("../editor.js").Editor} Editor */

const ROUND = 24; // px of the world around nodes that have come

/** @param {Editor} editor @param {string[]} names
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

/** Bring the output into view: with the whole graph, unless that is so large that the output alone is shown.
 * @param {Editor} editor */
export function showOutput(editor) {
  const { stage, seen } = editor;
  const output = seen.nodes.find(({ isOutput }) => isOutput);
  const size = sizeOf(stage);
  if (!output || !size.w) return;
  const isShown = () => viewShowing(stage.view, output, size) === stage.view;
  if (isShown()) return;
  editor.choice = "first";
  measureCanvas(stage);
  editor.look(wholeView(stage, seen, true), false);
  if (!isShown()) editor.show([output.id]); // which moves the view for a margin too, and so cuts the other end
}

/** Bring nodes that have just come into view, and the output with them.
 * @param {Editor} editor @param {string[]} names @param {boolean} pasted */
export function showCome(editor, names, pasted) {
  const { stage, seen, choice } = editor;
  const view = viewAfterEdit(stage, seen, names, choice, pasted);
  if (view) editor.look(view, choice === "own");
}

/** A small graph is shown whole, unless the user has chosen a view. There the output comes into view after a paste alone:
 * a copy lands beside its original, at which the user looks. Where the numbers of both could not be read, the output is left out.
 * @param {import("../draw/stage.js").Stage} stage @param {import("../../types.js").Drawing} seen @param {string[]} names
 * @param {string} choice of the view @param {boolean} pasted @returns {import("../../types.js").Viewport | null} */
function viewAfterEdit(stage, seen, names, choice, pasted) {
  const whole = choice === "own" || isLarge(seen) ? null : wholeView(stage, seen, true);
  if (whole) return showsWhole(stage, whole) ? null : whole;
  const output = pasted ? seen.nodes.filter(({ isOutput }) => isOutput).map(({ id }) => id) : [];
  const both = viewWith(stage, seen, [...names, ...output]);
  const isRead = both !== null && both.k >= Math.min(leastReadScale(stage), stage.view.k);
  return isRead ? both : viewWith(stage, seen, names);
}

/** The present view, moved as little as can be to show nodes. @param {import("../draw/stage.js").Stage} stage
 * @param {import("../../types.js").Drawing} seen @param {string[]} names */
function viewWith(stage, seen, names) {
  const ids = new Set(names.map((name) => visibleCard(seen, name)));
  const box = bounds(seen.nodes.filter(({ id }) => ids.has(id)));
  return box && viewShowing(stage.view, padded(box, ROUND), sizeOf(stage));
}

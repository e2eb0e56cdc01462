// @ts-check
// Pinch to zoom: the view follows two fingers.

import { zoomAt } from "../draw/geometry.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("./pointing.js").Gesture} Gesture */

/** @param {Editor} editor @param {Map<number, Point>} pointers @returns {Gesture} */
export function pinch(editor, pointers) {
  const spread = () => {
    const [a, b] = [...pointers.values()];
    /** @type {Point} */
    const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    return { far: Math.max(Math.hypot(a[0] - b[0], a[1] - b[1]), 1), middle };
  };
  const { view } = editor.stage;
  const before = spread();
  return {
    move: () => {
      if (pointers.size < 2) return;
      const { far, middle } = spread();
      const panned = { ...view, x: view.x + middle[0] - before.middle[0], y: view.y + middle[1] - before.middle[1] };
      editor.look(zoomAt(panned, far / before.far, middle));
    },
    end: () => {},
  };
}

// @ts-check
// Select nodes with a box (rubber band): the nodes that a box drawn on the canvas touches.

import { overlap, toWorld } from "../draw/geometry.js";
import { svg } from "../../../web/dom.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("./pointing.js").Gesture} Gesture */

/** Select all nodes that a box touches. @param {Editor} editor @param {Point} start @returns {Gesture} */
export function dragBox(editor, start) {
  const from = toWorld(editor.stage.view, start);
  const before = [...editor.selection];
  const frame = svg("rect", { class: "frame" });
  editor.stage.layers.overlay.append(frame);
  let box = { x: from[0], y: from[1], w: 0, h: 0 };
  return {
    move: (at) => {
      const [x, y] = toWorld(editor.stage.view, at);
      box = { x: Math.min(x, from[0]), y: Math.min(y, from[1]), w: Math.abs(x - from[0]), h: Math.abs(y - from[1]) };
      const edges = { x: box.x, y: box.y, width: box.w, height: box.h };
      for (const [name, value] of Object.entries(edges)) frame.setAttribute(name, String(value));
    },
    end: (event) => {
      frame.remove();
      const inside = editor.seen.nodes.filter((node) => overlap(node, box)).map((node) => node.id);
      if (event) editor.select([...new Set([...before, ...inside])]);
    },
  };
}

// @ts-check
// Duplicate the selected nodes, by key or by dragging with Alt held down.

import { svg } from "../../../web/dom.js";
import { bounds, overlap, padded } from "../draw/geometry.js";
import { copyNames } from "../state/copies.js";
import { say } from "../draw/stage.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../types.js").Point} Point */

const GAP = { beside: 40, below: 28 }; // px between the original and its copy
const OVER = /** @type {Point} */ ([40, 40]); // px right of and below the original, where there is no room beside it
const FAR = 3; // times the size of the original at which room is looked for

/** The shortest way to a free place below, right of, above or left of some nodes. Pure.
 * @param {import("../types.js").Box[]} nodes @param {import("../types.js").Box[]} all nodes of the graph @returns {Point} */
export function beside(nodes, all) {
  const box = bounds(nodes);
  if (!box) return OVER;
  const [right, down] = [box.w + GAP.beside, box.h + GAP.below];
  for (let times = 1; times <= FAR; times++)
    for (const [x, y] of /** @type {Point[]} */ ([[0, down], [right, 0], [0, -down], [-right, 0]])) {
      const by = /** @type {Point} */ ([Math.round(x * times), Math.round(y * times)]);
      const copies = nodes.map((node) => padded({ ...node, x: node.x + by[0], y: node.y + by[1] }, GAP.below / 2));
      if (!copies.some((copy) => all.some((node) => overlap(copy, node)))) return by;
    }
  return OVER;
}

/** Duplicate the selected nodes; the copies are selected at once. @param {Editor} editor @param {Point} [by] */
export function duplicate(editor, by = beside(editor.chosen, editor.seen.nodes)) {
  const nodes = editor.shown.nodes.map(({ id }) => id).filter((id) => editor.selection.has(id));
  if (!nodes.length) return say(editor.stage, "Select the nodes to duplicate first.");
  const copies = [...copyNames(editor.shown.nodes.map(({ id }) => id), nodes).values()];
  editor.send({ kind: "duplicate", nodes, by });
  editor.selection = new Set(copies);
  editor.wire = null;
  editor.told = editor.single; // Python will select it too
  editor.refresh();
  say(editor.stage, nodes.length === 1 ? `Duplicated ${nodes[0]}` : `Duplicated ${nodes.length} nodes`);
}

/** Drag frames with the pointer; the copies are made at the place where they are dropped.
 * @param {Editor} editor @param {string} id @param {Point} start @returns {import("./pointing.js").Gesture} */
export function dragCopies(editor, id, start) {
  if (!editor.isSelected(id)) editor.select([id]);
  const nodes = editor.chosen;
  const frames = svg("g", { class: "copies" }, ...nodes.map(({ x, y, w, h }) => svg("rect", { x, y, width: w, height: h, rx: 10 })));
  editor.stage.layers.overlay.append(frames);
  /** @type {Point} */
  let by = [0, 0];
  return {
    move: ([x, y]) => {
      const { k } = editor.stage.view;
      by = [Math.round((x - start[0]) / k), Math.round((y - start[1]) / k)];
      frames.setAttribute("transform", `translate(${by[0]} ${by[1]})`);
    },
    end: (event) => {
      frames.remove();
      if (event) duplicate(editor, by);
    },
  };
}

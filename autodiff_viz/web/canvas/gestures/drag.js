// @ts-check
// Drag on the canvas: nodes, which move, join or leave frames or are inserted into a wire, their copies, or a
// box that selects.

import { svg } from "../../base/dom.js";
import { showStatus } from "../draw/stage.js";
import { beginMembership } from "../popovers/region.js";
import { copyNames } from "../state/copies.js";
import { bounds, overlap, padded, toWorld } from "../state/geometry.js";
import { insertion } from "./insert.js";

// A box (rubber band), which selects the nodes that it touches.

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {import("./gestures.js").Gesture} Gesture */

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
      box = {
        x: Math.min(x, from[0]),
        y: Math.min(y, from[1]),
        w: Math.abs(x - from[0]),
        h: Math.abs(y - from[1]),
      };
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

// Copies of the selected nodes, by key or by dragging with Alt held down.

const GAP = { beside: 40, below: 28 }; // px between the original and its copy
const OVER = /** @type {Point} */ ([40, 40]); // px right of and below the original, where there is no room beside it
const FAR = 3; // times the size of the original at which room is looked for

/** The shortest way to a free place below, right of, above or left of some nodes. Pure.
 * @param {import("../../types.js").Box[]} nodes @param {import("../../types.js").Box[]} all nodes of the graph @returns {Point} */
export function freePlaceBeside(nodes, all) {
  const box = bounds(nodes);
  if (!box) return OVER;
  const [right, down] = [box.w + GAP.beside, box.h + GAP.below];
  for (let times = 1; times <= FAR; times++)
    for (const [x, y] of /** @type {Point[]} */ ([
      [0, down],
      [right, 0],
      [0, -down],
      [-right, 0],
    ])) {
      const by = /** @type {Point} */ ([Math.round(x * times), Math.round(y * times)]);
      const copies = nodes.map((node) =>
        padded({ ...node, x: node.x + by[0], y: node.y + by[1] }, GAP.below / 2),
      );
      if (!copies.some((copy) => all.some((node) => overlap(copy, node)))) return by;
    }
  return OVER;
}

/** Duplicate the selected nodes; the copies are selected at once. @param {Editor} editor @param {Point} [by] */
export function duplicate(editor, by = freePlaceBeside(editor.chosen, editor.seen.nodes)) {
  const nodes = editor.shown.nodes.map(({ id }) => id).filter((id) => editor.selection.has(id));
  if (!nodes.length) return showStatus(editor.stage, "Select the nodes to duplicate first.");
  const copies = [
    ...copyNames(
      editor.shown.nodes.map(({ id }) => id),
      nodes,
    ).values(),
  ];
  editor.send({ kind: "duplicate", nodes, by });
  editor.selection = new Set(copies);
  editor.wire = null;
  editor.told = editor.single; // Python will select it too
  editor.refresh();
  showStatus(
    editor.stage,
    nodes.length === 1 ? `Duplicated ${nodes[0]}` : `Duplicated ${nodes.length} nodes`,
  );
}

/** Drag frames with the pointer; the copies are made at the place where they are dropped.
 * @param {Editor} editor @param {string} id @param {Point} start @returns {import("./gestures.js").Gesture} */
export function dragCopies(editor, id, start) {
  if (!editor.isSelected(id)) editor.select([id]);
  const nodes = editor.chosen;
  const frames = svg(
    "g",
    { class: "copies" },
    ...nodes.map(({ x, y, w, h }) => svg("rect", { x, y, width: w, height: h, rx: 10 })),
  );
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

/** Move a node, or all nodes that are selected with it.
 * @param {Editor} editor @param {string} id @param {Point} start
 * @returns {Gesture} */
export function dragNodes(editor, id, start) {
  if (!editor.isSelected(id)) {
    editor.choose([id]); // the edit is sent at the end: Python's answer would draw panels during the drag
    editor.refresh();
  }
  const nodes = editor.chosen;
  const move = beginMembership(editor, nodes);
  const into = insertion(editor, nodes);
  return {
    move: (at) => {
      const [dx, dy] = at.map((value, i) => (value - start[i]) / editor.stage.view.k);
      const placed = nodes.map(
        ({ id: name, x, y }) =>
          /** @type {[string, Point]} */ ([name, [Math.round(x + dx), Math.round(y + dy)]]),
      );
      const positions = Object.fromEntries(placed);
      move(positions);
      into?.over(positions[id]);
    },
    end: (event) => {
      const [positions, moves] = [editor.dragged, editor.memberMoves];
      editor.memberMoves = null;
      editor.drag(null);
      editor.tellSingle();
      if (into?.drop(event ? positions?.[id] : undefined)) return;
      if (event && positions)
        editor.send(moves ? { kind: "regroup", positions, ...moves } : { kind: "move", positions });
    },
  };
}

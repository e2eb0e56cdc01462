// @ts-check
// Drag nodes: they move, join or leave regions and groups, and a single one can be inserted into a wire.

import { insertion } from "./inserts.js";
import { beginMembership } from "../popovers/regionpop.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("./pointing.js").Gesture} Gesture */

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
      const placed = nodes.map(({ id: name, x, y }) => /** @type {[string, Point]} */ ([name, [Math.round(x + dx), Math.round(y + dy)]]));
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
      if (event && positions) editor.send(moves ? { kind: "regroup", positions, ...moves } : { kind: "move", positions });
    },
  };
}

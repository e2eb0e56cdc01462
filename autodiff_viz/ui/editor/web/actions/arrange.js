// @ts-check
// Move the selected nodes without dragging: align, nudge, lay out.

import { aligned, ALIGNMENTS } from "./align.js";
import { freeSpot } from "../draw/geometry.js";
import { say } from "../draw/stage.js";
import { withTabs } from "../state/tabs.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../types.js").Point} Point */

const STEP = 8; // px
const BESIDE = 64; // px from a parameter to its layer

/** @param {Editor} editor */
export const chosen = (editor) => editor.shown.nodes.filter(({ id }) => editor.selection.has(id));

/** Positions of all nodes if cards move with all nodes in them.
 * @param {Pick<Editor, "shown" | "seen">} editor @param {Record<string, Point>} places of nodes and cards @returns {Record<string, Point>} */
export function membersAt({ shown, seen }, places) {
  const found = { ...places };
  const at = new Map(shown.nodes.map((node) => [node.id, node]));
  for (const { id, x, y, group } of seen.nodes) {
    if (!group || !places[id]) continue;
    delete found[id];
    const [right, down] = [places[id][0] - x, places[id][1] - y];
    for (const name of group.nodes) found[name] = [Math.round((at.get(name)?.x ?? 0) + right), Math.round((at.get(name)?.y ?? 0) + down)];
  }
  return withTabs(shown.nodes, found);
}

/** @param {Editor} editor @param {import("./align.js").How} how */
export function align(editor, how) {
  const nodes = editor.chosen;
  const moved = aligned(nodes, how);
  const positions = Object.fromEntries(nodes.map(({ id, x, y }) => [id, moved[id] ?? [x, y]])); // all of them, so that the step has its name
  if (Object.keys(moved).length) editor.send({ kind: "move", positions: membersAt(editor, positions), how });
  else say(editor.stage, `${ALIGNMENTS[how].label}: nothing to move.`);
}

/** @param {Editor} editor @param {Point} direction */
export function nudge(editor, [dx, dy]) {
  const nodes = chosen(editor);
  if (!nodes.length) return say(editor.stage, "Select the nodes to move first.");
  const positions = Object.fromEntries(nodes.map(({ id, x, y }) => [id, /** @type {Point} */ ([Math.round(x + STEP * dx), Math.round(y + STEP * dy)])]));
  editor.send({ kind: "move", positions: membersAt(editor, positions), how: "nudge" });
}

/** Give a parameter that is folded at its layer a card of its own, at a free place left of the layer. @param {Editor} editor */
export function unfold(editor) {
  const [node, nodes] = [editor.node(editor.single), editor.shown.nodes];
  const layer = nodes.find(({ id }) => id === node?.tab);
  if (!node || !layer) return;
  const [w, h] = node.full ?? [node.w, node.h];
  const others = nodes.filter(({ id }) => id !== node.id);
  editor.send({ kind: "move", positions: { [node.id]: freeSpot(others, [layer.x - w - BESIDE, layer.y], { w, h }) } });
}

/** Lay out the selected nodes if there are several, else all nodes. @param {Editor} editor */
export function arrange(editor) {
  const nodes = chosen(editor).map(({ id }) => id);
  const some = nodes.length > 1 && nodes.length < editor.shown.nodes.length;
  editor.send(some ? { kind: "arrange", nodes } : { kind: "arrange" });
  say(editor.stage, some ? `Arranged ${nodes.length} nodes. With none selected, all are arranged.` : "Arranged all nodes.");
}

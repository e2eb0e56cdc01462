// @ts-check
// Move the selected nodes without dragging: align, space evenly, nudge, lay out.

import { showStatus } from "../draw/stage.js";
import { freeSpot } from "../state/geometry.js";
import { withTabs } from "../state/tabs.js";

// New positions of aligned and evenly spaced nodes. Numbers only.

/** @typedef {import("../../types.js").Box & { id: string }} Node */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {"left" | "centre" | "right" | "top" | "middle" | "bottom" | "across" | "down"} How */

/** Ways to arrange several nodes, with their labels and the least number of nodes.
 * @type {Record<How, { label: string, least: number }>} */
export const ALIGNMENTS = {
  left: { label: "Align left", least: 2 },
  centre: { label: "Align centres", least: 2 },
  right: { label: "Align right", least: 2 },
  top: { label: "Align tops", least: 2 },
  middle: { label: "Align middles", least: 2 },
  bottom: { label: "Align bottoms", least: 2 },
  across: { label: "Space evenly across", least: 3 },
  down: { label: "Space evenly down", least: 3 },
};

/** New positions of the nodes that have to move.
 * @param {Node[]} nodes @param {How} how @returns {Record<string, Point>} */
export function aligned(nodes, how) {
  if (nodes.length < ALIGNMENTS[how].least) return {};
  const places =
    how === "across" || how === "down"
      ? spaced(nodes, how === "across" ? "x" : "y")
      : lined(nodes, how);
  const moved = places.filter(([node, [x, y]]) => x !== node.x || y !== node.y);
  return Object.fromEntries(moved.map(([{ id }, at]) => [id, at]));
}

/** @param {Node[]} nodes @param {How} how @returns {[Node, Point][]} */
function lined(nodes, how) {
  const [left, right] = [
    Math.min(...nodes.map(({ x }) => x)),
    Math.max(...nodes.map(({ x, w }) => x + w)),
  ];
  const [top, bottom] = [
    Math.min(...nodes.map(({ y }) => y)),
    Math.max(...nodes.map(({ y, h }) => y + h)),
  ];
  return nodes.map((node) => {
    const { x, y, w, h } = node;
    const places = /** @type {Record<string, Point>} */ ({
      left: [left, y],
      right: [right - w, y],
      centre: [Math.round((left + right - w) / 2), y],
      top: [x, top],
      bottom: [x, bottom - h],
      middle: [x, Math.round((top + bottom - h) / 2)],
    });
    return [node, places[how]];
  });
}

/** Positions with equal gaps between neighbours; the first and the last stay.
 * @param {Node[]} nodes @param {"x" | "y"} axis @returns {[Node, Point][]} */
function spaced(nodes, axis) {
  const side = axis === "x" ? "w" : "h";
  const sorted = [...nodes].sort((a, b) => a[axis] - b[axis]);
  const last = sorted[sorted.length - 1];
  const taken = sorted.reduce((sum, node) => sum + node[side], 0);
  const gap = (last[axis] + last[side] - sorted[0][axis] - taken) / (sorted.length - 1);
  let at = sorted[0][axis];
  return sorted.map((node) => {
    const place = Math.round(at);
    at += node[side] + gap;
    return [node, axis === "x" ? [place, node.y] : [node.x, place]];
  });
}

/** @typedef {import("../editor.js").Editor} Editor */

const STEP = 8; // px
const BESIDE = 64; // px from a parameter to its layer
const TURNED = "In a narrow window nodes are placed for you. Move them in a wider one.";

/** @param {Editor} editor */
export const selectedNodes = (editor) =>
  editor.shown.nodes.filter(({ id }) => editor.selection.has(id));

/** Positions of all nodes if cards move with all nodes in them.
 * @param {Pick<Editor, "shown" | "seen">} editor @param {Record<string, Point>} places of nodes and cards @returns {Record<string, Point>} */
export function membersAt({ shown, seen }, places) {
  const members = { ...places };
  const at = new Map(shown.nodes.map((node) => [node.id, node]));
  for (const { id, x, y, group } of seen.nodes) {
    if (!group || !places[id]) continue;
    delete members[id];
    const [right, down] = [places[id][0] - x, places[id][1] - y];
    for (const name of group.nodes)
      members[name] = [
        Math.round((at.get(name)?.x ?? 0) + right),
        Math.round((at.get(name)?.y ?? 0) + down),
      ];
  }
  return withTabs(shown.nodes, members);
}

/** @param {Editor} editor @param {How} how */
export function align(editor, how) {
  if (editor.seen.turn) return showStatus(editor.stage, TURNED);
  const nodes = editor.chosen;
  const moved = aligned(nodes, how);
  const positions = Object.fromEntries(nodes.map(({ id, x, y }) => [id, moved[id] ?? [x, y]])); // all of them, so that the step has its name
  if (Object.keys(moved).length)
    editor.send({ kind: "move", positions: membersAt(editor, positions), how });
  else showStatus(editor.stage, `${ALIGNMENTS[how].label}: nothing to move.`);
}

/** @param {Editor} editor @param {Point} direction */
export function nudge(editor, [dx, dy]) {
  if (editor.seen.turn) return showStatus(editor.stage, TURNED);
  const nodes = selectedNodes(editor);
  if (!nodes.length) return showStatus(editor.stage, "Select the nodes to move first.");
  const positions = Object.fromEntries(
    nodes.map(({ id, x, y }) => [
      id,
      /** @type {Point} */ ([Math.round(x + STEP * dx), Math.round(y + STEP * dy)]),
    ]),
  );
  editor.send({ kind: "move", positions: membersAt(editor, positions), how: "nudge" });
}

/** Give a parameter that is folded at its layer a card of its own, at a free place left of the layer. @param {Editor} editor */
export function unfold(editor) {
  const [node, nodes] = [editor.node(editor.single), editor.shown.nodes];
  const layer = nodes.find(({ id }) => id === node?.tab);
  if (!node || !layer) return;
  const [w, h] = node.full ?? [node.w, node.h];
  const others = nodes.filter(({ id }) => id !== node.id);
  editor.send({
    kind: "move",
    positions: { [node.id]: freeSpot(others, [layer.x - w - BESIDE, layer.y], { w, h }) },
  });
}

/** Lay out the selected nodes if there are several, else all nodes. @param {Editor} editor */
export function arrange(editor) {
  const nodes = selectedNodes(editor).map(({ id }) => id);
  const some = nodes.length > 1 && nodes.length < editor.shown.nodes.length;
  editor.send(some ? { kind: "arrange", nodes } : { kind: "arrange" });
  showStatus(
    editor.stage,
    some
      ? `Arranged ${nodes.length} nodes. With none selected, all are arranged.`
      : "Arranged all nodes.",
  );
}

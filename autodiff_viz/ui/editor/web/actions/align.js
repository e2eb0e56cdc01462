// @ts-check
// Align nodes and space them evenly: compute their new positions. Numbers only.

/** @typedef {import("../types.js").Box & { id: string }} Node */
/** @typedef {import("../types.js").Point} Point */
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
  const found = how === "across" || how === "down" ? spaced(nodes, how === "across" ? "x" : "y") : lined(nodes, how);
  const moved = found.filter(([node, [x, y]]) => x !== node.x || y !== node.y);
  return Object.fromEntries(moved.map(([{ id }, at]) => [id, at]));
}

/** @param {Node[]} nodes @param {How} how @returns {[Node, Point][]} */
function lined(nodes, how) {
  const [left, right] = [Math.min(...nodes.map(({ x }) => x)), Math.max(...nodes.map(({ x, w }) => x + w))];
  const [top, bottom] = [Math.min(...nodes.map(({ y }) => y)), Math.max(...nodes.map(({ y, h }) => y + h))];
  return nodes.map((node) => {
    const { x, y, w, h } = node;
    const places = /** @type {Record<string, Point>} */ ({
      left: [left, y], right: [right - w, y], centre: [Math.round((left + right - w) / 2), y],
      top: [x, top], bottom: [x, bottom - h], middle: [x, Math.round((top + bottom - h) / 2)],
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

// @ts-check
// Find the cards with chips on their upper edge that have another card near above: their chips are small. Pure.

import { withFoot } from "./tabs.js";

/** @typedef {import("../types.js").GraphNode} GraphNode */

const FAR = 60; // px; as much is room for every chip
const MANY = 1500; // nodes up to which rooms are looked for

/** Nodes by their room, so that a node with the same room stays the same object. @type {WeakMap<GraphNode, GraphNode>} */
const known = new WeakMap();

/** The nodes, of which those with chips know how far the next card above is, if it is near (`above`).
 * @param {GraphNode[]} nodes @returns {GraphNode[]} */
export function withHeadroom(nodes) {
  if (nodes.length > MANY) return nodes;
  const boxes = nodes.map(withFoot);
  return nodes.map((node) => (hasChips(node) ? roomy(node, headroom(node, boxes)) : node));
}

/** Whether a card has chips on its upper edge. @param {GraphNode} node */
export const hasChips = ({ rule, problem, warning, muted, isOutput, group, tab }) =>
  !group && !tab && (rule !== "follow" || Boolean(problem ?? warning) || Boolean(muted) || isOutput);

/** Px to the next card above; `FAR` if there is none near. @param {GraphNode} node @param {import("../types.js").Box[]} boxes */
function headroom({ x, y, w }, boxes) {
  let room = FAR;
  for (const box of boxes) {
    const gap = y - box.y - box.h;
    if (gap >= 0 && gap < room && box.x < x + w && x < box.x + box.w) room = gap;
  }
  return room;
}

/** @param {GraphNode} node @param {number} room */
function roomy(node, room) {
  const above = room < FAR ? Math.round(room) : undefined;
  const last = known.get(node);
  if (above === undefined) return node;
  if (last?.above === above) return last;
  const found = { ...node, above };
  known.set(node, found);
  return found;
}

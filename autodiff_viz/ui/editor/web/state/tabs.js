// @ts-check
// Parameters folded into tabs below the card of the layer that reads them, as views/layout/tabs.py folds them. Pure.

import { shared } from "../../../web/constants.js";

/** @typedef {import("../types.js").Drawing} Drawing */
/** @typedef {import("../types.js").GraphNode} GraphNode */
/** @typedef {import("../types.js").Point} Point */

const { h: HEIGHT, gap: GAP, near: NEAR, slack: SLACK } = shared.tab;

/** The drawing with every parameter as a tab that stands directly below its layer, and with no other tabs.
 * @param {Drawing} drawing @returns {Drawing} */
export function stacked(drawing) {
  const layers = layersOf(drawing);
  const byId = new Map(drawing.nodes.map((node) => [node.id, node]));
  /** @type {Map<string, number>} by layer */
  const most = new Map();
  for (const layer of layers.values()) most.set(layer, (most.get(layer) ?? 0) + 1);
  /** @type {Map<string, GraphNode>} */
  const folded = new Map();
  /** @type {Map<string, number>} px below a layer */
  const feet = new Map();
  for (const [name, id] of layers) {
    const [node, layer] = [/** @type {GraphNode} */ (byId.get(name)), /** @type {GraphNode} */ (byId.get(id))];
    const down = node.y - layer.y;
    if (Math.abs(node.x - layer.x) > NEAR || down < layer.h / 2 || down > layer.h + (most.get(id) ?? 0) * (GAP + HEIGHT) + SLACK) continue;
    const foot = feet.get(id) ?? 0;
    feet.set(id, foot + GAP + HEIGHT);
    folded.set(name, { ...node, x: layer.x, y: Math.round(10 * (layer.y + layer.h + foot + GAP)) / 10, w: layer.w, h: HEIGHT, tab: id, full: node.full ?? [node.w, node.h] });
  }
  const next = drawing.nodes.map((node) => changed(node, folded.get(node.id) ?? unfolded(node), feet.get(node.id) ?? 0));
  return next.some((node, i) => node !== drawing.nodes[i]) ? { ...drawing, nodes: next } : drawing;
}

/** By parameter with one consumer that layer; those of its last slots first. @param {Drawing} drawing @returns {Map<string, string>} */
function layersOf({ nodes, wires }) {
  const free = new Set(nodes.filter(({ isParameter, isOutput }) => isParameter && !isOutput).map(({ id }) => id));
  if (!free.size) return new Map();
  /** @type {Map<string, import("../types.js").Wire[]>} */
  const uses = new Map();
  for (const wire of wires) if (free.has(wire.from)) uses.set(wire.from, [...(uses.get(wire.from) ?? []), wire]);
  const alone = [...uses.values()].filter(({ length }) => length === 1).map(([wire]) => wire);
  return new Map(alone.sort((a, b) => b.slot - a.slot).map(({ from, to }) => [from, to]));
}

/** The node as a card of its own. @param {GraphNode} node @returns {GraphNode} */
export function unfolded(node) {
  if (!node.tab) return node;
  const { tab, full, ...rest } = node;
  const [w, h] = full ?? [node.w, node.h];
  return { ...rest, w, h };
}

/** The node itself if it is as it was. @param {GraphNode} was @param {GraphNode} is @param {number} foot */
const changed = (was, is, foot) =>
  was.x === is.x && was.y === is.y && was.w === is.w && was.h === is.h && was.tab === is.tab && (was.foot ?? 0) === foot ? was : { ...is, foot };

/** Positions of moved nodes with those of their tabs, which go with them.
 * @param {GraphNode[]} nodes @param {Record<string, Point>} places @returns {Record<string, Point>} */
export function withTabs(nodes, places) {
  const layers = new Map(nodes.filter(({ id, foot }) => foot && places[id]).map((node) => [node.id, node]));
  const found = { ...places };
  for (const { id, tab, x, y } of nodes) {
    const layer = layers.get(tab ?? "");
    if (layer && !places[id]) found[id] = [x + places[layer.id][0] - layer.x, y + places[layer.id][1] - layer.y];
  }
  return found;
}

/** The box of a card with the tabs below it. @param {GraphNode} node @returns {import("../types.js").Box} */
export const withFoot = ({ x, y, w, h, foot = 0 }) => ({ x, y, w, h: h + foot });

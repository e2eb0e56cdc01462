// @ts-check
// Fold parameters into tabs below or beside the card of the layer that reads them, as canvas/layout/tabs.py
// does. Pure.

import { shared } from "../../base/constants.js";
import { tenths } from "./geometry.js";

/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").Point} Point */

const { h: HEIGHT, gap: GAP, near: NEAR, slack: SLACK, aside: ASIDE, under: UNDER } = shared.tab;

/** The drawing with every parameter as a tab that stands directly below or left of its layer, and with no other tabs.
 * @param {Drawing} drawing @returns {Drawing} */
export function stackTabs(drawing) {
  const layers = layersOf(drawing);
  const byId = new Map(drawing.nodes.map((node) => [node.id, node]));
  /** @type {Map<string, GraphNode>} */
  const folded = new Map();
  /** @type {Map<string, number>} px below a layer */
  const feet = new Map();
  for (const [id, names] of layers) {
    const layer = /** @type {GraphNode} */ (byId.get(id));
    const nodes = names.map((name) => /** @type {GraphNode} */ (byId.get(name)));
    for (const beside of [false, true]) {
      const tabs = nodes.filter((node) => isAt(node, layer, beside, names.length));
      if (!tabs.length) continue;
      const first = beside ? layer.h / (layer.slots.length + 1) + UNDER : layer.h + GAP;
      (beside ? tabs : tabs.reverse()).forEach((node, i) =>
        folded.set(node.id, {
          ...node,
          x: beside ? layer.x - layer.w - ASIDE : layer.x,
          y: tenths(layer.y + first + i * (HEIGHT + GAP)),
          w: layer.w,
          h: HEIGHT,
          tab: id,
          beside,
          full: node.full ?? [node.w, node.h],
        }),
      );
      feet.set(
        id,
        Math.max(feet.get(id) ?? 0, first + tabs.length * (HEIGHT + GAP) - GAP - layer.h),
      );
    }
  }
  const next = drawing.nodes.map((node) =>
    changed(node, folded.get(node.id) ?? unfolded(node), feet.get(node.id) ?? 0),
  );
  return next.some((node, i) => node !== drawing.nodes[i]) ? { ...drawing, nodes: next } : drawing;
}

/** Whether a parameter stands where its layer has tabs. @param {GraphNode} node @param {GraphNode} layer @param {boolean} beside
 * @param {number} most tabs of the layer */
function isAt(node, layer, beside, most) {
  const [right, down] = [node.x - layer.x, node.y - layer.y];
  return (
    Math.abs(right - (beside ? -layer.w - ASIDE : 0)) <= NEAR &&
    down >= (beside ? 0 : layer.h / 2) &&
    down <= layer.h + most * (GAP + HEIGHT) + SLACK
  );
}

/** By layer the parameters that it alone reads, in the order of its slots. @param {Drawing} drawing @returns {Map<string, string[]>} */
function layersOf({ nodes, wires }) {
  const free = new Set(
    nodes.filter(({ isParameter, isOutput }) => isParameter && !isOutput).map(({ id }) => id),
  );
  if (!free.size) return new Map();
  /** @type {Map<string, import("../../types.js").Wire[]>} */
  const uses = new Map();
  for (const wire of wires)
    if (free.has(wire.from)) uses.set(wire.from, [...(uses.get(wire.from) ?? []), wire]);
  const alone = [...uses.values()].filter(({ length }) => length === 1).map(([wire]) => wire);
  /** @type {Map<string, string[]>} */
  const layers = new Map();
  for (const { from, to } of alone.sort((a, b) => a.slot - b.slot))
    layers.set(to, [...(layers.get(to) ?? []), from]);
  return layers;
}

/** The node as a card of its own. @param {GraphNode} node @returns {GraphNode} */
export function unfolded(node) {
  if (!node.tab) return node;
  const { tab, full, beside, ...rest } = node;
  const [w, h] = full ?? [node.w, node.h];
  return { ...rest, w, h };
}

/** The node itself if it is as it was. @param {GraphNode} was @param {GraphNode} is @param {number} foot */
const changed = (was, is, foot) =>
  was.x === is.x &&
  was.y === is.y &&
  was.w === is.w &&
  was.h === is.h &&
  was.tab === is.tab &&
  Boolean(was.beside) === Boolean(is.beside) &&
  (was.foot ?? 0) === foot
    ? was
    : { ...is, foot };

/** Positions of moved nodes with those of their tabs, which go with them.
 * @param {GraphNode[]} nodes @param {Record<string, Point>} places @returns {Record<string, Point>} */
export function withTabs(nodes, places) {
  const layers = new Map(nodes.filter(({ id }) => places[id]).map((node) => [node.id, node]));
  const moved = { ...places };
  for (const { id, tab, x, y } of nodes) {
    const layer = layers.get(tab ?? "");
    if (layer && !places[id])
      moved[id] = [x + places[layer.id][0] - layer.x, y + places[layer.id][1] - layer.y];
  }
  return moved;
}

/** The box of a card with the tabs below it. @param {GraphNode} node @returns {import("../../types.js").Box} */
export const boxWithTabs = ({ x, y, w, h, foot = 0 }) => ({ x, y, w, h: h + foot });

// @ts-check
// Make room for the nodes of a collapsed group when it is opened: the nodes in their way move aside. Pure.

import { shared } from "../../base/constants.js";
import { framesOf, nested } from "./frames.js";
import { bounds, overlap, padded } from "./geometry.js";
import { boxWithTabs } from "./tabs.js";

/** @typedef {import("../../types.js").Box} Box */
/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {"left" | "right" | "above" | "below"} Side */
/**
 * A card with the tabs of its parameters.
 *
 * @typedef {object} Block
 * @property {GraphNode[]} nodes
 * @property {Box} box
 * @property {Side} side to which it goes
 */

const { clear: CLEAR, frame: FRAME } = shared;

/** New places of the nodes around a group, of which all on one side of its card move by the same amount; none of the group's.
 * @param {Drawing} opened what is on the canvas once the group is open @param {string[]} inside its nodes
 * @param {Box} card the group's card before @param {boolean} [framed] whether a frame is drawn around them
 * @returns {Record<string, Point>} of nodes and cards; empty if there is room */
export function makeRoom(opened, inside, card, framed = true) {
  const names = new Set(inside);
  const isInside = (/** @type {GraphNode} */ { id, tab, group }) =>
    names.has(id) || names.has(tab ?? "") || Boolean(group?.nodes.every((name) => names.has(name)));
  const around = bounds(opened.nodes.filter(isInside).map(boxWithTabs));
  if (!around) return {};
  const taken = framed ? frameAround(around, framesInside(opened, inside)) : around;
  const blocks = blocksOf(
    opened.nodes.filter((node) => !isInside(node)),
    card,
  );
  const needs = needsOf(blocks, padded(taken, CLEAR));
  /** @type {Record<string, Point>} */
  const places = {};
  for (const { nodes, by } of spread(blocks, needs, padded(taken, CLEAR)))
    if (by[0] || by[1]) for (const { id, x, y } of nodes) places[id] = [x + by[0], y + by[1]];
  return places;
}

/** Frames that are drawn around some of the nodes and no others, that of the group among them.
 * @param {Drawing} opened @param {string[]} inside */
function framesInside(opened, inside) {
  const names = new Set(inside);
  const within = nested(framesOf(opened)).filter(({ frame }) =>
    frame.nodes.every((name) => names.has(name)),
  );
  return Math.max(
    1,
    1 +
      Math.max(...within.map(({ depth }) => depth)) -
      Math.min(...within.map(({ depth }) => depth)),
  );
}

/** A frame with its tab. @param {Box} around @param {number} levels of frames */
function frameAround(around, levels) {
  const { x, y, w, h } = padded(around, FRAME.pad + FRAME.level * (levels - 1));
  return { x, y: y - FRAME.tab, w, h: h + FRAME.tab };
}

/** @param {GraphNode[]} nodes @param {Box} card @returns {Block[]} */
function blocksOf(nodes, card) {
  const ids = new Set(nodes.map(({ id }) => id));
  const heads = nodes.filter(({ tab }) => !ids.has(tab ?? ""));
  return heads.map((head) => {
    const own = [head, ...nodes.filter(({ tab }) => tab === head.id)];
    const box = /** @type {Box} */ (bounds(own.map(boxWithTabs)));
    return { nodes: own, box, side: sideOf(box, card) };
  });
}

/** @param {Box} box @param {Box} card @returns {Side} */
function sideOf(box, card) {
  if (box.x + box.w <= card.x) return "left";
  if (box.x >= card.x + card.w) return "right";
  return box.y + box.h / 2 < card.y + card.h / 2 ? "above" : "below";
}

/** Px by which the blocks of each side move away, so that none of them is on what is taken.
 * @param {Block[]} blocks @param {Box} taken @returns {Record<Side, number>} */
function needsOf(blocks, taken) {
  const needs = { left: 0, right: 0, above: 0, below: 0 };
  for (const { box, side } of blocks)
    if (overlap(box, taken)) needs[side] = Math.max(needs[side], Math.ceil(over(box, taken, side)));
  return needs;
}

/** Px that a box has to move to a side until it is off another. @param {Box} box @param {Box} other @param {Side} side */
function over(box, other, side) {
  if (side === "left") return box.x + box.w - other.x;
  if (side === "right") return other.x + other.w - box.x;
  return side === "above" ? box.y + box.h - other.y : other.y + other.h - box.y;
}

/** @param {Side} side @param {number} px @returns {Point} */
const away = (side, px) =>
  side === "left" ? [-px, 0] : side === "right" ? [px, 0] : side === "above" ? [0, -px] : [0, px];

/** @param {Box} box @param {Point} by @returns {Box} */
const shifted = (box, [right, down]) => ({ ...box, x: box.x + right, y: box.y + down });

/** Move every block by what its side needs, those next to the group first, and further if it would then lie over another one.
 * @param {Block[]} blocks @param {Record<Side, number>} needs @param {Box} taken @returns {{ nodes: GraphNode[], by: Point }[]} */
function spread(blocks, needs, taken) {
  /** @type {{ block: Block, box: Box }[]} */
  const placed = [];
  const near = [...blocks].sort((a, b) => -over(a.box, taken, a.side) + over(b.box, taken, b.side));
  return near.map((block) => {
    const { nodes, box, side } = block;
    let px = needs[side];
    for (let hit = true; hit;) {
      const aside = shifted(box, away(side, px));
      const met = placed
        .filter((other) => overlap(aside, other.box) && !overlap(box, other.block.box))
        .map((other) => other.box);
      if (overlap(aside, taken)) met.push(taken);
      px += Math.ceil(Math.max(0, ...met.map((other) => over(aside, other, side))));
      hit = met.length > 0;
    }
    const by = away(side, px);
    placed.push({ block, box: shifted(box, by) });
    return { nodes, by };
  });
}

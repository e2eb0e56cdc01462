// @ts-check
// Cull the view of a large graph: hide elements outside the view, and details too small to read. A card or a
// wire is completed when it is first seen from near.

import { bounds, overlap, padded } from "../geometry.js";
import { completeCard, relevelCard } from "../cards/nodes.js";
import { seen } from "./overview.js";
import { completeStrand } from "../wires/wires.js";

/** @typedef {import("../stage.js").Stage} Stage */
/** @typedef {import("../../types.js").Box} Box */
/** @typedef {{ w: number, h: number }} Size */

export const MANY = 80; // nodes; with fewer, everything is always drawn
const OUTSIDE = 30; // world px by which chips and ports extend beyond a card

/** Hide what lies outside the view and one view's width around it. While the view stays well inside, nothing
 * changes, unless there is something new to judge.
 * @param {Stage} stage @param {Size} size @param {boolean} far @param {boolean} [anew] */
export function cull(stage, size, far, anew = false) {
  const many = stage.cards.size >= MANY;
  const now = seen(stage.view, size);
  const wide = many && !far ? { x: now.x - now.w, y: now.y - now.h, w: 3 * now.w, h: 3 * now.h } : null;
  if (!anew && holds(stage.culling, padded(now, now.w / 4), far, wide)) return;
  stage.culling = { box: wide, far };
  for (const card of stage.cards.values()) {
    if (!card.node) continue;
    const here = !wide || overlap(padded(card.node, OUTSIDE), wide);
    if (here && !far) completeCard(card);
    if (here) relevelCard(card, stage.level);
    hide(card, [card.root], !here);
  }
  for (const strand of stage.strands.values()) {
    const here = !wide || overlap(spanOf(strand), wide);
    if (here && !far) completeStrand(strand, stage.layers.numbers);
    hide(strand, [strand.root, strand.number, ...(strand.shape ? [strand.shape] : [])], !here);
  }
}

/** Complete and show all elements as they are seen at a level, for uses that need more than the screen shows.
 * @param {Stage} stage @param {import("../text/levels.js").Level} level */
export function showAll(stage, level) {
  for (const card of stage.cards.values()) {
    completeCard(card);
    relevelCard(card, level);
  }
  for (const strand of stage.strands.values()) completeStrand(strand, stage.layers.numbers);
}

/** @param {{ box: Box | null, far: boolean }} culling @param {Box} now @param {boolean} far @param {Box | null} wide */
function holds({ box, far: before }, now, far, wide) {
  if (before !== far || !box || !wide) return before === far && !box && !wide;
  const within = box.x <= now.x && box.y <= now.y && box.x + box.w >= now.x + now.w && box.y + box.h >= now.y + now.h;
  return within && box.w < 2 * wide.w; // after a long zoom in, the view is smaller
}

/** @param {{ curve: import("../../types.js").Cubic[] }} strand @returns {Box} */
const spanOf = ({ curve }) => bounds(curve.flat().map(([x, y]) => ({ x, y, w: 1, h: 1 }))) ?? { x: 0, y: 0, w: 0, h: 0 };

/** @param {{ culled: boolean }} entry @param {Element[]} parts @param {boolean} hidden */
function hide(entry, parts, hidden) {
  if (entry.culled === hidden) return;
  entry.culled = hidden;
  for (const part of parts) part.classList.toggle("culled", hidden);
}

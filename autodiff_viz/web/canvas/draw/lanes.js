// @ts-check
// Place the chips of all cards in lanes of their own, above a card, at its foot or beside it, clear of all cards, texts, tabs and other
// chips, and of wires of other cards where another place is free: a stop on such a wire would seem to be the wire's. Pure.

import { shortened } from "../../base/numbers.js";
import { bounds, clamp, outputPoint, overlap, padded, slotPoint } from "../state/geometry.js";
import { grid } from "../state/grid.js";
import {
  aboveCard,
  arrowBox,
  chipWidth,
  FONT,
  footTop,
  inkTop,
  LEAST_TEXT,
  SMALL,
  TALL,
  textRoom,
  titleBox,
} from "./face.js";
import { textsOf, wishedChips } from "./cards.js";
import { isFar } from "./levels.js";
import { pointsOf } from "./wires.js";

/** @typedef {import("../../types.js").Box} Box */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("./levels.js").Level} Level */
/** @typedef {import("./face.js").Chip} Chip */
/** @typedef {import("./face.js").Placed} Placed */
/** @typedef {{ node: GraphNode, level: Level, top: number }} At a card at a level of detail, and px from its top to its highest text */
/** @typedef {[low: number, high: number]} Interval */
/** @typedef {{ wire: { from: string, to: string } | null, curve: import("../../types.js").Cubic[] }} Way where a wire runs */

/** Kinds of chips that give way to all others, the last one first. */
const GIVES_WAY = ["out-chip", "runs", "dropped", "segment", "state"];
const APART = 1; // px around a chip
const TEXT_APART = 2; // px around a name above a card, whose width is estimated
const PORT = 6; // px from the middle of a port to its edge
const WIRE = 3; // px on both sides of a point of a wire
const BESIDE = 3; // px between a card and a chip beside it
const OVERHANG = 0.6; // of a chip's width, which may be left or right of its card
const MARGIN = 18; // px left and right of the drawing in which chips may be, which a fitted view leaves free
const STEP = 4; // px between two places beside a card that are tried
const SHORTER = [1, 0.85, 0.7, 0.6, 0.5, 0.4]; // shares of the width of a text that are tried
const SIZES = [1, 0.8, SMALL]; // of a level's factor, of an icon alone

/** The chips of every card that has any, each where it covers nothing: where its own place is taken, elsewhere in its lane or in
 * another one, shortened, then smaller; one without any place is left out. One on a wire of other cards moves only as it is.
 * @param {GraphNode[]} nodes @param {Level} level @param {Box[]} tabs of frames @param {Way[]} [ways] @returns {Map<string, Placed[]>} */
export function chipsInLanes(nodes, level, tabs, ways = []) {
  const taken = grid([
    ...tabs.filter(({ w }) => w),
    ...nodes.flatMap((node) => [node, ...besidesOf(node, level)]),
  ]);
  const all = nodes.flatMap((node) =>
    wishedChips(node, level).map((wish, i) => ({
      node,
      wish,
      i,
      rank: GIVES_WAY.indexOf(wish.chip.kind),
    })),
  );
  const { x: left = 0, w: wide = 0, h: high = 0 } = bounds(nodes) ?? {};
  const margin = Math.max(MARGIN * level.unit, (high - wide) / 2); // a canvas is no higher than wide
  /** @type {Interval} */
  const sides = [left - margin, left + wide + margin];
  const isWithin = (/** @type {Box} */ { x, w }) => x >= sides[0] && x + w <= sides[1];
  const crossed = grid(all.length && !isFar(level) ? ways.flatMap(boxesOfWay) : []);
  /** The wires of other cards near a box. @param {GraphNode} node @param {Box} box */
  const othersNear = ({ id }, box) =>
    [...crossed.near(box)].filter((point) => !(/** @type {OnWay} */ (point).ends.includes(id)));
  /** @param {GraphNode} node @param {Placed} placed */
  const isOnOthers = (node, placed) => {
    const box = boxOf(node, placed);
    return othersNear(node, box).some((point) => overlap(point, box));
  };
  const isFreeFor = (/** @type {GraphNode} */ node, /** @type {Placed} */ placed) => {
    const box = boxOf(node, placed);
    return isWithin(box) && !taken.hits(padded(box, APART), 1, node);
  };
  /** @type {Map<string, Placed[]>} */
  const places = new Map();
  /** @param {{ node: GraphNode, i: number }} one @param {Placed} placed */
  const put = ({ node, i }, placed) => {
    const row = places.get(node.id) ?? [];
    row[i] = placed;
    places.set(node.id, row);
    taken.add(boxOf(node, placed));
  };
  const moved = all
    .sort((a, b) => a.rank - b.rank)
    .filter((one) => {
      places.set(one.node.id, places.get(one.node.id) ?? []);
      const isPoor = isLow(one.wish, level) || isOnOthers(one.node, one.wish);
      if (isPoor || !isFreeFor(one.node, one.wish)) return true;
      put(one, one.wish);
      return false;
    });
  for (const one of moved) {
    const at = { node: one.node, level, top: one.node.group ? 0 : inkTop(one.node, level) };
    const near = padded(one.node, reachOf(one.wish, level));
    const rivals = [...taken.near(near)].filter((box) => box !== one.node);
    const wires = othersNear(one.node, near);
    const kept = !isLow(one.wish, level) && isFreeFor(one.node, one.wish) ? one.wish : null;
    const found =
      (wires.length &&
        freePlace(at, one.wish, [...rivals, ...wires], sides, !isLow(one.wish, level))) ||
      kept ||
      freePlace(at, one.wish, rivals, sides);
    if (found) put(one, found);
  }
  return new Map([...places].map(([id, row]) => [id, row.filter(Boolean)]));
}

/** @typedef {Box & { ends: string[] }} OnWay a point of a wire, with the cards that it joins */

/** @param {Way} way @returns {OnWay[]} */
const boxesOfWay = ({ wire, curve }) =>
  pointsOf(curve).map((box) => ({
    ...padded(box, WIRE),
    ends: wire ? [wire.from, wire.to] : [],
  }));

/** Where a chip is in the drawing. @param {GraphNode} node @param {Placed} placed @returns {Box} */
export const boxOf = (node, { x, y, w, unit }) => ({
  x: node.x + x,
  y: node.y + y,
  w,
  h: TALL * unit,
});

/** Px around a card in which a chip may be. @param {Placed} wish @param {Level} level */
const reachOf = ({ w, unit }, level) => Math.max(w, 2 * TALL * Math.max(unit, level.unit)) + TALL;

/** Whether a chip is so small that another place is better. @param {Placed} placed @param {Level} level */
const isLow = ({ unit }, level) => unit < SMALL * level.unit;

/** What a card has beyond its edges. @param {GraphNode} node @param {Level} level @returns {Box[]} */
function besidesOf(node, level) {
  if (isFar(level)) return [];
  const ports = level.detail === "one" ? [] : portsOf(node);
  const texts = node.tab || node.group ? [] : textsOf(node, level);
  const title =
    level.detail === "few" && !node.tab && !node.group
      ? [padded(titleBox(node, level), TEXT_APART)]
      : [];
  return [...ports, ...texts, ...title];
}

/** @param {GraphNode} node @returns {Box[]} */
const portsOf = (node) =>
  [
    ...node.slots.flatMap(({ wired }, i) => (wired ? [slotPoint(node, i)] : [])),
    outputPoint(node),
  ].map(([x, y]) => ({
    x: x - PORT,
    y: y - PORT,
    w: 2 * PORT,
    h: 2 * PORT,
  }));

/** The first place of a chip that is free. @param {At} at @param {Placed} wish @param {Box[]} rivals what is near @param {Interval} sides of
 * the drawing @param {boolean} [asItIs] neither shorter nor smaller @returns {Placed | null} */
function freePlace(at, wish, rivals, sides, asItIs = false) {
  const { node } = at;
  const versions = versionsOf(wish, at.level);
  for (const { chip, unit } of asItIs ? versions.slice(0, 1) : versions) {
    const w = unit * chipWidth(chip);
    const tall = TALL * unit + 2 * APART;
    for (const { from, to, near, y } of lanesOf(at, wish, w, unit)) {
      const top = node.y + y - APART;
      /** @type {Interval[]} */
      const blocked = rivals
        .filter((box) => box.y < top + tall && top < box.y + box.h)
        .map((box) => [box.x - node.x - w - APART, box.x + box.w - node.x + APART]);
      const [low, high] = [Math.max(from, sides[0] - node.x), Math.min(to, sides[1] - node.x - w)];
      const x = nearestFree([low, high], near, blocked);
      if (x !== null) return { chip, x, y, unit, w };
    }
  }
  return null;
}

/** The number nearest to `near` from `low` to `high` that is within none of the intervals; null if there is none. Pure.
 * @param {Interval} range @param {number} near @param {Interval[]} blocked */
export function nearestFree([low, high], near, blocked) {
  const ends = [clamp(near, low, Math.max(low, high)), ...blocked.flat()];
  const free = ends.filter(
    (x) => x >= low && x <= high && !blocked.some(([from, to]) => from < x && x < to),
  );
  if (!free.length) return null;
  return free.reduce((best, x) => (Math.abs(x - near) < Math.abs(best - near) ? x : best));
}

/** A chip as it is wished, then shortened, then its icon alone, then that one smaller. @param {Placed} wish @param {Level} level
 * @returns {{ chip: Chip, unit: number }[]} */
function versionsOf({ chip, unit }, level) {
  const bare = { ...chip, text: "" };
  const written = chip.text ? shorter(chip).map((one) => ({ chip: one, unit })) : [];
  const sizes = [...SIZES.map((of) => of * level.unit), Math.min(unit, SMALL * level.unit)];
  return chip.icon ? [...written, ...sizes.map((of) => ({ chip: bare, unit: of }))] : written;
}

/** @param {Chip} chip @returns {Chip[]} */
function shorter(chip) {
  if (chip.kind !== "state") return [chip];
  const room = textRoom(chipWidth(chip));
  return SHORTER.filter((share) => share === 1 || share * room >= LEAST_TEXT).map((share) =>
    share === 1 ? chip : { ...chip, text: shortened(chip.text, share * room, FONT) },
  );
}

/** The lanes of a card for a chip of this size, its own first: where it may begin in each, and where best.
 * @param {At} at @param {Placed} wish @param {number} w @param {number} unit @returns {{ from: number, to: number, near: number, y: number }[]} */
function lanesOf({ node, level, top }, wish, w, unit) {
  const over = OVERHANG * w;
  const along = { from: -over, to: node.w - w + over, near: wish.x + (wish.w - w) / 2 };
  const isAbove = wish.y < 0;
  const high = {
    ...along,
    y: node.group ? wish.y + TALL * (wish.unit - unit) : aboveCard(top, unit),
  };
  const low = { ...along, y: node.group ? node.h - 5 : footTop(node, level) };
  const lanes = isAbove ? [high, low] : [low, high];
  if (!node.down) return lanes;
  const right = node.w + BESIDE + (level.detail === "few" ? arrowReach(node, level) : 0);
  const first = (-TALL * unit) / 2;
  const beside = Array.from({ length: Math.floor(node.h / STEP) + 1 }, (_, i) =>
    [right, -w - BESIDE].map((x) => ({ from: x, to: x, near: x, y: first + i * STEP })),
  );
  return [...lanes, ...beside.flat()];
}

/** Px right of a card that the arrows beside its numbers take. @param {GraphNode} node @param {Level} level */
function arrowReach(node, level) {
  const box = arrowBox(node, level);
  return box ? box.x + box.w - node.w : 0;
}

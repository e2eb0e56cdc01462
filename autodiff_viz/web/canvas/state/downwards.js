// @ts-check
// Turn a drawing so that it runs from top to bottom, as on a phone, whose canvas is higher than the graph: columns become
// rows. Pure. Python's layout and the positions that the visitor gives stay as they are: this is only what is seen, and what is
// placed on it is turned back. Ports of wires are then at the upper and lower edges; constants stay at the left one.

import { shared } from "../../base/constants.js";
import { withHeadroom } from "./fold.js";
import { framesOf, showsTheSame } from "./frames.js";
import { bounds, clearOf, padded } from "./geometry.js";

/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").Wire} Wire */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {import("../../types.js").Box} Box */
/** @typedef {{ w: number, h: number }} Size */
/** @typedef {{ across: number, down: number }} Turn px to the right for each px down of the layout, and px down for each px to the right */

const NARROW = 480; // px of a canvas, below which a drawing may be turned
const MANY = 80; // nodes up to which it may be: all pairs are compared
const GAP = { across: 28, down: 48 }; // px between cards: a wire with its arrow, and a chip
const LANE = { layout: 14, turned: 8 }; // px from a card to a wire that passes it
const PILLS = 70; // px left of a card with constants
const AROUND = 40; // px around the cards, of names, chips and frames
const WORTH = 1.15; // factor by which cards must be larger to be turned, and to be turned back
const FARTHER = 1.6; // factor by which cards are further apart, at most, where the canvas has room for it

const { pad: PAD, level: LEVEL, tab: TAB } = shared.frame;

/** Px between a card and the outermost of the frames around it that end before another card. @param {Set<object>} own @param {Set<object>} others */
function frameRoom(own, others) {
  const count = [...own].filter((frame) => !others.has(frame)).length;
  return count ? PAD + LEVEL * (count - 1) + TAB / 2 : 0;
}

/** How to turn the cards so that none meet, nor their frames; null if they cannot be: tabs stand below or beside their layers, and cards that meet
 * already cannot be parted.
 * @param {GraphNode[]} nodes @param {Wire[]} wires @param {import("../../types.js").Frame[]} [frames] @returns {Turn | null} */
export function turnFor(nodes, wires, frames = []) {
  if (nodes.length > MANY || nodes.some(({ tab }) => tab)) return null;
  const passes = wires.some(({ via }) => via.length);
  let [across, down] = [1, 0.5];
  if (passes)
    for (const { w, h } of nodes)
      across = Math.max(across, (w / 2 + LANE.turned) / (h / 2 + LANE.layout));
  const around = nodes.map(({ id }) => new Set(frames.filter((frame) => frame.nodes.includes(id))));
  const diagonal = [];
  for (const [i, a] of nodes.entries())
    for (const [j, b] of nodes.slice(i + 1).entries()) {
      const [own, others] = [around[i], around[i + 1 + j]];
      const framed = frameRoom(own, others) + frameRoom(others, own);
      const [right, low] = [
        Math.abs(a.x + a.w / 2 - b.x - b.w / 2),
        Math.abs(a.y + a.h / 2 - b.y - b.h / 2),
      ];
      const need = {
        across:
          (a.w + b.w) / 2 + Math.max(GAP.across, framed) + (hasPill(a) || hasPill(b) ? PILLS : 0),
        down: (a.h + b.h) / 2 + Math.max(GAP.down, framed),
      };
      const [beside, below] = [right >= (a.w + b.w) / 2, low >= (a.h + b.h) / 2];
      if (!beside && !below) return null;
      if (beside && below) diagonal.push({ right, low, need });
      else if (beside) down = Math.max(down, need.down / right);
      else across = Math.max(across, need.across / low);
    }
  for (const { right, low, need } of diagonal)
    if (across * low < need.across && down * right < need.down)
      if (need.across / low / across < need.down / right / down) across = need.across / low;
      else down = need.down / right;
  return { across, down };
}

/** @param {GraphNode} node */
const hasPill = ({ slots }) => slots.some(({ wired, constant }) => !wired && constant !== null);

/** @param {Box} box @param {Turn} turn @returns {Point} its new corner */
const turnedCorner = ({ x, y, w, h }, { across, down }) => [
  across * (y + h / 2) - w / 2,
  down * (x + w / 2) - h / 2,
];

/** A point of the layout, from one of what is seen. @param {Point} point @param {Turn} turn @returns {Point} */
const unturned = ([x, y], { across, down }) => [Math.round(y / down), Math.round(x / across)];

/** @param {GraphNode[]} nodes @param {Turn} turn @returns {Box[]} */
const turnedBoxes = (nodes, turn) =>
  nodes.map((node) => {
    const [x, y] = turnedCorner(node, turn);
    return { x, y, w: node.w, h: node.h };
  });

/** By what factors cards can be further apart on the way that the room has px to spare, so that wires and their numbers have more. Pure.
 * @param {GraphNode[]} nodes @param {Turn} turn @param {Size} room @returns {Turn} */
export function filling(nodes, turn, room) {
  const boxes = turnedBoxes(nodes, turn);
  const { w, h } = padded(bounds(boxes) ?? { x: 0, y: 0, w: 1, h: 1 }, AROUND);
  const k = Math.min(room.w / w, room.h / h);
  const further = (/** @type {number[]} */ middles, /** @type {number} */ spare) => {
    const span = Math.max(...middles) - Math.min(...middles);
    return span > 0 ? Math.min(1 + spare / span, FARTHER) : 1;
  };
  return {
    across: further(
      boxes.map((box) => box.x + box.w / 2),
      room.w / k - w,
    ),
    down: further(
      boxes.map((box) => box.y + box.h / 2),
      room.h / k - h,
    ),
  };
}

/** Whether cards are clearly larger if the drawing is turned; of one that has been turned, whether they are not clearly smaller.
 * @param {GraphNode[]} nodes @param {Turn} turn @param {Size} room @param {boolean} wasTurned */
function isLarger(nodes, turn, room, wasTurned) {
  const scale = (/** @type {Box[]} */ boxes) => {
    const { w, h } = padded(bounds(boxes) ?? { x: 0, y: 0, w: 1, h: 1 }, AROUND);
    return Math.min(room.w / w, room.h / h);
  };
  return scale(turnedBoxes(nodes, turn)) > scale(nodes) * (wasTurned ? 1 / WORTH : WORTH);
}

/** Return a memoised turn of what is seen, in a canvas of a size, where it makes cards larger: nodes and wires are reused
 * unless they or the turn have changed, and it is decided anew only where the layout or the canvas has another size. */
export function turning() {
  /** @type {Turn | null} */
  let last = null;
  /** @type {WeakMap<object, any>} */
  let known = new WeakMap();
  /** @type {{ of: Drawing, nodes: GraphNode[], wires: Wire[] } | null} what was turned last, and as what */
  let drawn = null;
  /** @template {object} T @param {T} one @param {(one: T) => T} make @returns {T} */
  const once = (one, make) => {
    if (!known.has(one)) known.set(one, make(one));
    return known.get(one);
  };
  /** @type {{ about: string, of: string, farther: Turn | null }} */
  let decided = { about: "", of: "", farther: null };
  let wasTurned = ""; // names of the nodes that were, also where the canvas had less height in the meantime
  return (/** @type {Drawing} */ seen, /** @type {Size} */ size) => {
    const may = size.w > 0 && size.w < NARROW;
    const least = may ? turnFor(seen.nodes, seen.wires, framesOf(seen)) : null;
    const about = JSON.stringify([least, size, bounds(seen.nodes)]);
    if (least && decided.about !== about) {
      const { side, top, bottom } = clearOf(size); // whatever greeting lies over it for a while
      const has = { w: size.w - 2 * side, h: size.h - top - bottom };
      const of = JSON.stringify([size, seen.nodes.map(({ id }) => id)]);
      const kept = decided.of === of ? decided.farther : null; // what is moved stays where it is put
      const names = seen.nodes.map(({ id }) => id).join();
      const was = last !== null || names === wasTurned;
      const isAnswered = seen.asking && !seen.asking.hiding; // which leaves the canvas less height: what was looked at stays as it is
      const turns = (was && isAnswered) || isLarger(seen.nodes, least, has, was);
      if (turns) wasTurned = names;
      decided = { about, of, farther: turns ? (kept ?? filling(seen.nodes, least, has)) : null };
    }
    const { farther } = decided;
    const turn = least &&
      farther && {
        across: least.across * farther.across,
        down: least.down * farther.down,
      };
    if (!turn) {
      last = null;
      return seen;
    }
    if (last?.across !== turn.across || last.down !== turn.down) {
      [last, known, drawn] = [turn, new WeakMap(), null];
    }
    if (!drawn || !showsTheSame(drawn.of, seen))
      drawn = {
        of: seen,
        nodes: withHeadroom(seen.nodes.map((node) => once(node, (one) => turnedNode(one, turn)))),
        wires: seen.wires.map((wire) =>
          wire.via.length ? once(wire, (one) => turnedWire(one, turn)) : wire,
        ),
      };
    const { nodes, wires } = drawn;
    return { ...seen, nodes, wires, turn };
  };
}

/** @param {GraphNode} node @param {Turn} turn @returns {GraphNode} */
function turnedNode({ above, ...node }, turn) {
  const [x, y] = turnedCorner(node, turn);
  return { ...node, x: Math.round(x), y: Math.round(y), down: true };
}

/** @param {Wire} wire @param {Turn} turn @returns {Wire} */
const turnedWire = (wire, { across, down }) => ({
  ...wire,
  via: wire.via.map(([x, y]) => /** @type {Point} */ ([across * y, down * x])),
});

/** An edit as it is meant in the layout, of one that was made on a turned drawing.
 * @template {{ kind: string }} T @param {T} edit @param {Turn | undefined} turn @param {{ w: number, h: number }} card size of a new one @returns {T} */
export function edited(edit, turn, card) {
  if (!turn) return edit;
  const { position, at, by } = /** @type {Record<string, Point | undefined>} */ (
    /** @type {any} */ (edit)
  );
  const changed = /** @type {any} */ ({ ...edit });
  if (Array.isArray(position)) {
    const [x, y] = unturned([position[0] + card.w / 2, position[1] + card.h / 2], turn);
    changed.position = [Math.round(x - card.w / 2), Math.round(y - card.h / 2)];
  }
  if (Array.isArray(at)) changed.at = unturned(at, turn);
  if (Array.isArray(by)) changed.by = unturned(by, turn);
  return changed;
}

// @ts-check
// Find the frames that dragged nodes join or leave, and why a set of nodes cannot be a region. Pure.

import { framesOf, framesOfNodes, isGroup } from "./frames.js";
import { contains, outerBox, overlap } from "./geometry.js";

/** @typedef {import("../../types.js").Frame} Frame */
/** @typedef {import("../../types.js").Region} Region */
/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("../../types.js").Wire} Wire */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {{ join: Record<string, string[]>, leave: Record<string, string[]> }} Moves node names by region */

/** Return the moves for positions of the dragged nodes. A node joins a region if its middle is inside the region's
 * outline, and leaves one if it is clear of the outline at the start of the drag.
 * @param {Drawing} drawing @param {string[]} ids of the dragged nodes
 * @param {{ region: Frame, corners: Point[] }[]} shapes of the regions, before the drag
 * @returns {(positions: Record<string, Point>) => Moves | null} null: nothing changes */
export function membershipAt(drawing, ids, shapes) {
  const cards = drawing.nodes.filter(({ id }) => ids.includes(id));
  const homes = shapes.filter(({ region }) => region.nodes.some((name) => !ids.includes(name)));
  return (positions) => {
    /** @type {Moves} */
    const moves = { join: {}, leave: {} };
    for (const { region, corners } of homes) {
      for (const { id, w, h } of cards) {
        const [x, y] = positions[id];
        const member = region.nodes.includes(id);
        if (!member && contains(corners, [x + w / 2, y + h / 2]))
          note(
            moves.join,
            outers(drawing, region).filter(({ nodes }) => !nodes.includes(id)),
            id,
          );
        if (member && !overlap({ x, y, w, h }, outerBox(corners)))
          note(
            moves.leave,
            inners(drawing, region).filter(({ nodes }) => nodes.includes(id)),
            id,
          );
      }
    }
    return Object.keys(moves.join).length || Object.keys(moves.leave).length ? moves : null;
  };
}

/** A frame and the frames around it. @param {Drawing} drawing @param {Frame} inner */
const outers = (drawing, inner) =>
  framesOf(drawing).filter(({ nodes }) => inner.nodes.every((name) => nodes.includes(name)));

/** A frame and the frames inside it. @param {Drawing} drawing @param {Frame} outer */
const inners = (drawing, outer) =>
  framesOf(drawing).filter(({ nodes }) => nodes.every((name) => outer.nodes.includes(name)));

/** @param {Record<string, string[]>} noted @param {Frame[]} regions @param {string} id */
function note(noted, regions, id) {
  for (const { name } of regions) noted[name] = [...new Set([...(noted[name] ?? []), id])];
}

/** The drawing with nodes moved between regions and groups.
 * @param {Drawing} drawing @param {Moves} moves @returns {Drawing} */
export function withMoves(drawing, { join, leave }) {
  const changed = (/** @type {Frame} */ { name, nodes }) =>
    [...new Set([...nodes, ...(join[name] ?? [])])].filter((id) => !leave[name]?.includes(id));
  const next = {
    regions: framesOfNodes(drawing.regions, changed),
    groups: framesOfNodes(drawing.groups ?? [], changed),
  };
  const frames = framesOf(next);
  const regions = next.regions.map((region) =>
    drawing.regions.includes(region) ? region : judged(drawing.wires, region, frames),
  );
  const groups = next.groups.map((group) =>
    drawing.groups.includes(group) ? group : { ...group, problem: overlapOf(group, frames) },
  );
  return { ...drawing, regions, groups };
}

/** @param {Wire[]} wires @param {Region} region @param {Frame[]} frames @returns {Region} */
function judged(wires, region, frames) {
  const path = leavingPath(wires, region.nodes);
  const fault = path.length ? `needs ${path[1]} inside it too` : overlapOf(region, frames);
  return { ...region, problem: fault, fault, badge: null, dropped: null };
}

/** @param {Frame} frame @param {Frame[]} frames */
function overlapOf({ name, nodes: own }, frames) {
  const within = (/** @type {string[]} */ a, /** @type {string[]} */ b) =>
    a.every((id) => b.includes(id));
  const other = frames.find(
    (frame) =>
      frame.name !== name &&
      frame.nodes.some((id) => own.includes(id)) &&
      !within(frame.nodes, own) &&
      !within(own, frame.nodes),
  );
  return other ? `shares nodes with ${other.name}` : null;
}

/** The shortest path that leaves `members` and returns to them; [] if there is none.
 * @param {Wire[]} wires @param {string[]} members @returns {string[]} */
export function leavingPath(wires, members) {
  const inside = new Set(members);
  /** @type {Map<string, string>} */
  const cameFrom = new Map();
  let frontier = members;
  while (frontier.length) {
    const reached = [];
    for (const { from, to } of wires) {
      if (!frontier.includes(from)) continue;
      if (inside.has(to) && !inside.has(from)) return walkBack(cameFrom, from, inside, to);
      if (inside.has(to) || cameFrom.has(to)) continue;
      cameFrom.set(to, from);
      reached.push(to);
    }
    frontier = reached;
  }
  return [];
}

/** @param {Map<string, string>} cameFrom @param {string} name @param {Set<string>} inside @param {string} end */
function walkBack(cameFrom, name, inside, end) {
  const path = [end];
  for (let step = name; ; step = /** @type {string} */ (cameFrom.get(step))) {
    path.unshift(step);
    if (inside.has(step)) return path;
  }
}

/** Text of what dropping the nodes here would do.
 * @param {Drawing} drawing with the nodes in their new regions @param {Moves} moves */
export function describeMoves(drawing, { join, leave }) {
  const names = [...Object.keys(join), ...Object.keys(leave)];
  for (const frame of framesOf(drawing)) {
    const fault = names.includes(frame.name) && (isGroup(frame) ? frame.problem : frame.fault);
    if (fault) return `Not possible here: ${frame.name} ${fault}`;
  }
  const parts = [
    ...Object.entries(join).map(([name, ids]) => `put ${counted(ids)} into ${name}`),
    ...Object.entries(leave).map(([name, ids]) => `take ${counted(ids)} out of ${name}`),
  ];
  return `Drop to ${parts.join(" and ")}`;
}

/** @param {string[]} ids */
const counted = (ids) => (ids.length === 1 ? ids[0] : `${ids.length} nodes`);

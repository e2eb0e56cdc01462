// @ts-check
// Fold a drawing: every collapsed group as one card, with the nodes, wires and frames to be drawn. Pure;
// objects outside all collapsed groups are shared.

import { cardOf } from "../draw/group_card.js";
import { framesOf, isGroup, nested, showsTheSame } from "./frames.js";
import { bounds, isBack } from "./geometry.js";
import { withoutNone } from "./hidden.js";

// Cards with chips on their upper edge and another card near above: their chips are small.

/** @typedef {import("../../types.js").GraphNode} GraphNode */

const FAR = 60; // px; as much is room for every chip
const FOOT = 16; // px by which chips extend below a card
const MANY = 1500; // nodes up to which rooms are looked for

/** Nodes by their room, so that a node with the same room stays the same object. @type {WeakMap<GraphNode, GraphNode>} */
const known = new WeakMap();

/** The nodes, of which those with chips know how far the next card above is, if it is near (`above`).
 * @param {GraphNode[]} nodes @returns {GraphNode[]} */
export function withHeadroom(nodes) {
  if (nodes.length > MANY) return nodes;
  return nodes.map((node) => (hasChips(node) ? roomy(node, headroom(node, nodes)) : node));
}

/** Whether a card has chips on its upper edge. @param {GraphNode} node */
export const hasChips = ({ rule, problem, warning, muted, isOutput, group, tab }) =>
  !group &&
  !tab &&
  (rule !== "follow" || Boolean(problem ?? warning) || Boolean(muted) || isOutput);

/** Px to the next card above, its tabs and the chips at its foot; `FAR` if there is none near. @param {GraphNode} node @param {GraphNode[]} nodes */
function headroom({ x, y, w }, nodes) {
  let room = FAR;
  for (const above of nodes) {
    const gap = y - above.y - above.h;
    if (gap < 0 || gap >= FAR + FOOT || above.x >= x + w || x >= above.x + above.w) continue;
    const marked = above.runs || above.dropped || above.state?.length;
    room = Math.min(room, Math.max(0, gap - (above.foot ?? 0) - (marked ? FOOT : 0)));
  }
  return room;
}

/** @param {GraphNode} node @param {number} room */
function roomy(node, room) {
  const above = room < FAR ? Math.round(room) : undefined;
  const last = known.get(node);
  if (above === undefined) return node;
  if (last?.above === above) return last;
  const changed = { ...node, above };
  known.set(node, changed);
  return changed;
}

/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("../../types.js").Group} Group */
/** @typedef {import("../../types.js").Wire} Wire */
/** @typedef {import("../../types.js").Box} Box */
/** @typedef {import("../../types.js").Point} Point */
/**
 * A collapsed group.
 *
 * @typedef {object} Shut
 * @property {string} id
 * @property {Group} group
 * @property {GraphNode[]} inside the nodes in it
 * @property {Box} box that they take
 * @property {string[]} ins who feeds it
 * @property {string[]} outs who of it feeds others
 */

/** The id of a group's card, which is not a valid node name. @param {string} group */
export const idOf = (group) => `group:${group}`;

/** The name of a node, or of the group whose card this is. @param {string} id */
export const titleOf = (id) => (id.startsWith(idOf("")) ? id.slice(idOf("").length) : id);

/** @param {Drawing} drawing @returns {Drawing} */
export function folded(drawing) {
  const groups = (drawing.groups ?? []).filter(({ collapsed }) => collapsed);
  if (!groups.length) return drawing;
  /** @type {Map<string, string>} */
  const within = new Map();
  for (const { frame } of nested(groups))
    for (const name of frame.nodes) if (!within.has(name)) within.set(name, idOf(frame.name));
  for (const { id, tab } of drawing.nodes)
    if (tab && within.has(tab) && !within.has(id)) within.set(id, within.get(tab) ?? ""); // goes with its layer
  const shut = shutGroups(drawing, groups, within);
  const regions = drawing.regions.filter(
    ({ nodes }) =>
      nodes.length &&
      within.has(nodes[0]) &&
      nodes.every((name) => within.get(name) === within.get(nodes[0])),
  );
  const cards = [...shut.values()].map((one) =>
    cardOf(
      one,
      regions.filter(({ nodes }) => within.get(nodes[0]) === one.id),
    ),
  );
  const nodes = [...drawing.nodes.filter(({ id }) => !within.has(id)), ...cards];
  const byId = new Map(drawing.nodes.map((node) => [node.id, node]));
  const wires = wiresBetween(
    drawing.wires,
    byId,
    within,
    shut,
    new Map(cards.map((card) => [card.id, card])),
  );
  return { ...drawing, nodes, wires, ...outside(drawing, within), within };
}

/** @param {Drawing} drawing @param {Group[]} groups @param {Map<string, string>} within @returns {Map<string, Shut>} by id, without those inside others */
function shutGroups({ nodes, wires }, groups, within) {
  /** @type {Map<string, Shut>} */
  const shut = new Map();
  /** @type {Map<string, GraphNode[]>} */
  const members = new Map(groups.map(({ name }) => [idOf(name), []]));
  for (const node of nodes) members.get(within.get(node.id) ?? "")?.push(node);
  for (const group of groups) {
    const id = idOf(group.name);
    const inside = members.get(id) ?? [];
    const box = bounds(inside);
    if (box) shut.set(id, { id, group, inside, box, ins: [], outs: [] });
  }
  /** Height of the last bend of a wire before a card, by card and source. @type {Map<string, number>} */
  const arrives = new Map();
  const height = new Map(nodes.map(({ id, y, h }) => [id, y + h / 2]));
  for (const { from, to, via } of wires) {
    if (within.get(from) === within.get(to)) continue;
    const bend = via.filter(([x]) => x < (shut.get(within.get(to) ?? "")?.box.x ?? 0)).at(-1);
    if (bend) arrives.set(`${within.get(to)} ${from}`, bend[1]);
    shut.get(within.get(to) ?? "")?.ins.push(from);
    shut.get(within.get(from) ?? "")?.outs.push(from);
  }
  const ranked = (/** @type {string} */ id, /** @type {string[]} */ names) => {
    const at = (/** @type {string} */ name) =>
      arrives.get(`${id} ${name}`) ?? height.get(name) ?? 0;
    return [...new Set(names)].sort((a, b) => at(a) - at(b));
  };
  for (const one of shut.values())
    Object.assign(one, { ins: ranked(one.id, one.ins), outs: ranked("", one.outs) });
  return shut;
}

/** Wires with the ends inside a card moved to the card; those from one node into the card are one wire.
 * @param {Wire[]} wires @param {Map<string, GraphNode>} byId @param {Map<string, string>} within @param {Map<string, Shut>} shut @param {Map<string, GraphNode>} cards */
function wiresBetween(wires, byId, within, shut, cards) {
  /** @type {Map<string, Wire>} */
  const into = new Map();
  /** @type {Wire[]} */
  const drawn = [];
  for (const wire of wires) {
    const [a, b] = [within.get(wire.from), within.get(wire.to)];
    if (a === undefined && b === undefined) drawn.push(wire);
    if (a === b) continue;
    const [source, target] = [shut.get(a ?? ""), shut.get(b ?? "")];
    const known = into.get(`${b} ${wire.from}`);
    if (target && known) {
      into.set(`${b} ${wire.from}`, Object.assign(known, together(known, wire, target.group)));
      continue;
    }
    const ends = /** @type {const} */ ([
      source?.box ?? byId.get(wire.from),
      target?.box ?? byId.get(wire.to),
    ]);
    // Nodes that are laid out as a card take more room than it, and may lie beyond the other end: a way around them leads astray.
    const astray =
      isAhead(cards.get(a ?? "") ?? ends[0], cards.get(b ?? "") ?? ends[1]) && !isAhead(...ends);
    const via = astray ? [] : between(wire.via, ...ends);
    const led = { ...wire, via, of: [wire], dims: byId.get(wire.from)?.dims };
    if (source && a) Object.assign(led, { from: a, out: source.outs.indexOf(wire.from) });
    if (target && b)
      Object.assign(led, { to: b, slot: target.ins.indexOf(wire.from), alternative: false });
    if (target) into.set(`${b} ${wire.from}`, led);
    if ((!a || cards.has(a)) && (!b || cards.has(b))) drawn.push(led);
  }
  return drawn;
}

/** Whether a wire goes to the right. @param {Box} [source] @param {Box} [target] */
const isAhead = (source, target) =>
  source !== undefined && target !== undefined && source.x + source.w <= target.x;

/** The bends between the nodes or cards at the ends of a wire: those above or below a card are left out, up to where the
 * wire comes back. @param {Point[]} via @param {Box} [source] @param {Box} [target] @returns {Point[]} */
function between(via, source, target) {
  if (!source || !target) return via;
  const [left, right] = [source.x + source.w, target.x];
  const points = /** @type {Point[]} */ ([[left, 0], ...via, [right, 0]]);
  let [first, end] = [1, points.length - 1];
  while (first < end && points[first][0] <= left && !isBack(points, first)) first++;
  while (first < end && points[end - 1][0] >= right && !isBack(points, end - 1)) end--;
  return points.slice(first, end);
}

/** Add a wire to those from the same node. Only Python can add up their contributions.
 * @param {Wire} led @param {Wire} wire @param {Group} group @returns {Partial<Wire>} */
function together(led, wire, { sums }) {
  const of = [...(led.of ?? []), wire];
  const { width, sign, passed, passedFull, number } =
    sums?.find(({ from }) => from === wire.from) ?? flowOf(of);
  return { of, width, sign, passed, passedFull, number };
}

/** The flow of several wires without their numbers: the greatest width, and the sign if all have the same.
 * @param {{ width: number, sign: number }[]} flows @returns {import("../../types.js").Flow} */
export function flowOf(flows) {
  const signs = new Set(flows.map(({ sign }) => sign).filter(Boolean));
  return {
    width: Math.max(...flows.map(({ width }) => width)),
    sign: signs.size > 1 ? 2 : ([...signs][0] ?? 0),
    passed: "",
  };
}

/** The frames that are still drawn, with cards in place of nodes.
 * @param {Drawing} drawing @param {Map<string, string>} within @returns {Pick<Drawing, "regions" | "groups">} */
function outside(drawing, within) {
  const order = nested(framesOf(drawing)).map(({ frame }) => frame);
  const at = new Map(order.map((frame, i) => [isGroup(frame) ? idOf(frame.name) : "", i]));
  const seen = (/** @type {import("../../types.js").Frame} */ frame) => {
    const ids = new Set(frame.nodes.map((name) => within.get(name)));
    const [only] = ids;
    return ids.size !== 1 || only === undefined || order.indexOf(frame) < (at.get(only) ?? 0);
  };
  const holding = (/** @type {any} */ frame) =>
    frame.nodes.some((/** @type {string} */ name) => within.has(name))
      ? {
          ...frame,
          nodes: [
            ...new Set(frame.nodes.map((/** @type {string} */ name) => within.get(name) ?? name)),
          ],
        }
      : frame;
  return {
    regions: drawing.regions.filter(seen).map(holding),
    groups: drawing.groups.filter(seen).map(holding),
  };
}

/** Return a memoised `folded`, in which cards know of the room above them: nodes and wires are reused unless something that they depend on has changed. */
export function folding() {
  /** @type {{ drawing: Drawing, bare: boolean, seen: Drawing } | null} */
  let last = null;
  return (/** @type {Drawing} */ drawing, /** @type {boolean} */ bare = false) => {
    const same = last?.bare === bare && showsTheSame(last.drawing, drawing);
    const known = same && last ? last.seen : folded(bare ? withoutNone(drawing) : drawing);
    const { wires, regions, groups, within, hidden } = known;
    const nodes = known === last?.seen ? known.nodes : withHeadroom(known.nodes);
    const seen = { ...drawing, nodes, wires, regions, groups, within, hidden };
    last = { drawing, bare, seen };
    return seen;
  };
}

/** The card of a node's group, or the node itself. @param {Drawing} seen @param {string} id */
export const visibleCard = ({ within }, id) => within?.get(id) ?? id;

/** The wires of the graph that a drawn wire stands for. @param {Wire | null | undefined} wire @returns {Wire[]} */
export const wiresOf = (wire) => (wire ? (wire.of ?? [wire]) : []);

/** The nodes that a card stands for. @param {GraphNode | null | undefined} node @returns {string[]} */
export const nodesOf = (node) => (node ? (node.group?.nodes ?? [node.id]) : []);

/** The wire of the graph that a drawn wire stands for; null if it is several.
 * @param {Wire} wire @returns {Wire | null} */
export const realWire = (wire) => (!wire.of ? wire : wire.of.length === 1 ? wire.of[0] : null);

/** Node names in place of the ids of cards, each once.
 * @param {Drawing} seen @param {string[]} ids @returns {string[]} */
export function namesIn({ nodes }, ids) {
  const cards = new Map(nodes.filter(({ group }) => group).map((node) => [node.id, nodesOf(node)]));
  return [...new Set(ids.flatMap((id) => cards.get(id) ?? [id]))];
}

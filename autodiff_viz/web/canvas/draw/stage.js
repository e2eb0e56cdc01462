// @ts-check
// Paint a drawing on the layers of the canvas, as far as it is in view; it decides nothing.

import { html, svg } from "../../base/dom.js";
import { hasChips } from "../state/fold.js";
import { framesOf } from "../state/frames.js";
import {
  bounds,
  clearOf,
  fit,
  overlap,
  padded,
  toWorld,
  reachOf,
  withNode,
  zoomAt,
} from "../state/geometry.js";
import {
  completeCard,
  drawNodes,
  leftMarkBoxes,
  pillBoxes,
  pillsReach,
  placeChips,
  relevelCard,
} from "./cards.js";
import { CHIPS_ABOVE, chipsBox, footBox, inkTop } from "./face.js";
import { isWithin } from "../state/beside.js";
import { grid } from "../state/grid.js";
import { placeGuesses } from "./guesses.js";
import { boxOf, chipsInLanes } from "./lanes.js";
import { isFar, levelOf, NAMED, NEAR, NUMBERED, readingOf, WHOLE } from "./levels.js";
import { drawRegions, regionBoxes } from "./regions.js";
import {
  sidesBeyond,
  showView,
  viewKeptOn,
  makeTransform,
  visibleWorld,
  viewHolding,
} from "./viewport.js";
import { completeStrand, drawWires, placeNumbers } from "./wires.js";

// Culling in a large graph: hide what is out of view, and details too small to read. A card or a wire is
// completed when it is first seen from near.

/** @typedef {import("../../types.js").Box} Box */
/** @typedef {{ w: number, h: number }} Size */

export const MANY = 80; // nodes; with fewer, everything is always drawn
const OUTSIDE = 30; // world px by which chips and ports extend beyond a card

/** Hide what lies outside the view and one view's width around it. While the view stays well inside, nothing
 * changes, unless there is something new to judge.
 * @param {Stage} stage @param {Size} size @param {boolean} far @param {boolean} [anew] */
export function cull(stage, size, far, anew = false) {
  const many = stage.cards.size >= MANY;
  const now = visibleWorld(stage.view, size);
  const wide =
    many && !far ? { x: now.x - now.w, y: now.y - now.h, w: 3 * now.w, h: 3 * now.h } : null;
  if (!anew && holds(stage.culling, padded(now, now.w / 4), far, wide)) return;
  stage.culling = { box: wide, far };
  for (const card of stage.cards.values()) {
    if (!card.node) continue;
    const inView = !wide || overlap(padded(card.node, OUTSIDE), wide);
    if (inView && !far) completeCard(card);
    if (inView) relevelCard(card, stage.level);
    hide(card, [card.root], !inView);
  }
  for (const strand of stage.strands.values()) {
    const inView = !wide || overlap(spanOf(strand), wide);
    if (inView && !far) completeStrand(strand, stage.layers.numbers);
    const { root, number, shape, guess } = strand;
    hide(
      strand,
      [root, number, shape, guess].filter((part) => part !== null),
      !inView,
    );
  }
}

/** Complete and show all elements as they are seen at a level, for uses that need more than the screen shows.
 * @param {Stage} stage @param {import("./levels.js").Level} level */
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
  const within =
    box.x <= now.x &&
    box.y <= now.y &&
    box.x + box.w >= now.x + now.w &&
    box.y + box.h >= now.y + now.h;
  return within && box.w < 2 * wide.w; // after a long zoom in, the view is smaller
}

/** @param {{ curve: import("../../types.js").Cubic[] }} strand @returns {Box} */
const spanOf = ({ curve }) =>
  bounds(curve.flat().map(([x, y]) => ({ x, y, w: 1, h: 1 }))) ?? { x: 0, y: 0, w: 0, h: 0 };

/** @param {{ culled: boolean }} entry @param {Element[]} parts @param {boolean} hidden */
function hide(entry, parts, hidden) {
  if (entry.culled === hidden) return;
  entry.culled = hidden;
  for (const part of parts) part.classList.toggle("culled", hidden);
}

/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("../../types.js").Viewport} Viewport */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {ReturnType<typeof openStage>} Stage */

const PICTURED = 3; // a node with heat-maps takes as long to paint as so many others
const HALF = 640; // px, a canvas beside a column in a window of 1100 px; below it, too, cards may have their numbers alone
const GROWN = 30; // px
const CLOSE = 1.4; // most `reading` in so narrow a canvas, where larger texts would leave a part of the graph out of view
const FEW = 15; // nodes; with at most so many, a first view is fitted again after every change
const SOME = 40; // nodes; with at most so many, the first view has numbers, of a part if need be; of more, the whole as an overview

/** Layers from the bottom to the top, by leaf. Each leaf is painted separately: a drag repaints only the leaves of
 * the drag.
 * @type {Layer[][]} */
const LEAVES = [
  ["regions"],
  ["wires"],
  ["strings"],
  ["tabs"],
  ["numbers", "nodes"],
  ["hand"],
  ["overlay"],
];
/** @typedef {"regions" | "wires" | "strings" | "tabs" | "numbers" | "nodes" | "hand" | "overlay"} Layer */
/**
 * What a drag has taken, and from where.
 *
 * @typedef {object} Lifted
 * @property {Element} element
 * @property {Element} home
 * @property {Node | null} before
 */

export function openStage() {
  const layers = /** @type {Record<Layer, SVGGraphicsElement>} */ (
    Object.fromEntries(LEAVES.flat().map((name) => [name, svg("g")]))
  );
  const extents = LEAVES.map(() => svg("path", { class: "extent" }));
  const worlds = LEAVES.map((names, i) =>
    svg("g", { class: "world" }, extents[i], ...names.map((name) => layers[name])),
  );
  const leaves = worlds.map((world, i) => svg("svg", { class: `leaf of-${LEAVES[i][0]}` }, world));
  const pane = html("div", { class: "pane" }, ...leaves);
  const surface = html(
    "div",
    {
      class: "surface",
      role: "application",
      "aria-label": "Computation graph. Arrow keys walk, question mark lists all keys.",
    },
    pane,
  );
  const status = html("div", { class: "status", role: "status" });
  const dots = html("div", { class: "dots" });
  const host = html(
    "div",
    { class: "canvas" },
    html("div", { class: "backdrop" }, dots),
    surface,
    html("div", { class: "edges" }),
    status,
  );
  tellStyles(host, NEAR);
  return {
    host,
    dots,
    surface,
    pane,
    worlds,
    extents,
    layers,
    status,
    movePane: makeTransform(pane),
    moveDots: makeTransform(dots),
    moveHand: makeTransform(leaves[LEAVES.findIndex(([name]) => name === "hand")]),
    /** @type {Lifted[]} */ lifted: [],
    /** @type {Viewport} */ view: { x: 0, y: 0, k: 1 },
    /** @type {Viewport} for which the leaves are drawn; the pane does the rest */ drawn: {
      x: 0,
      y: 0,
      k: 0,
    },
    /** @type {{ w: number, h: number } | null} of the canvas, once it has been measured: to ask takes a layout */ size: null,
    glides: { under: false, timer: 0 },
    weight: 0, // paint cost, in nodes
    level: NEAR, // of detail
    reading: 1, // factor of the least sizes of text
    cards: new Map(),
    strands: new Map(),
    regions: { outlines: new Map(), tabs: new Map() },
    /** @type {import("../../types.js").Box | null} all that is drawn */ content: null,
    /** @type {Drawing | null} the last one, as it is when nothing is dragged */ painted: null,
    /** @type {Drawing | null} whose wires have their numbers placed */ numbered: null,
    /** @type {import("../../types.js").Box[]} what numbers must not cover */ obstacles: [],
    /** @type {import("../../types.js").Box[]} where what the visitor has answered stands */ guesses:
      [],
    /** @type {{ box: import("../../types.js").Box | null, far: boolean }} what is drawn; null: all */ culling:
      { box: null, far: false },
    presents: false, // whether it is shown to an audience, as large as it can be
    markPorts: () => {}, // highlights the ports that fit a wire in hand; see `markPorts` in highlights.js
    covered: () => 0, // px at the top under what greets a newcomer: a fitted view begins below
    quiet: 0, // timer of the status line
  };
}

/** Draw what changed. Numbers on wires are placed only when nothing is being dragged.
 * @param {Stage} stage @param {Drawing} drawing @param {boolean} dragging */
export function paint(stage, drawing, dragging) {
  const byId = new Map(drawing.nodes.map((node) => [node.id, node]));
  const complete = drawing.nodes.length < MANY;
  stage.weight = drawing.nodes.reduce((sum, { heat }) => sum + (heat ? PICTURED : 1), 0);
  drawNodes(stage.layers.nodes, stage.cards, drawing.nodes, complete, stage.level);
  drawWires(stage.layers.wires, stage.layers.numbers, stage.strands, drawing.wires, byId, complete);
  if (!dragging && stage.drawn.k) cull(stage, sizeOf(stage), isFar(stage.level), true);
  drawRegions(
    stage.layers.regions,
    stage.layers.tabs,
    stage.regions,
    framesOf(drawing),
    drawing.nodes,
    stage.level,
  );
  const { painted } = stage;
  if (!dragging && (painted?.nodes !== drawing.nodes || painted.wires !== drawing.wires)) {
    stage.painted = drawing;
    measure(stage, drawing);
    if (complete || (stage.drawn.k && !isFar(stage.level))) giveNumbersPlaces(stage);
  }
  stage.host.classList.toggle("bare", drawing.nodes.length === 0);
  stage.host.classList.toggle(
    "normed",
    drawing.nodes.some(({ value, cotangent }) => `${value}${cotangent}`.includes("\u2016")),
  );
  stage.host.classList.toggle("many", !complete);
  stage.markPorts();
}

const TOUCHING = 1; // px by which a constant may reach over the edge of a card

/** Leave out constants that would cover a card; their ports show that there is one. @param {Stage} stage @param {Drawing} drawing */
function leaveOutCrowded({ cards, level }, { nodes }) {
  const taken = grid(nodes);
  for (const node of nodes) {
    const marks = cards.get(node.id)?.root.querySelectorAll(".pill") ?? [];
    if (!marks.length) continue;
    const boxes = pillBoxes(node, level);
    for (const [i, mark] of marks.entries())
      mark.classList.toggle("crowded", taken.hits(padded(boxes[i], -TOUCHING), 1, node) > 0);
  }
}

/** Note what numbers must not cover, and the extent of the drawing. @param {Stage} stage @param {Drawing} drawing */
function measure(stage, drawing) {
  leaveOutCrowded(stage, drawing);
  const regions = regionBoxes(framesOf(drawing), drawing.nodes, stage.level);
  const tabs = regions.map(({ tab }) => tab);
  const bodies = drawing.nodes.map((node) => bodyOf(node, stage.level));
  stage.obstacles = [
    ...bodies.map((body, i) => cardOf(body, drawing.nodes[i])),
    ...drawing.nodes.flatMap((node) => leftMarkBoxes(node, stage.level)),
    ...tabs,
    ...giveChipsLanes(stage, drawing, tabs),
  ];
  stage.content = bounds([
    ...bodies,
    ...stage.obstacles,
    ...regions.map(({ box }) => box),
    ...reachOf(drawing.nodes, drawing.wires),
  ]);
  const { x, y, w, h } = stage.content ?? { x: 0, y: 0, w: 0, h: 0 };
  const reach = `M${x} ${y}h${w}v${h}`;
  for (const extent of stage.extents)
    if (extent.getAttribute("d") !== reach) extent.setAttribute("d", reach);
  stage.numbered = null;
}

/** Place the chips of all cards. @param {Stage} stage @param {Drawing} drawing @param {Box[]} tabs of frames @returns {Box[]} their places */
function giveChipsLanes({ cards, strands, level }, { nodes }, tabs) {
  const lanes = chipsInLanes(nodes, level, tabs, [...strands.values()]);
  return nodes.flatMap((node) => {
    const [card, chips] = [cards.get(node.id), lanes.get(node.id)];
    if (!card || !chips) return [];
    placeChips(card, level, chips);
    return chips.map((chip) => boxOf(node, chip));
  });
}

/** Tell the style sheet how much is said and how large it is. @param {HTMLElement} host @param {import("./levels.js").Level} level */
function tellStyles(host, { detail, text, number, unit }) {
  host.dataset.detail = detail;
  host.style.setProperty("--text", `${text.toFixed(1)}px`);
  host.style.setProperty("--number", `${number.toFixed(1)}px`);
  host.style.setProperty("--unit", Math.sqrt(unit).toFixed(2));
}

/** Draw for another level of detail. @param {Stage} stage @param {import("./levels.js").Level} level */
export function relevel(stage, level) {
  const { host, painted } = stage;
  if (stage.level === level) return;
  stage.level = level;
  tellStyles(host, level);
  cull(stage, sizeOf(stage), isFar(level), true);
  if (!painted) return;
  drawRegions(
    stage.layers.regions,
    stage.layers.tabs,
    stage.regions,
    framesOf(painted),
    painted.nodes,
    level,
  );
  measure(stage, painted);
  if (!isFar(level)) giveNumbersPlaces(stage);
  stage.markPorts();
}

/** Place the numbers of the wires, unless they are placed; in a large graph only once they are legible.
 * @param {Stage} stage */
export function giveNumbersPlaces(stage) {
  if (stage.numbered !== stage.painted) {
    placeNumbers(stage.strands, stage.obstacles, stage.level, roomOfTexts(stage));
    giveGuessesPlaces(stage);
  }
  stage.numbered = stage.painted;
}

/** Where numbers of wires are seen in a fitted view: in the drawing, and in the margins at its sides. @param {Stage} stage */
const roomOfTexts = (stage) =>
  stage.content && padded(stage.content, clearOf(sizeOf(stage)).side / stage.view.k);

/** Place what the visitor has answered, in view if all of the drawing is. @param {Stage} stage */
function giveGuessesPlaces(stage) {
  const { cards, strands, obstacles, level, view } = stage;
  stage.guesses = placeGuesses(cards, strands, obstacles, level, view.k, wholeInView(stage));
}

/** The part of the world in view, if all of the drawing is, but for a few px by which texts have grown since it was fitted.
 * @param {Stage} stage */
function wholeInView(stage) {
  const seen = visibleWorld(stage.view, sizeOf(stage));
  const nearly = padded(seen, GROWN / stage.view.k);
  return stage.content && isWithin(nearly, stage.content) ? seen : null;
}

/** The part of a node's bounding box without what is to the left of its card. @param {Box} body @param {Box} node */
const cardOf = (body, node) => {
  const x = node.x - APART;
  return { ...body, x, w: body.x + body.w - x };
};

const APART = 6; // px that are kept clear beside a card

/** Bounding box of a node with chips or its name above and constants to the left of its card.
 * @param {import("../../types.js").GraphNode} node @param {import("./levels.js").Level} level @returns {import("../../types.js").Box} */
function bodyOf(node, level) {
  const { unit, text, detail } = level;
  const plain =
    node.tab ||
    (node.rule === "follow" &&
      (!node.isOutput || node.down) &&
      !node.problem &&
      !node.warning &&
      !node.group?.marks.length);
  const named = detail === "few" && !node.tab ? text : 4;
  const chips = hasChips(node) ? chipsBox(node, level, inkTop(node, level)) : node;
  const pills = detail === "one" || isFar(level) ? [] : pillBoxes(node, level);
  const left = Math.max(pillsReach(node), ...pills.map(({ x }) => node.x - x));
  const top = plain ? named : Math.max(CHIPS_ABOVE * unit, named, node.y - chips.y);
  const right = Math.max(APART, chips.x + chips.w - node.x - node.w);
  const marks = footBox(node, level);
  const foot = node.tab ? 0 : marks ? marks.y + marks.h - node.y - node.h : (node.foot ?? 0) + 4;
  return {
    x: node.x - left - APART,
    y: node.y - top,
    w: node.w + left + APART + right,
    h: node.h + top + foot,
  };
}

/** Set the view, limited so that some of the drawing stays in view. @param {Stage} stage @param {Viewport} wished */
export function setView(stage, wished) {
  const size = sizeOf(stage);
  const view = viewKeptOn(wished, stage.content, size);
  stage.view = view;
  showView(stage, () => settle(stage, size));
}

/** Draw the view. @param {Stage} stage @param {{ w: number, h: number }} size of the canvas */
function settle(stage, size) {
  const { view } = stage;
  relevel(stage, levelOf(view.k, stage.reading, size.w < HALF));
  cull(stage, size, isFar(stage.level));
  if (!isFar(stage.level)) giveNumbersPlaces(stage);
  const seen = stage.guesses.length ? wholeInView(stage) : null;
  if (seen && !stage.guesses.every((box) => isWithin(seen, box))) giveGuessesPlaces(stage);
  const { dataset } = stage.host;
  const more = sidesBeyond(view, stage.content, size, clearOf(size).bottom - SPARE);
  if (dataset.beyond !== more) dataset.beyond = more;
}

/** @param {Stage} stage */
export const sizeOf = ({ surface, size }) =>
  size ?? { w: surface.clientWidth, h: surface.clientHeight };

/** The margins of a fitted view. @param {Stage} stage */
function clearIn(stage) {
  const usual = clearOf(sizeOf(stage));
  return { ...usual, top: Math.max(usual.top, stage.covered()) };
}

/** The view that shows the whole drawing; a `first` view of a graph that is not large prefers legible numbers and the selected node.
 * @param {Stage} stage @param {Drawing} drawing @param {boolean} first @returns {Viewport} */
export function wholeView(stage, drawing, first) {
  const size = sizeOf(stage);
  const clear = clearIn(stage);
  const content = stage.content ?? { x: 0, y: 0, w: 1, h: 1 };
  // A line of text may be wider than all cards: what was answered has room above and below, and makes no graph narrower.
  const answers = stage.guesses.map(({ y, h }) => ({ ...content, y, h }));
  const box = bounds([content, ...answers]) ?? content;
  if (stage.presents) return fit(box, size, { most: LARGEST * stage.reading, clear: BARE });
  const least = stage.reading * leastOf(size, drawing.nodes.length);
  const inputs = drawing.nodes.filter((node) => node.x < box.x + size.w / (least || NAMED) / 2);
  const view = fit(box, size, {
    least: (first && least) || undefined,
    most: MOST * stage.reading,
    anchor: bounds(inputs) ?? box,
    clear,
  });
  const chosen = first && drawing.nodes.find(({ id }) => id === drawing.selected);
  return chosen ? withNode(view, chosen, box, size, clear.side) : view;
}

/** Note how large the canvas is, and how large text has to be, in this window and with the size of type that the user has
 * chosen. @param {Stage} stage */
export function measureCanvas(stage) {
  if (stage.surface.clientWidth) stage.size ??= sizeOf(stage);
  const wished = getComputedStyle(stage.host).getPropertyValue("--type-least");
  const reading = readingOf({ w: innerWidth, h: innerHeight }, parseFloat(wished));
  const isNarrow = stage.size && stage.size.w < HALF;
  stage.reading = isNarrow ? Math.min(reading, CLOSE) : reading;
}

/** Least scale of a first view; 0 for any. @param {{ w: number }} size @param {number} nodes */
function leastOf({ w }, nodes) {
  if (nodes > SOME) return 0;
  return w < HALF ? WHOLE : NUMBERED;
}

/** Least scale at which the numbers of all cards are read. @param {Stage} stage */
export const leastReadScale = ({ reading }) => NUMBERED * reading;

const MOST = 1.25; // scale of a view that shows all
const LARGEST = 1.6; // scale on a stage, times `reading`
const BARE = { top: 20, bottom: 20, side: 28 }; // px around a graph on a stage, which no bar covers
const SPARE = 14; // px of the margin at the foot that may be used
const SMALLER = 1.3; // factor by which a view that shows all may be smaller than it need be

const ASIDE = 0.2; // share of the canvas by which the middle of a drawing may be beside its own

/** Whether the view shows the whole drawing, and not as a small part of the canvas or in a corner of it.
 * @param {Stage} stage @param {Viewport} whole the view that fits */
export function showsWhole(stage, whole) {
  const { view, content } = stage;
  const size = sizeOf(stage);
  if (!content) return true;
  const beside = (/** @type {"x" | "y"} */ axis, /** @type {"w" | "h"} */ length) =>
    Math.abs(
      view[axis] - whole[axis] + (content[axis] + content[length] / 2) * (view.k - whole.k),
    ) <
    ASIDE * size[length];
  return (
    beside("x", "w") &&
    beside("y", "h") &&
    sidesBeyond(view, content, size, clearOf(size).bottom - SPARE) === "" &&
    whole.k < SMALLER * view.k
  );
}

/** The view that shows the named nodes. @param {Stage} stage @param {Drawing} drawing @param {Set<string>} names */
export function partView(stage, drawing, names) {
  const box = bounds(drawing.nodes.filter(({ id }) => names.has(id)));
  return box && fit(padded(box, 24), sizeOf(stage), { clear: clearOf(sizeOf(stage)) });
}

/** Centre of the view, in world pixels.
 * @param {Stage} stage @returns {Point} */
export function centre(stage) {
  const { w, h } = sizeOf(stage);
  return toWorld(stage.view, [w / 2, h / 2]);
}

/** Zoom about the middle of the canvas.
 * @param {Stage} stage @param {number} factor @returns {Viewport} */
export function zoomCentred(stage, factor) {
  const { w, h } = sizeOf(stage);
  return zoomAt(stage.view, factor, [w / 2, h / 2]);
}

/** The view with `box` in the middle, or null if the box is in view.
 * @param {Stage} stage @param {import("../../types.js").Box} box @returns {Viewport | null} */
export function viewCentredOn(stage, box) {
  const { w, h } = sizeOf(stage);
  const { k } = stage.view;
  const { top, bottom } = clearOf({ w });
  const [x, y] = toWorld(stage.view, [0, top]);
  const seen = { x, y, w: w / k, h: (h - top - bottom) / k };
  if (overlap(padded(seen, -20), box)) return null;
  return { x: w / 2 - (box.x + box.w / 2) * k, y: h / 2 - (box.y + box.h / 2) * k, k };
}

/** The view, moved by the least amount that shows the nodes; null if it shows them.
 * @param {Stage} stage @param {import("../../types.js").Box[]} nodes @returns {Viewport | null} */
export function viewMovedTo(stage, nodes) {
  const box = bounds(nodes);
  if (!box) return null;
  const size = sizeOf(stage);
  const { top, bottom, side } = clearOf(size);
  return viewHolding(stage.view, box, size, { top, bottom, left: side, right: side });
}

/** Whether the first view may leave out a part of the graph. @param {Drawing} drawing */
export const isLarge = (drawing) => drawing.nodes.length > FEW;

/** A pointer's place on the canvas, in screen pixels from its top-left corner.
 * @param {Stage} stage @param {{ clientX: number, clientY: number }} event @returns {Point} */
export function pointOf(stage, event) {
  const { left, top } = stage.host.getBoundingClientRect();
  return [event.clientX - left, event.clientY - top];
}

/** Show a short text at the foot of the canvas for a few seconds, and announce it to screen readers.
 * @param {Stage} stage @param {string} text */
export function showStatus(stage, text, ms = 4000) {
  clearTimeout(stage.quiet);
  stage.status.textContent = text;
  stage.status.classList.add("speaking");
  stage.quiet = window.setTimeout(() => hideStatus(stage), ms);
}

/** Announce a text to screen readers alone. @param {Stage} stage @param {string} text */
export function announce(stage, text) {
  hideStatus(stage);
  stage.status.textContent = text;
}

/** @param {Stage} stage */
export const hideStatus = ({ status }) => status.classList.remove("speaking");

// @ts-check
// The stage: the layers of the canvas, its viewport, and painting of a drawing. It decides nothing.

import { html, svg } from "../../../web/dom.js";
import { REACH } from "./chips.js";
import { bounds, CLEAR, fit, overlap, padded, sideways, toWorld, zoomAt } from "./geometry.js";
import { cull, MANY } from "./culling.js";
import { framesOf } from "../state/frames.js";
import { glide, mover } from "./glide.js";
import { drawNodes } from "./nodes.js";
import { beyond, kept } from "./overview.js";
import { pillsReach } from "./ports.js";
import { drawRegions, regionBoxes } from "./regions.js";
import { drawWires, placeNumbers } from "./wires.js";

/** @typedef {import("../types.js").Drawing} Drawing */
/** @typedef {import("../types.js").Viewport} Viewport */
/** @typedef {import("../types.js").Point} Point */
/** @typedef {ReturnType<typeof openStage>} Stage */

/** Scales up to which fewer details are drawn. @type {[string, number][]} */
const DETAIL = [["far", 0.34], ["small", 0.55], ["middle", 0.72]];
const MARGIN = 24; // px around a node that is brought into view
const READABLE = 0.44; // scale at which numbers are legible on a phone, which is held close
const LEGIBLE = 0.6; // scale at which numbers are legible on a desk
const PICTURED = 3; // a node with heat-maps takes as long to paint as so many others
const FOOT = 0; // px of the canvas that are covered at its foot
const NARROW = 480; // px; below it the first view keeps numbers readable rather than showing all
const FEW = 40; // nodes; with at most so many, that holds for any canvas

/** Layers from the bottom to the top, by leaf. Each leaf is painted separately: a drag repaints only the leaves of
 * the drag.
 * @type {Layer[][]} */
const LEAVES = [["regions"], ["wires"], ["strings"], ["tabs"], ["numbers", "nodes"], ["hand"], ["overlay"]];
/** @typedef {"regions" | "wires" | "strings" | "tabs" | "numbers" | "nodes" | "hand" | "overlay"} Layer */
/** @typedef {{ element: Element, home: Element, before: Node | null }} Lifted what a drag has taken, and from where */

export function openStage() {
  const layers = /** @type {Record<Layer, SVGGraphicsElement>} */ (Object.fromEntries(LEAVES.flat().map((name) => [name, svg("g")])));
  const worlds = LEAVES.map((names) => svg("g", { class: "world" }, ...names.map((name) => layers[name])));
  const leaves = worlds.map((world, i) => svg("svg", { class: `leaf of-${LEAVES[i][0]}` }, world));
  const pane = html("div", { class: "pane" }, ...leaves);
  const surface = html("div", { class: "surface", role: "application", "aria-label": "Computation graph. Arrow keys walk, question mark lists all keys." }, pane);
  const status = html("div", { class: "status", role: "status" });
  const dots = html("div", { class: "dots" });
  const host = html("div", { class: "canvas" }, dots, surface, html("div", { class: "edges" }), status);
  return {
    host, dots, surface, pane, worlds, layers, status, movePane: mover(pane), moveDots: mover(dots), moveHand: mover(leaves[LEAVES.findIndex(([name]) => name === "hand")]),
    /** @type {Lifted[]} */ lifted: [],
    /** @type {Viewport} */ view: { x: 0, y: 0, k: 1 },
    /** @type {Viewport} for which the leaves are drawn; the pane does the rest */ drawn: { x: 0, y: 0, k: 0 },
    /** @type {{ w: number, h: number } | null} of the canvas, once it has been told: to ask takes a layout */ size: null,
    glides: { under: false, timer: 0 },
    weight: 0, // paint cost, in nodes
    cards: new Map(), strands: new Map(), regions: { outlines: new Map(), tabs: new Map() },
    /** @type {import("../types.js").Box | null} all that is drawn */ content: null,
    /** @type {Drawing | null} the last one, as it is when nothing is dragged */ painted: null,
    /** @type {Drawing | null} whose wires have their numbers placed */ numbered: null,
    /** @type {import("../types.js").Box[]} what numbers must not cover */ obstacles: [],
    /** @type {{ box: import("../types.js").Box | null, far: boolean }} what is drawn; null: all */ culling: { box: null, far: false },
    quiet: 0, // timer of the status line
  };
}

/** Draw what changed. Numbers on wires are placed only when nothing is being dragged.
 * @param {Stage} stage @param {Drawing} drawing @param {boolean} dragging */
export function paint(stage, drawing, dragging) {
  const byId = new Map(drawing.nodes.map((node) => [node.id, node]));
  const complete = drawing.nodes.length < MANY;
  stage.weight = drawing.nodes.reduce((sum, { heat }) => sum + (heat ? PICTURED : 1), 0);
  drawNodes(stage.layers.nodes, stage.cards, drawing.nodes, complete);
  drawWires(stage.layers.wires, stage.layers.numbers, stage.strands, drawing.wires, byId, complete);
  if (!dragging && stage.drawn.k) cull(stage, sizeOf(stage), isFar(stage.view), true);
  drawRegions(stage.layers.regions, stage.layers.tabs, stage.regions, framesOf(drawing), drawing.nodes);
  const { painted } = stage;
  if (!dragging && (painted?.nodes !== drawing.nodes || painted.wires !== drawing.wires)) {
    const regions = regionBoxes(framesOf(drawing), drawing.nodes);
    const bodies = drawing.nodes.map(bodyOf);
    stage.obstacles = [...bodies, ...regions.map(({ tab }) => tab)];
    stage.content = bounds([...stage.obstacles, ...regions.map(({ box }) => box)]);
    stage.painted = drawing;
    if (complete || (stage.drawn.k && !isFar(stage.view))) giveNumbersPlaces(stage);
  }
  stage.host.classList.toggle("bare", drawing.nodes.length === 0);
}

/** Place the numbers of the wires, unless they are placed; in a large graph only once they are legible.
 * @param {Stage} stage */
export function giveNumbersPlaces(stage) {
  if (stage.numbered !== stage.painted) placeNumbers(stage.strands, stage.obstacles);
  stage.numbered = stage.painted;
}

/** Bounding box of a node with chips above and constants to the left of its card.
 * @param {import("../types.js").GraphNode} node @returns {import("../types.js").Box} */
function bodyOf(node) {
  const plain = node.rule === "follow" && !node.isOutput && !node.problem && !node.warning && !node.group?.marks.length;
  const [left, top] = [pillsReach(node), plain ? 4 : REACH.above];
  const foot = node.runs || node.state?.length ? REACH.below : 4;
  return { x: node.x - left - 6, y: node.y - top, w: node.w + left + 12, h: node.h + top + foot };
}

/** Set the view, limited so that some of the drawing stays in view. @param {Stage} stage @param {Viewport} wished */
export function look(stage, wished) {
  const size = sizeOf(stage);
  const view = kept(wished, stage.content, size);
  stage.view = view;
  glide(stage, () => settle(stage, size));
}

/** Draw the view. @param {Stage} stage @param {{ w: number, h: number }} size of the canvas */
function settle(stage, size) {
  const { view } = stage;
  cull(stage, size, isFar(view));
  if (!isFar(view)) giveNumbersPlaces(stage);
  const detail = DETAIL.find(([, scale]) => view.k < scale)?.[0] ?? "near";
  const { dataset } = stage.host;
  if (dataset.detail !== detail) dataset.detail = detail; // every write makes the browser restyle all nodes
  const more = beyond(view, stage.content, size, FOOT);
  if (dataset.beyond !== more) dataset.beyond = more;
}

/** Whether no number is legible. @param {Viewport} view */
const isFar = ({ k }) => k < DETAIL[0][1];

/** @param {Stage} stage */
export const sizeOf = ({ host, size }) => size ?? { w: host.clientWidth, h: host.clientHeight };

/** The view that shows the whole drawing; a `first` view prefers legible numbers and the selected node.
 * @param {Stage} stage @param {Drawing} drawing @param {boolean} first @returns {Viewport} */
export function wholeView(stage, drawing, first) {
  const size = sizeOf(stage);
  const box = stage.content ?? { x: 0, y: 0, w: 1, h: 1 };
  const least = first ? legible(size, drawing) : undefined;
  const inputs = drawing.nodes.filter((node) => node.x < box.x + size.w / (least ?? READABLE) / 2);
  const view = fit(box, size, { least, anchor: bounds(inputs) ?? box });
  const chosen = first && drawing.nodes.find(({ id }) => id === drawing.selected);
  return chosen ? sideways(view, padded(chosen, MARGIN), size) : view;
}

/** @param {{ w: number }} size @param {Drawing} drawing */
function legible(size, drawing) {
  if (size.w < NARROW) return READABLE;
  return drawing.nodes.length <= FEW ? LEGIBLE : undefined;
}

/** The view that shows the named nodes. @param {Stage} stage @param {Drawing} drawing @param {Set<string>} names */
export function partView(stage, drawing, names) {
  const box = bounds(drawing.nodes.filter(({ id }) => names.has(id)));
  return box && fit(padded(box, 24), sizeOf(stage));
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
 * @param {Stage} stage @param {import("../types.js").Box} box @returns {Viewport | null} */
export function revealing(stage, box) {
  const { w, h } = sizeOf(stage);
  const { k } = stage.view;
  const [x, y] = toWorld(stage.view, [0, CLEAR.top]);
  const seen = { x, y, w: w / k, h: (h - CLEAR.top - CLEAR.bottom) / k };
  if (overlap(padded(seen, -20), box)) return null;
  return { x: w / 2 - (box.x + box.w / 2) * k, y: h / 2 - (box.y + box.h / 2) * k, k };
}

/** A pointer's place on the canvas, in screen pixels from its top-left corner.
 * @param {Stage} stage @param {{ clientX: number, clientY: number }} event @returns {Point} */
export function pointOf(stage, event) {
  const { left, top } = stage.host.getBoundingClientRect();
  return [event.clientX - left, event.clientY - top];
}

/** Show a short text at the foot of the canvas for a few seconds, and announce it to screen readers.
 * @param {Stage} stage @param {string} text */
export function say(stage, text) {
  clearTimeout(stage.quiet);
  stage.status.textContent = text;
  stage.status.classList.add("speaking");
  stage.quiet = window.setTimeout(() => hush(stage), 4000);
}

/** @param {Stage} stage */
export const hush = ({ status }) => status.classList.remove("speaking");

// @ts-check
// The canvas itself: its layers, its viewport, and painting a drawing onto it. It decides nothing.

import { html, svg } from "./dom.js";
import { bounds, fit, overlap, padded, toWorld, zoomAt } from "./geometry.js";
import { drawNodes } from "./nodes.js";
import { drawRegions } from "./regions.js";
import { drawWires, placeNumbers } from "./wires.js";

/** @typedef {import("./types.js").Drawing} Drawing */
/** @typedef {import("./types.js").Viewport} Viewport */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {ReturnType<typeof openStage>} Stage */

const DETAIL = { far: 0.5, near: 0.72 }; // scales below and above which less and more is written
const GRID = 24; // px between the dots
const NARROW = 600; // px; below it the first view keeps the numbers readable rather than showing all

export function openStage() {
  const layers = { regions: svg("g"), wires: svg("g"), tabs: svg("g"), numbers: svg("g"), nodes: svg("g"), overlay: svg("g") };
  const world = svg("g", { class: "world" }, ...Object.values(layers));
  const surface = svg("svg", { class: "surface", role: "group", "aria-label": "Computation graph" }, world);
  const status = html("div", { class: "status", role: "status" });
  const dots = html("div", { class: "dots" });
  const host = html("div", { class: "canvas" }, dots, surface, status);
  return {
    host, dots, surface, world, layers, status,
    /** @type {Viewport} */ view: { x: 0, y: 0, k: 1 },
    cards: new Map(), strands: new Map(), regions: { outlines: new Map(), tabs: new Map() },
    quiet: 0, // timer of the status line
  };
}

/** Draw what changed. Numbers on wires look for a place only when nothing is being dragged.
 * @param {Stage} stage @param {Drawing} drawing @param {boolean} dragging */
export function paint(stage, drawing, dragging) {
  const byId = new Map(drawing.nodes.map((node) => [node.id, node]));
  drawNodes(stage.layers.nodes, stage.cards, drawing.nodes);
  drawWires(stage.layers.wires, stage.layers.numbers, stage.strands, drawing.wires, byId);
  drawRegions(stage.layers.regions, stage.layers.tabs, stage.regions, drawing.regions, drawing.nodes);
  if (!dragging) placeNumbers(stage.strands, drawing.nodes.flatMap(obstaclesOf));
  stage.host.classList.toggle("bare", drawing.nodes.length === 0);
}

/** What a number on a wire must not cover: the card, and the constants left of it.
 * @param {import("./types.js").GraphNode} node */
const obstaclesOf = (node) =>
  node.slots.some((slot) => slot.constant !== null) ? [node, { ...node, x: node.x - 56, w: 56 }] : [node];

/** @param {Stage} stage @param {Viewport} view */
export function look(stage, view) {
  stage.view = view;
  stage.world.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.k})`);
  const step = GRID * view.k * (view.k < DETAIL.far ? 4 : 1);
  stage.dots.style.backgroundSize = `${step}px ${step}px`;
  stage.dots.style.backgroundPosition = `${view.x % step}px ${view.y % step}px`;
  const detail = view.k < DETAIL.far ? "far" : view.k > DETAIL.near ? "near" : "middle";
  const { dataset } = stage.host;
  if (dataset.detail !== detail) dataset.detail = detail; // every write makes the browser style all nodes anew
}

/** @param {Stage} stage */
export const sizeOf = ({ host }) => ({ w: host.clientWidth, h: host.clientHeight });

/** The view that shows the whole drawing; `readable` keeps numbers legible on a narrow screen.
 * @param {Stage} stage @param {Drawing} drawing @param {boolean} readable @returns {Viewport} */
export function wholeView(stage, drawing, readable) {
  const size = sizeOf(stage);
  const box = bounds(drawing.nodes) ?? { x: 0, y: 0, w: 1, h: 1 };
  const around = drawing.regions.length ? padded(box, 30) : box;
  return fit(around, size, { least: readable && size.w < NARROW ? 0.6 : undefined, left: size.w < NARROW ? 20 : 48 });
}

/** Centre of what is on view, in world pixels.
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

/** Bring a box into view by the shortest way, when it is outside.
 * @param {Stage} stage @param {import("./types.js").Box} box */
export function reveal(stage, box) {
  const { w, h } = sizeOf(stage);
  const [x, y] = toWorld(stage.view, [0, 0]);
  const seen = { x, y, w: w / stage.view.k, h: h / stage.view.k };
  if (overlap(padded(seen, -20), box)) return;
  look(stage, { ...stage.view, x: w / 2 - (box.x + box.w / 2) * stage.view.k, y: h / 2 - (box.y + box.h / 2) * stage.view.k });
}

/** A pointer's place on the canvas, in screen pixels from its top-left corner.
 * @param {Stage} stage @param {{ clientX: number, clientY: number }} event @returns {Point} */
export function pointOf(stage, event) {
  const { left, top } = stage.host.getBoundingClientRect();
  return [event.clientX - left, event.clientY - top];
}

/** Say something short at the foot of the canvas, aloud to a screen reader, for a few seconds.
 * @param {Stage} stage @param {string} text */
export function say(stage, text) {
  clearTimeout(stage.quiet);
  stage.status.textContent = text;
  stage.status.classList.add("speaking");
  stage.quiet = window.setTimeout(() => stage.status.classList.remove("speaking"), 4000);
}

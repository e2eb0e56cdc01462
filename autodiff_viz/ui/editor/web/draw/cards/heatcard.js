// @ts-check
// Draw the card of a node whose value is a tensor: its shape, the heat-maps of the value and of the arriving
// cotangent side by side, and their norms below; with less space one below the other, each beside its norm.

import { svg } from "../../../../web/dom.js";
import { PICTURED } from "../geometry.js";
import { imageOf } from "./heat.js";

/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../text/levels.js").Level} Level */
/** @typedef {"value" | "cotangent"} Which */
/** @typedef {Record<Which, { image: SVGGraphicsElement, frame: SVGGraphicsElement }>} Pictures */

const SIDE = 11; // px, margin left and right
const GAP = 8; // px between the pictures
const TOP = 54; // px from the card's top
const ROOM = 50; // px of height for a picture
const FOOT = 9; // px below the norms
const CELL = 15; // px of a cell, at most
export const THUMB = 40; // px, width of a picture beside its norm
const WORDS = { value: ["blue", "grey"], cotangent: ["orange", "teal"], tangent: ["purple", "slate"] };

/** The tensor that a picture shows: in forward mode the tangent stands in the value's place. @param {GraphNode} node @param {Which} which */
export const shownAt = ({ tangent }, which) => (which === "value" && tangent !== undefined ? "tangent" : which);

/** Width in px of either picture. @param {number} w of the card */
export const halfOf = (w) => (w - 2 * SIDE - GAP) / 2;

/** The right end and the baseline of a norm. @param {GraphNode} node @param {Which} which */
export const normAt = ({ w, h }, which) => ({ x: which === "value" ? SIDE + halfOf(w) : w - SIDE, y: h - FOOT });

/** @returns {Pictures} */
export function makePictures() {
  const make = () => ({
    image: svg("image", { class: "heat", preserveAspectRatio: "none", "image-rendering": "pixelated" }),
    frame: svg("rect", { class: "heat-frame", rx: 1.5 }),
  });
  return { value: make(), cotangent: make() };
}

/** The shape, and arrows before the two norms. @param {GraphNode} node @param {Level} level */
export function heatParts({ w, h, shape }, level) {
  if (level.detail !== "near") return [];
  const foot = h - FOOT;
  const back = SIDE + halfOf(w) + GAP;
  return [
    svg("text", { class: "shape middle", x: w / 2, y: TOP - 7 }, shape ?? ""),
    svg("path", { class: "forth", d: `M${SIDE} ${foot - 9}l5.5 4-5.5 4z` }),
    svg("path", { class: "back", d: `M${back + 5.5} ${foot - 9}l-5.5 4 5.5 4z` }),
  ];
}

/** @param {Pictures} pictures @param {GraphNode} node @param {Level} level */
export function paintPictures(pictures, node, level) {
  const { heat } = node;
  for (const which of /** @type {Which[]} */ (["value", "cotangent"])) {
    const { image, frame } = pictures[which];
    const cells = heat?.[shownAt(node, which)] ?? "";
    const columns = heat?.columns ?? 1;
    const room = roomAt(node, which, level);
    const size = sizeOfPicture(cells.length / columns, columns, room);
    const box = { x: room.x + (room.w - size.w) / 2, y: room.y + (room.h - size.h) / 2, width: size.w, height: size.h };
    for (const [name, px] of Object.entries(box)) for (const part of [image, frame]) part.setAttribute(name, px.toFixed(1));
    for (const part of [image, frame]) part.style.display = cells ? "" : "none";
    if (cells) image.setAttribute("href", imageOf(cells, columns, shownAt(node, which)));
  }
}

/** The room for a picture. @param {GraphNode} node @param {Which} which @param {Level} level @returns {import("../../types.js").Box} */
function roomAt({ w, h }, which, { detail, text }) {
  if (detail === "near") {
    const half = halfOf(w);
    return { x: which === "value" ? SIDE : SIDE + half + GAP, y: TOP, w: half, h: ROOM + Math.max(0, h - PICTURED.h) };
  }
  const head = 0.75 * text + 10; // the line of sign and name
  const row = (h - head - 4) / 2;
  return { x: 6, y: head + (which === "value" ? 2 : row + 2), w: THUMB, h: row - 4 };
}

/** Size of a picture with square cells, or as nearly square as the room allows.
 * @param {number} rows @param {number} columns
 * @param {{ w: number, h: number }} room */
export function sizeOfPicture(rows, columns, room) {
  const side = Math.min(room.w / columns, room.h / rows, CELL);
  const across = (/** @type {number} */ count, /** @type {number} */ most) => // a few long rows would be a thin line
    Math.max(count * side, Math.min(2.5 * count * side, count * CELL, 0.45 * most));
  return { w: across(columns, room.w), h: across(rows, room.h) };
}

/** Meaning of the colours of a picture, for the card's tooltip. @param {GraphNode} node @param {Which | "tangent"} which */
export function scaleSays(node, which) {
  const { heat } = node;
  if (!heat?.[which]) return "";
  const [plus, minus] = WORDS[which];
  const top = heat[`${which}Top`];
  const odd = /[9+/]/.test(heat[which] ?? "") ? "; \u00d7 is NaN, arrows are infinities" : "";
  return top === "0" ? " (all 0)" : ` (${plus} to ${top}, ${minus} to \u2212${top}${odd})`;
}

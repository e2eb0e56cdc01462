// @ts-check
// Draw the card of a node whose value is a tensor: its shape, the heat-maps of the value and of the arriving
// cotangent side by side, and their norms below; with less space one below the other, each beside its norm.

import { shared } from "../../base/constants.js";
import { svg } from "../../base/dom.js";
import { PICTURED } from "../state/geometry.js";

// The heat-map as an image: the cells that display/heatmap.py encodes, one character each, become pixels.
// Zero is transparent, so that the image fits any theme.

/** @typedef {"value" | "cotangent" | "tangent"} Which */
/**
 * @typedef {object} Pixels
 * @property {number} width
 * @property {number} height
 * @property {Uint8ClampedArray} data four bytes each: red, green, blue, opacity
 */

const { alphabet: ALPHABET, shades: SHADES, marks: FIRST_MARK, inks: INKS } = shared.heat; // marks: first place of the cells that are not finite
const MARKED = 5; // px of a cell in an image with marks; else 1
const MARK = [226, 50, 59]; // colour of cells that are not finite

/** A cross for NaN; arrows up and down for the infinities. */
const MARKS = [
  ["x...x", ".x.x.", "..x..", ".x.x.", "x...x"],
  ["..x..", ".xxx.", "x.x.x", "..x..", "..x.."],
  ["..x..", "..x..", "x.x.x", ".xxx.", "..x.."],
];

/** @type {Map<string, string>} */
const made = new Map();
const KEPT = 2000; // images

/** @param {string} cells @param {number} columns @param {Which} kind @returns {string} a data: address of a PNG, which the browser writes */
export function imageOf(cells, columns, kind) {
  const key = `${kind} ${columns} ${cells}`;
  const drawn = made.get(key);
  if (drawn) return drawn;
  if (made.size >= KEPT) made.clear();
  const { width, height, data } = pixelsOf(cells, columns, kind);
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas
    .getContext("2d")
    ?.putImageData(new ImageData(/** @type {any} */ (data), width, height), 0, 0);
  const image = canvas.toDataURL();
  made.set(key, image);
  return image;
}

/** The image's pixels. Pure. @param {string} cells @param {number} columns @param {Which} kind @returns {Pixels} */
export function pixelsOf(cells, columns, kind) {
  const places = [...cells].map((letter) => ALPHABET.indexOf(letter));
  const side = places.some((place) => place >= FIRST_MARK) ? MARKED : 1;
  const [width, height] = [columns * side, (places.length / columns) * side];
  const data = new Uint8ClampedArray(4 * width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const place = places[Math.floor(y / side) * columns + Math.floor(x / side)];
      // Around the mark of a NaN or an infinity is the colour of 0.
      const isAround =
        place >= FIRST_MARK && MARKS[place - FIRST_MARK][y % MARKED][x % MARKED] !== "x";
      data.set(colourOf(isAround ? SHADES : place, kind), 4 * (y * width + x));
    }
  return { width, height, data };
}

/** The colour of a place, by a concave scale, so that small numbers are visible.
 * @param {number} place @param {Which} kind */
function colourOf(place, kind) {
  const [plus, minus] = INKS[kind];
  if (place >= FIRST_MARK) return [...MARK, 255];
  return [...(place > SHADES ? plus : minus), 255 * (Math.abs(place - SHADES) / SHADES) ** 0.8];
}

/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("./levels.js").Level} Level */
/** @typedef {"value" | "cotangent"} Pictured */
/** @typedef {Record<Pictured, { image: SVGGraphicsElement, frame: SVGGraphicsElement }>} Pictures */

const SIDE = 11; // px, margin left and right
const GAP = 8; // px between the pictures
const TOP = 54; // px from the card's top
const ROOM = 50; // px of height for a picture
const FOOT = 9; // px below the norms
const CELL = 15; // px of a cell, at most
export const THUMB = 40; // px, width of a picture beside its norm
const WORDS = {
  value: ["blue", "grey"],
  cotangent: ["orange", "teal"],
  tangent: ["purple", "slate"],
};

/** The tensor that a picture shows: in forward mode the tangent stands in the value's place. @param {GraphNode} node @param {Pictured} which */
export const shownAt = ({ tangent }, which) =>
  which === "value" && tangent !== undefined ? "tangent" : which;

/** Width in px of either picture. @param {number} w of the card */
export const halfOf = (w) => (w - 2 * SIDE - GAP) / 2;

/** The right end and the baseline of a norm. @param {GraphNode} node @param {Pictured} which */
export const normAt = ({ w, h }, which) => ({
  x: which === "value" ? SIDE + halfOf(w) : w - SIDE,
  y: h - FOOT,
});

/** @returns {Pictures} */
export function makePictures() {
  const make = () => ({
    image: svg("image", {
      class: "heat",
      preserveAspectRatio: "none",
      "image-rendering": "pixelated",
    }),
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
  for (const which of /** @type {Pictured[]} */ (["value", "cotangent"])) {
    const { image, frame } = pictures[which];
    const cells = heat?.[shownAt(node, which)] ?? "";
    const columns = heat?.columns ?? 1;
    const room = roomAt(node, which, level);
    const size = sizeOfPicture(cells.length / columns, columns, room);
    const box = {
      x: room.x + (room.w - size.w) / 2,
      y: room.y + (room.h - size.h) / 2,
      width: size.w,
      height: size.h,
    };
    for (const [name, px] of Object.entries(box))
      for (const part of [image, frame]) part.setAttribute(name, px.toFixed(1));
    for (const part of [image, frame]) part.style.display = cells ? "" : "none";
    if (cells) image.setAttribute("href", imageOf(cells, columns, shownAt(node, which)));
  }
}

/** The room for a picture. @param {GraphNode} node @param {Pictured} which @param {Level} level @returns {import("../../types.js").Box} */
function roomAt({ w, h }, which, { detail, text }) {
  if (detail === "near") {
    const half = halfOf(w);
    return {
      x: which === "value" ? SIDE : SIDE + half + GAP,
      y: TOP,
      w: half,
      h: ROOM + Math.max(0, h - PICTURED.h),
    };
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
  const across = (/** @type {number} */ count, /** @type {number} */ most) =>
    // a few long rows would be a thin line
    Math.max(count * side, Math.min(2.5 * count * side, count * CELL, 0.45 * most));
  return { w: across(columns, room.w), h: across(rows, room.h) };
}

/** Meaning of the colours of a picture, for the card's tooltip. @param {GraphNode} node @param {Pictured | "tangent"} which */
export function scaleSays(node, which) {
  const { heat } = node;
  if (!heat?.[which]) return "";
  const [plus, minus] = WORDS[which];
  const top = heat[`${which}Top`];
  const odd = /[9+/]/.test(heat[which] ?? "") ? "; \u00d7 is NaN, arrows are infinities" : "";
  return top === "0" ? " (all 0)" : ` (${plus} to ${top}, ${minus} to \u2212${top}${odd})`;
}

// @ts-check
// Paint the heat-map of a tensor as an image: the cells that views/canvas/heatmap.py encodes, one character
// each, become pixels. Zero is transparent, so that the image fits any theme.

import { shared } from "../../../../web/constants.js";

/** @typedef {"value" | "cotangent" | "tangent"} Which */
/** @typedef {{ width: number, height: number, data: Uint8ClampedArray }} Pixels  four bytes each: red, green, blue, opacity */

const { alphabet: ALPHABET, shades: SHADES, marks: FIRST_MARK, inks: INKS } = shared.heat; // marks: first place of the cells that are not finite
const SIDE = 5; // px of a cell in an image with marks; else 1
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
  const found = made.get(key);
  if (found) return found;
  if (made.size >= KEPT) made.clear();
  const { width, height, data } = pixelsOf(cells, columns, kind);
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d")?.putImageData(new ImageData(/** @type {any} */ (data), width, height), 0, 0);
  const image = canvas.toDataURL();
  made.set(key, image);
  return image;
}

/** The image's pixels. Pure. @param {string} cells @param {number} columns @param {Which} kind @returns {Pixels} */
export function pixelsOf(cells, columns, kind) {
  const places = [...cells].map((letter) => ALPHABET.indexOf(letter));
  const side = places.some((place) => place >= FIRST_MARK) ? SIDE : 1;
  const [width, height] = [columns * side, (places.length / columns) * side];
  const data = new Uint8ClampedArray(4 * width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const place = places[Math.floor(y / side) * columns + Math.floor(x / side)];
    data.set(colourOf(seenAt(place, x % SIDE, y % SIDE), kind), 4 * (y * width + x));
  }
  return { width, height, data };
}

/** The place whose colour a pixel has; around a mark, that of 0.
 * @param {number} place @param {number} x @param {number} y in the cell */
const seenAt = (place, x, y) => (place < FIRST_MARK || MARKS[place - FIRST_MARK][y][x] === "x" ? place : SHADES);

/** The colour of a place, by a concave scale, so that small numbers are visible.
 * @param {number} place @param {Which} kind */
function colourOf(place, kind) {
  const [plus, minus] = INKS[kind];
  if (place >= FIRST_MARK) return [...MARK, 255];
  return [...(place > SHADES ? plus : minus), 255 * (Math.abs(place - SHADES) / SHADES) ** 0.8];
}

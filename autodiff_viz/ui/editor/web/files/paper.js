// @ts-check
// Write the styles, colours and size of a picture file, as text and numbers. No DOM.

import { shared } from "../../../web/constants.js";

/** Style properties that a picture keeps, by kind of element; the others have no meaning outside the page. */
export const KEPT = {
  shape: ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "paint-order"],
  text: ["font-size", "font-weight", "text-anchor"],
};

/** SVG's defaults. @type {Record<string, string>} */
const USUAL = {
  stroke: "none", "stroke-dasharray": "none", "stroke-linecap": "butt", "stroke-linejoin": "miter", "paint-order": "normal",
  "font-weight": "400", "text-anchor": "start",
};

/** Classes of transient states, which a picture does not show. */
export const PASSING = [
  "selected", "hovered", "near", "refused", "lit", "to-cause", "is-cause", "along", "faint", "caught", "loop", "culled", "fits", "unfit",
  "dragging", "sliding", "parts", "underflows", "overflows", "pointed", "to-pointed",
];

/** SVG attributes equivalent to `styles`, for any viewer. Colours are given as [#rrggbb, opacity].
 * @param {Record<string, string>} styles computed @param {(color: string) => [string, number]} plain
 * @returns {Record<string, string>} */
export function attributesOf(styles, plain) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const [name, value] of Object.entries(styles)) {
    if (USUAL[name] === value || (styles.stroke === "none" && /^(stroke-|paint-order)/.test(name))) continue;
    if (name === "fill" || name === "stroke") Object.assign(found, paint(name, value, plain));
    else found[name] = /^-?[\d.]+px$/.test(value) ? value.slice(0, -2) : value;
  }
  return found;
}

/** @param {string} name @param {string} value @param {(color: string) => [string, number]} plain
 * @returns {Record<string, string>} */
function paint(name, value, plain) {
  if (value === "none") return { [name]: value };
  const [color, opacity] = plain(value);
  if (opacity === 0) return { [name]: "none" };
  return { [name]: color, ...(opacity < 1 ? { [`${name}-opacity`]: opacity.toFixed(3) } : {}) };
}

/** Red, green, blue and opacity, 0 to 255 each, as SVG attributes for any viewer.
 * @param {Iterable<number>} pixel @returns {[string, number]} */
export const colorOf = ([r, g, b, a]) =>
  [`#${[r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("")}`, a / 255];

/** The page's font, followed by fonts that every machine has.
 * @param {string} family computed */
export function fontStack(family) {
  const names = family.split(",").map((name) => name.trim().replace(/["']/g, "")).filter(Boolean);
  const more = ["Segoe UI", "Helvetica Neue", "Arial", "sans-serif"];
  const generic = new Set(["sans-serif", "serif", "monospace"]);
  const all = [...new Set([...names.filter((name) => !generic.has(name)), ...more])];
  return all.map((name) => (generic.has(name) ? name : `'${name}'`)).join(", ");
}

const MOST_SIDE = 8192; // px; browsers refuse larger bitmaps
const MOST_PIXELS = 32e6;

/** Bitmap pixels per pixel of the graph: two, or as many as fit into a bitmap.
 * @param {number} w @param {number} h */
export const sharpness = (w, h) => Math.min(2, MOST_SIDE / w, MOST_SIDE / h, Math.sqrt(MOST_PIXELS / (w * h)));

/** Most characters of a document. */
export const MOST_TEXT = shared.limits.document;

/** Whether a pasted text is a document to open in place of the graph: a link to a graph, or a graph's JSON.
 * @param {string} text */
export function isDocument(text) {
  const trimmed = text.trim();
  if (/^\S*[?&]g=[\w-]+\S*$/.test(trimmed)) return true;
  return trimmed.startsWith("{") && /"autodiff_viz"\s*:/.test(trimmed.slice(0, 200));
}

// @ts-check
// Export the graph as a picture file: the canvas's own drawing, seen from near, with all styles inlined. It
// needs no style sheet and no other resource, and text stays text.

import { html, svg } from "../../base/dom.js";
import { NEAR } from "../draw/levels.js";
import { relevel, showAll } from "../draw/stage.js";
import { padded } from "../state/geometry.js";
import { fontStyle } from "./webfont.js";

// Styles, colours and size of a picture file, as text and numbers.

/** Style properties that a picture keeps, by kind of element; the others have no meaning outside the page. */
export const KEPT = {
  shape: [
    "fill",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "paint-order",
  ],
  text: ["font-size", "font-weight", "text-anchor"],
};

/** SVG's defaults. @type {Record<string, string>} */
const USUAL = {
  stroke: "none",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  "paint-order": "normal",
  "font-weight": "400",
  "text-anchor": "start",
};

/** Classes of transient states, which a picture does not show. */
export const PASSING = [
  "selected",
  "hovered",
  "near",
  "refused",
  "lit",
  "to-cause",
  "is-cause",
  "along",
  "faint",
  "caught",
  "loop",
  "culled",
  "fits",
  "unfit",
  "dragging",
  "sliding",
  "parts",
  "underflows",
  "overflows",
  "pointed",
  "to-pointed",
];

/** SVG attributes equivalent to `styles`, for any viewer. Colours are given as [#rrggbb, opacity].
 * @param {Record<string, string>} styles computed @param {(color: string) => [string, number]} plain
 * @returns {Record<string, string>} */
export function attributesOf(styles, plain) {
  /** @type {Record<string, string>} */
  const attributes = {};
  for (const [name, value] of Object.entries(styles)) {
    if (USUAL[name] === value || (styles.stroke === "none" && /^(stroke-|paint-order)/.test(name)))
      continue;
    if (name === "fill" || name === "stroke") Object.assign(attributes, paint(name, value, plain));
    else attributes[name] = /^-?[\d.]+px$/.test(value) ? value.slice(0, -2) : value;
  }
  return attributes;
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
export const colorOf = ([r, g, b, a]) => [
  `#${[r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("")}`,
  a / 255,
];

/** The page's font, followed by fonts that every machine has.
 * @param {string} family computed */
export function fontStack(family) {
  const names = family
    .split(",")
    .map((name) => name.trim().replace(/["']/g, ""))
    .filter(Boolean);
  const more = ["Segoe UI", "Helvetica Neue", "Arial", "sans-serif"];
  const generic = new Set(["sans-serif", "serif", "monospace"]);
  const all = [...new Set([...names.filter((name) => !generic.has(name)), ...more])];
  return all.map((name) => (generic.has(name) ? name : `'${name}'`)).join(", ");
}

const MOST_SIDE = 8192; // px; browsers refuse larger bitmaps
const MOST_PIXELS = 32e6;

/** Bitmap pixels per pixel of the graph: two, or as many as fit into a bitmap.
 * @param {number} w @param {number} h */
export const sharpness = (w, h) =>
  Math.min(2, MOST_SIDE / w, MOST_SIDE / h, Math.sqrt(MOST_PIXELS / (w * h)));

/** @typedef {import("../draw/stage.js").Stage} Stage */
/**
 * @typedef {object} Picture
 * @property {string} text
 * @property {number} w
 * @property {number} h
 * @property {string} family
 */

const MARGIN = 24; // px round the graph
const SHAPES = "path,rect,circle,line,ellipse,polygon,text";
const UNSEEN = ".hit,.target,.editable,.remove,.more";
const MASKS = "mask, defs, clipPath"; // they paint nothing themselves

/** @typedef {{ of: string, node: string, slot?: number | null }} Asked what a question is about */

/** @param {Stage} stage @param {boolean} paper on white, whatever the page's theme
 * @param {Asked[] | null} asked what has a "?" in place of its number; null with all numbers and the visitor's own answers
 * @returns {Picture} */
export function pictureOf(stage, paper, asked) {
  const { level } = stage;
  // A picture has all nodes with all details, whatever is in view and from how far.
  relevel(stage, NEAR);
  showAll(stage, NEAR);
  const copy = copyOf(stage, paper, asked);
  /** @type {Node} */ (stage.host.parentNode).appendChild(copy);
  try {
    return written(copy, padded(stage.content ?? { x: 0, y: 0, w: 1, h: 1 }, MARGIN));
  } finally {
    copy.remove();
    relevel(stage, level);
  }
}

/** A hidden copy of the drawing with nothing selected and all details.
 * @param {Stage} stage @param {boolean} paper @param {Asked[] | null} asked */
function copyOf({ layers, strands }, paper, asked) {
  const copy = html("div", {
    class: `canvas unshown${paper ? " paper" : ""}`,
    "data-detail": "near",
    "aria-hidden": "true",
  });
  const kept = [layers.regions, layers.wires, layers.tabs, layers.numbers, layers.nodes];
  const world = svg("g", {}, ...kept.map((layer) => layer.cloneNode(true)));
  copy.append(svg("svg", { class: "leaf" }, world));
  if (asked) for (const chip of copy.querySelectorAll(".chip.guess")) chip.remove();
  for (const { of, node, slot } of asked ?? []) {
    const passed = strands.get(`${node}:${slot}`)?.number;
    const number =
      of === "passed"
        ? passed && world.children[kept.indexOf(layers.numbers)].children[placeIn(passed)]
        : copy.querySelector(`[data-id="${CSS.escape(node)}"] .number.${of}`);
    if (number) number.textContent = "?";
  }
  for (const element of copy.querySelectorAll("[class]")) element.classList.remove(...PASSING);
  for (const element of copy.querySelectorAll("[style*=display]"))
    /** @type {HTMLElement} */ (element).style.display = "";
  return copy;
}

/** @param {Element} element among its siblings */
const placeIn = (element) => [...(element.parentElement?.children ?? [])].indexOf(element);

/** @param {HTMLElement} copy @param {import("../../types.js").Box} box @returns {Picture} */
function written(copy, box) {
  const plain = painter();
  const world = /** @type {Element} */ (copy.querySelector("svg > g"));
  const family = fontStack(getComputedStyle(copy).fontFamily);
  const [ground] = plain(getComputedStyle(copy).backgroundColor); // white on paper: menu.css
  const shapes = [...world.querySelectorAll(SHAPES)].filter((element) => !element.closest(MASKS));
  const looks = shapes.map((element) => lookOf(element, plain)); // all are read before the first write, which would force a layout
  for (const [i, look] of looks.entries())
    if (look) write(shapes[i], look);
    else shapes[i].remove();
  for (const group of world.querySelectorAll("g")) if (!group.querySelector(SHAPES)) group.remove();
  for (const element of [world, ...world.querySelectorAll("*")]) strip(element);
  const size = { width: Math.ceil(box.w), height: Math.ceil(box.h) };
  const root = svg(
    "svg",
    {
      ...size,
      viewBox: [box.x, box.y, box.w, box.h].map((part) => part.toFixed(1)).join(" "),
      "font-family": family,
      role: "img",
    },
    svg("title", {}, "Computation graph"),
    svg("rect", { x: box.x, y: box.y, width: box.w, height: box.h, fill: ground }),
    world,
  );
  return {
    text: new XMLSerializer().serializeToString(root),
    w: size.width,
    h: size.height,
    family,
  };
}

/** @param {Element} element @param {(color: string) => [string, number]} plain
 * @returns {Record<string, string> | null} null for what is not seen */
function lookOf(element, plain) {
  if (element.matches(UNSEEN) || !element.getClientRects().length) return null;
  const style = getComputedStyle(element);
  const opacity = opacityOf(element);
  if (opacity === 0 || style.visibility === "collapse") return null;
  const isText = element.tagName === "text";
  const names = isText ? [...KEPT.shape, ...KEPT.text] : KEPT.shape;
  const look = attributesOf(
    Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name)])),
    plain,
  );
  if (opacity < 1) look.opacity = opacity.toFixed(3);
  if (isText && (element.textContent ?? "").length > 1) {
    // so that another font does not need more room
    look.textLength = /** @type {SVGTextContentElement} */ (element)
      .getComputedTextLength()
      .toFixed(1);
    look.lengthAdjust = "spacingAndGlyphs";
  }
  return look;
}

/** The product of the opacities of an element and its ancestors. @param {Element} element */
function opacityOf(element) {
  let opacity = 1;
  for (
    let at = /** @type {Element | null} */ (element);
    at && at.tagName !== "svg";
    at = at.parentElement
  ) {
    opacity *= Number(getComputedStyle(at).opacity);
  }
  return opacity;
}

/** @param {Element} element @param {Record<string, string>} look */
function write(element, look) {
  for (const [name, value] of Object.entries(look)) element.setAttribute(name, value);
}

/** Remove attributes that only the page needs. @param {Element} element */
function strip(element) {
  for (const { name } of [...element.attributes]) {
    if (/^(class|style|role|tabindex|aria-|data-)/.test(name)) element.removeAttribute(name);
  }
}

/** Convert any CSS colour to #rrggbb and opacity, the only form that older viewers read.
 * @returns {(color: string) => [string, number]} */
function painter() {
  const pen = /** @type {CanvasRenderingContext2D} */ (
    Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", {
      willReadFrequently: true,
    })
  );
  /** @type {Map<string, [string, number]>} */
  const known = new Map();
  return (color) => {
    const plain = known.get(color) ?? dab(pen, color);
    known.set(color, plain);
    return plain;
  };
}

/** @param {CanvasRenderingContext2D} pen @param {string} color @returns {[string, number]} */
function dab(pen, color) {
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = color;
  pen.fillRect(0, 0, 1, 1);
  return colorOf(pen.getImageData(0, 0, 1, 1).data);
}

/** A bitmap of a picture, with the page's font. @param {Picture} picture @returns {Promise<Blob>} */
export const bitmapOf = async ({ text, w, h, family }) => {
  const style = `<style>${await fontStyle(family)}</style>`;
  const image = new Image(w, h);
  const address = URL.createObjectURL(
    new Blob([text.replace("</title>", `</title>${style}`)], { type: "image/svg+xml" }),
  );
  image.src = address;
  await image.decode();
  const scale = sharpness(w, h);
  const sheet = Object.assign(document.createElement("canvas"), {
    width: Math.round(w * scale),
    height: Math.round(h * scale),
  });
  /** @type {CanvasRenderingContext2D} */ (sheet.getContext("2d")).drawImage(
    image,
    0,
    0,
    sheet.width,
    sheet.height,
  );
  URL.revokeObjectURL(address);
  return new Promise((keep, fail) =>
    sheet.toBlob((blob) => (blob ? keep(blob) : fail(new Error("no bitmap"))), "image/png"),
  );
};

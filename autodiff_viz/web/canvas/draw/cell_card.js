// @ts-check
// Draw the card of a node with a small tensor: its numbers and those of the arriving cotangent in cells, on
// the colours of their heat-maps.

import { shared } from "../../base/constants.js";
import { svg } from "../../base/dom.js";
import { fitting, isNegative, scalar, textWidth } from "../../base/numbers.js";
import { gridOf } from "../state/geometry.js";
import { rows as baselines } from "./face.js";
import { imageOf, shownAt } from "./heat_card.js";
import { isBare } from "./levels.js";

/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").Box} Box */
/** @typedef {import("./levels.js").Level} Level */
/** @typedef {"value" | "cotangent"} Which */
/**
 * @typedef {object} Block
 * @property {SVGGraphicsElement[]} texts
 * @property {SVGGraphicsElement} image
 * @property {number} size px of the font
 * @property {number} room px for a number
 */
/** @typedef {Record<Which, Block>} Cells */

const { head: HEAD, line: LINE, beside: BESIDE } = shared.cells;
const SIDE = { near: 11, else: 7 }; // px, margin left and right
const TOP = 40; // px from the card's top
const APART = { x: 8, y: 5 }; // px between value and cotangent
const FONT = 13; // px
const BOLD = 1.06; // width of semi-bold letters
const LEAST = textWidth("0.91", 1) * BOLD; // of the font's size: two digits and a point
const FLAT = 0.85; // height of a line of numbers, of the font's size

/** @typedef {import("../../base/numbers.js").Num} Num */

const DIGITS = 3; // of a number in a cell with room for it

/** Whether all numbers of the cells are known. @param {GraphNode} node */
export const isWritten = ({ heat, numbers = {}, dims = [] }) =>
  Boolean(heat && gridOf(dims)) && Object.values(numbers).some((num) => num && num.kind > 0);

/** The cells of both tensors; null where their numbers have no room.
 * @param {GraphNode} node @param {Level} level @returns {Cells | null} */
export function makeCells(node, level) {
  const grid = gridOf(node.dims ?? []);
  if (!grid || !isWritten(node)) return null;
  const size = Math.max(FONT, level.number);
  const boxes = {
    value: boxOf(node, grid, "value", level),
    cotangent: boxOf(node, grid, "cotangent", level),
  };
  const room = boxes.value.w / grid[1];
  if (
    isBare(level) ||
    room < LEAST * size ||
    (grid[0] > 1 && (level.detail !== "near" || LINE < FLAT * size))
  )
    return null;
  const block = (/** @type {Which} */ which) => ({
    ...blockIn(boxes[which], grid, which, size),
    size,
    room,
  });
  return { value: block("value"), cotangent: block("cotangent") };
}

/** @param {GraphNode} node @param {[number, number]} grid @param {Which} which @param {Level} level @returns {Box} */
function boxOf(node, [rows, columns], which, level) {
  const { w, h } = node;
  const side = level.detail === "near" ? SIDE.near : SIDE.else;
  const back = which === "cotangent";
  if (rows === 1) {
    const size = Math.max(FONT, level.number);
    return {
      x: side,
      y: baselines(node, level)[back ? 1 : 0] - 0.98 * size,
      w: w - 2 * side,
      h: 1.3 * size,
    };
  }
  const beside = columns <= BESIDE;
  const [wide, tall] = [beside ? (w - 2 * side - APART.x) / 2 : w - 2 * side, LINE * rows];
  const spare = Math.max(0, h - HEAD - (beside ? tall : 2 * tall)) / 2;
  return {
    x: back && beside ? side + wide + APART.x : side,
    y: TOP + spare + (back && !beside ? tall + APART.y : 0),
    w: wide,
    h: tall,
  };
}

/** @param {Box} box @param {[number, number]} grid @param {Which} which @param {number} size */
function blockIn({ x, y, w, h }, [rows, columns], which, size) {
  const image = svg("image", {
    class: "heat pale",
    preserveAspectRatio: "none",
    "image-rendering": "pixelated",
    x,
    y,
    width: w,
    height: h,
  });
  const [wide, tall] = [w / columns, h / rows];
  const texts = Array.from({ length: rows * columns }, (_, i) => {
    const text = svg("text", {
      class: `cell ${which === "value" ? "forth-cell" : "back-cell"}`,
      "data-at": rows === 1 ? `${i}` : `${Math.floor(i / columns)}, ${i % columns}`,
      x: (x + wide * ((i % columns) + 0.5)).toFixed(1),
      y: (y + tall * (Math.floor(i / columns) + 0.5) + 0.35 * size).toFixed(1), // of the foot of a digit in the cell's middle
    });
    text.style.setProperty("--size", `${size.toFixed(1)}px`);
    return text;
  });
  return { image, texts };
}

/** The elements of all cells. @param {Cells} cells */
export const cellParts = (cells) =>
  [cells.value, cells.cotangent].flatMap(({ image, texts }) => [image, ...texts]);

/** @param {Cells} cells @param {GraphNode} node */
export function writeCells(cells, node) {
  const { heat, connected } = node;
  for (const which of /** @type {Which[]} */ (["value", "cotangent"])) {
    const { image } = cells[which];
    const shown = shownAt(node, which);
    const shades = (which === "value" || connected) && heat?.[shown];
    if (shades) image.setAttribute("href", imageOf(shades, heat?.columns ?? 1, shown));
    else image.removeAttribute("href");
    writeBlock(cells[which], shades ? node.numbers?.[shown] : undefined);
  }
}

/** A number for a cell: a small one that does not fit is about 0.
 * @param {Num} num @param {number} room */
function fittingCell(num, room) {
  const whole = scalar(num.numbers[0], DIGITS);
  const text = fitting(whole, num, room);
  return text.endsWith("\u2026") && whole.includes(`e${shared.minus}`) ? "\u22480" : text;
}

/** @param {Block} block @param {Num | undefined} num of all cells; none: they have no numbers */
export function writeBlock({ texts, size, room }, num) {
  for (const [i, text] of texts.entries()) {
    const one = num && num.kind > i ? { kind: 0, numbers: [num.numbers[i]] } : undefined;
    const fits = one ? fittingCell(one, room / size / BOLD) : shared.nothing;
    if (text.textContent !== fits) text.textContent = fits;
    text.classList.toggle("negative", isNegative(fits));
  }
}

// @ts-check
// Draw what a visitor has answered beside the number that it was about, where it covers no card, no number and no chip.

import { svg } from "../../base/dom.js";
import { shortened, textWidth } from "../../base/numbers.js";
import { distance, freeBeside, isWithin } from "../state/beside.js";
import { padded } from "../state/geometry.js";
import { textsOf } from "./cards.js";
import { crossingsOf, numberBox } from "./wires.js";

/** @typedef {import("../../types.js").Box} Box */
/** @typedef {import("./levels.js").Level} Level */

const FONT = 11.5; // px
const BOLD = 1.12; // width of semi-bold letters over its estimate, also where the browser rounds it to whole px
const TALL = 1.65; // height, of the font's size
const SIDES = 1.4; // px left and right of the text, of the font's size
const MOST = 16; // width of the text, of the font's size
const APART = 2; // px on the screen to what it must not cover
const LED = 0.8; // heights from which on a line leads to what it is about
const EDGE = 1; // px on the screen to the edge of the canvas

/** Draw what the visitor has answered about nodes and wires, after the numbers have their places.
 * @param {Map<string, import("./cards.js").Card>} cards @param {Map<string, import("./wires.js").Strand>} strands
 * @param {Box[]} obstacles what numbers must not cover @param {Level} level @param {number} k scale of the view
 * @param {Box | null} room the part of the drawing that is in view; null where that is not all of it
 * @returns {Box[]} their places */
export function placeGuesses(cards, strands, obstacles, level, k, room) {
  for (const entry of [...cards.values(), ...strands.values()]) {
    entry.guess?.remove();
    entry.guess = null;
  }
  const [nodes, wires] = [
    [...cards.values()].filter(({ node }) => node?.guess),
    [...strands.values()].filter(({ wire }) => wire?.guess),
  ];
  if (!nodes.length && !wires.length) return [];
  const covers = [
    ...obstacles,
    ...[...cards.values()].flatMap(({ node }) => (node ? textsOf(node, level) : [])),
    ...[...strands.values()].map(numberBox).filter(({ w }) => w),
  ];
  const crossings = crossingsOf([...strands.values()].map(({ curve }) => curve));
  const seen = room && padded(room, -EDGE / k);
  /** @type {Box[]} */
  const places = [];
  const boxes = [...cards.values()].flatMap(({ node }) => node ?? []);
  const place = (
    /** @type {string} */ text,
    /** @type {Box} */ about,
    /** @type {Box[]} */ others,
  ) => {
    const spots = { covers: [...covers, ...places], others };
    const chip = guessChip(text, about, spots, crossings, level, k, seen);
    places.push(chip.box);
    return chip;
  };
  for (const card of nodes) {
    const node = /** @type {import("../../types.js").GraphNode} */ (card.node);
    card.guess = drawn(
      place(
        node.guess ?? "",
        node,
        boxes.filter((box) => box !== node),
      ),
      node.x,
      node.y,
    );
    card.root.append(card.guess);
  }
  for (const strand of wires) {
    strand.guess = drawn(place(strand.wire?.guess ?? "", numberBox(strand), boxes), 0, 0);
    strand.layer?.append(strand.guess);
  }
  return places;
}

/**
 * @typedef {object} Chip
 * @property {Box} box
 * @property {Box} about
 * @property {number} font px
 * @property {string} says
 */

/** A guess where it is free, in fewer words where it would reach out of view. @param {string} text @param {Box} about @param {{ covers: Box[], others: Box[] }} spots what it must
 * not cover, and what it is not about @param {(box: Box) => number} crossings
 * @param {Level} level @param {number} k scale of the view @param {Box | null} room @returns {Chip} */
function guessChip(text, about, { covers, others }, crossings, level, k, room) {
  const font = Math.max(FONT, level.text);
  const written = (/** @type {string} */ words) => {
    const says = shortened(words, MOST, 1);
    const size = { w: textWidth(says, font) * BOLD + SIDES * font, h: TALL * font };
    const box = freeBeside(about, size, covers, crossings, room, APART / k, others);
    return { box, about, font, says };
  };
  const whole = written(text);
  return room && !isWithin(room, whole.box) ? written(fewerWords(text)) : whole;
}

/** "you: 3" for "your answer: 3", as it is said of an answer below the graph. Pure. @param {string} text */
export const fewerWords = (text) => text.replace(/^your answer\b/, "you");

/** Draw a guess, with a line to what it is about where that is not near. @param {Chip} chip @param {number} left of what it is
 * drawn in @param {number} top */
function drawn({ box, about, font, says }, left, top) {
  const [x, y] = [box.x - left, box.y - top];
  const words = svg("text", { x: x + box.w / 2, y: y + box.h / 2 + 0.35 * font }, says);
  words.style.fontSize = `${font.toFixed(1)}px`;
  const led = distance(about, box) > LED * box.h;
  return svg(
    "g",
    { class: "chip guess" },
    ...(led ? [leader(about, box, left, top)] : []),
    svg("rect", { x, y, width: box.w, height: box.h, rx: box.h / 2 }),
    words,
  );
}

/** A line from one box to the other, between their nearest points. @param {Box} about @param {Box} box @param {number} left @param {number} top */
function leader(about, box, left, top) {
  const [[x1, x2], [y1, y2]] = [
    nearest(about.x, about.w, box.x, box.w),
    nearest(about.y, about.h, box.y, box.h),
  ];
  return svg("path", {
    class: "guess-line",
    d: `M${x1 - left} ${y1 - top}L${x2 - left} ${y2 - top}`,
  });
}

/** The nearest points of two intervals, the middle of what they share.
 * @param {number} a @param {number} long @param {number} b @param {number} wide @returns {[number, number]} */
function nearest(a, long, b, wide) {
  if (b > a + long) return [a + long, b];
  if (a > b + wide) return [a, b + wide];
  const middle = (Math.max(a, b) + Math.min(a + long, b + wide)) / 2;
  return [middle, middle];
}

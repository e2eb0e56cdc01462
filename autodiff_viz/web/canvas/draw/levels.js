// @ts-check
// Choose the level of detail: what a card says at a scale, and how large its text is in world pixels, so that
// no text on the screen is smaller than can be read. Pure.

/** @typedef {"near" | "middle" | "small" | "few" | "one" | "far" | "boxes"} Detail  a card with all that it says; without
 * marks; with its name or sign; with its numbers and its name above; with its numbers alone, those that have room, on a phone;
 * with its sign alone; without text */
/**
 * @typedef {object} Level
 * @property {Detail} detail
 * @property {number} text the least size of text in world px
 * @property {number} number the least size of numbers in world px
 * @property {number} unit the factor of marks that hold text
 */

/** Px on the screen of a small window, at least; numbers come first. */
export const LEAST = { text: 12, number: 13 };
const SIGN = 11; // px of a card's sign on a phone, where that is all but its numbers
const WINDOW = { w: 1280, h: 720, most: 18 / 13 }; // px at which these hold, and their factor in a window of 1920x1080
const USUAL = 11.5; // px of small text on a mark that is not enlarged

/** Detail from a scale on, which is that of a window of 1280x720; several steps, so that text is little larger than needed.
 * @type {[number, Detail][]} */
const STEPS = [
  [1.25, "near"],
  [1, "near"],
  [0.93, "near"],
  [0.86, "near"],
  [0.8, "near"],
  [0.74, "near"],
  [0.65, "middle"],
  [0.58, "middle"],
  [0.5, "small"],
  [0.42, "small"],
  [0.36, "few"],
  [0.3, "few"],
  [0.2, "far"],
  [0, "boxes"],
];

/** Least scale at which every node has its name, and at which it has its numbers; times `reading`. */
export const NAMED = 0.42;
export const NUMBERED = 0.3;
/** Least scale at which a node has a number on a phone, where a first view shows all of a graph. */
export const WHOLE = 0.17;

/** On a phone. @type {[number, Detail][]} */
const NARROW = [
  ...STEPS.filter(([at]) => at >= NUMBERED),
  ...[0.265, 0.24, 0.22, 0.2, 0.185, WHOLE].map(
    (at) => /** @type {[number, Detail]} */ ([at, "one"]),
  ),
  [0, "boxes"],
];
const DOT = 2; // factor of marks without text or sign

/** @param {[number, Detail]} step @returns {Level} */
function level([at, detail]) {
  const scale = Math.max(at, detail === "one" ? WHOLE : 0.2);
  const text = (detail === "one" ? SIGN : LEAST.text) / scale;
  return {
    detail,
    text,
    number: LEAST.number / scale,
    unit: detail === "one" ? DOT : Math.max(1, text / USUAL),
  };
}

const LEVELS = STEPS.map(level);
const NARROW_LEVELS = NARROW.map(
  (step) =>
    LEVELS[STEPS.findIndex(([at, detail]) => at === step[0] && detail === step[1])] ?? level(step),
);

/** That of a picture to take away, and of a canvas without a size. */
export const NEAR = LEVELS[1];

/** Factor of the least sizes in a window of this size. @param {{ w: number, h: number }} window
 * @param {number} [wished] px that all text shall have, for a projector; NaN for none */
export const readingOf = ({ w, h }, wished = NaN) =>
  Math.max(
    Math.min(Math.max(1, Math.min(w / WINDOW.w, h / WINDOW.h)), WINDOW.most),
    (wished || 0) / LEAST.text,
  );

/** The same object for all scales between two steps. @param {number} k @param {number} [reading] @param {boolean} [narrow] whether
 * the canvas is as narrow as a phone's @returns {Level} */
export function levelOf(k, reading = 1, narrow = false) {
  const reached = (/** @type {[number, Detail]} */ [at]) => k / reading >= at;
  return narrow ? NARROW_LEVELS[NARROW.findIndex(reached)] : LEVELS[STEPS.findIndex(reached)];
}

/** The level of what is read, also where it is not: numbers that are not visible are not shortened. @param {Level} level */
export const readableLevel = (level) => (isFar(level) ? NEAR : level);

/** Whether no number is read at this level. @param {Level} level */
export const isFar = ({ detail }) => detail === "far" || detail === "boxes";

/** Whether a card has its numbers, and neither sign nor picture. @param {Level} level */
export const isBare = ({ detail }) => detail === "few" || detail === "one";

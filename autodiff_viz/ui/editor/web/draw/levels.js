// @ts-check
// Level of detail: what a card says at a scale, and how large its text is in world pixels, so that no text on the
// screen is smaller than can be read. Pure.

/** @typedef {"near" | "middle" | "small" | "few" | "far" | "boxes"} Detail  a card with all that it says; without marks;
 * with its name or sign; with its numbers alone; with its sign alone; without text */
/** @typedef {{ detail: Detail, text: number, number: number, unit: number }} Level  the least sizes of text and numbers in
 * world px, and the factor of marks that hold text */

/** Px on the screen of a small window, at least; numbers come first. */
export const LEAST = { text: 11, number: 13 };
const WINDOW = { w: 1280, h: 720, most: 18 / 13 }; // px at which these hold, and their factor in a window of 1920x1080
const USUAL = 11.5; // px of small text on a mark that is not enlarged

/** Detail from a scale on, which is that of a window of 1280x720; several steps, so that text is little larger than needed.
 * @type {[number, Detail][]} */
const STEPS = [[1.25, "near"], [1, "near"], [0.93, "near"], [0.86, "near"], [0.8, "near"], [0.74, "near"], [0.65, "middle"], [0.58, "middle"], [0.5, "small"], [0.42, "small"], [0.36, "few"], [0.3, "few"], [0.2, "far"], [0, "boxes"]];

/** Least scale at which every node has its name, and at which it has its numbers; times `reading`. */
export const NAMED = 0.42;
export const NUMBERED = 0.3;

/** @type {Level[]} */
const LEVELS = STEPS.map(([at, detail]) => {
  const text = LEAST.text / Math.max(at, 0.2);
  return { detail, text, number: LEAST.number / Math.max(at, 0.2), unit: Math.max(1, text / USUAL) };
});

/** That of a picture to take away, and of a canvas without a size. */
export const NEAR = LEVELS[1];

/** Factor of the least sizes in a window of this size. @param {{ w: number, h: number }} window
 * @param {number} [wished] px that all text shall have, for a projector; NaN for none */
export const readingOf = ({ w, h }, wished = NaN) =>
  Math.max(Math.min(Math.max(1, Math.min(w / WINDOW.w, h / WINDOW.h)), WINDOW.most), (wished || 0) / LEAST.text);

/** The same object for all scales between two steps. @param {number} k @param {number} [reading] @returns {Level} */
export const levelOf = (k, reading = 1) => LEVELS[STEPS.findIndex(([at]) => k / reading >= at)];

/** The level of what is read, also where it is not: numbers that nobody sees are not shortened. @param {Level} level */
export const readable = (level) => (isFar(level) ? NEAR : level);

/** Whether no number is read at this level. @param {Level} level */
export const isFar = ({ detail }) => detail === "far" || detail === "boxes";

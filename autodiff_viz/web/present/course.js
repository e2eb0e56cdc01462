// @ts-check
// Choose the steps of a talk, what of it the audience sees, and which cards are too small for the last row. Pure.

import { NUMBERED } from "../canvas/draw/levels.js";

/** @typedef {import("../explain/play.js").Step} Step */
/** @typedef {import("../explain/play.js").Shown} Shown */
/** @typedef {import("../types.js").GraphNode} GraphNode */
/**
 * What lab/talk.py says of the visitor's tour, or of the open lesson.
 *
 * @typedef {object} Talk
 * @property {"tour" | "lesson"} of
 * @property {string} title
 * @property {string[]} steps titles
 * @property {number} at index of the present step
 * @property {string} caption
 * @property {string} said after the answers, to the audience too
 * @property {string} notes for the presenter alone
 */
/** @typedef {"node" | "phase" | "whole"} Grain how finely the pass is stepped through: one press for a node, a phase, or none */

/** @type {Grain[]} */
export const GRAINS = ["node", "phase", "whole"];
const MANY = 24; // steps of play; with more, a press goes on by a phase

/** How finely a pass is stepped through, if nobody has chosen: in a talk of several steps a remote has to get to the next.
 * @param {number} count of steps of the pass @param {number} steps of the talk @returns {Grain} */
export const usualGrain = (count, steps) => (count > MANY || steps > 1 ? "phase" : "node");

/** Whether the next press answers what is asked: before anything goes back, and before the next step.
 * @param {Step[]} steps @param {number | null} to the next rest of the play; null behind the last one */
export function answersNow(steps, to) {
  const turn = steps.findIndex(({ back }) => back);
  return to === null || (turn >= 0 && to > turn);
}

/** Where the play rests, as numbers of steps that are done. @param {Step[]} steps @param {Grain} grain @returns {number[]} */
export function stopsOf(steps, grain) {
  if (grain === "whole" || !steps.length) return [];
  if (grain === "node") return steps.map((_, i) => i + 1);
  const turn = steps.findIndex(({ back }) => back);
  return turn > 0 ? [turn, steps.length] : [steps.length];
}

/** The next rest; null behind the last one. @param {number[]} stops @param {number | null} at null: nothing is played */
export const stopAfter = (stops, at) => stops.find((stop) => stop > (at ?? 0)) ?? null;

/** The rest before; null before the first one. @param {number[]} stops @param {number | null} at */
export const stopBefore = (stops, at) =>
  at === null ? null : (stops.filter((stop) => stop < at).at(-1) ?? null);

// What is hidden.

/** What is shown with all cotangents hidden. @param {Shown | null} shown null for all numbers @param {string[]} names of all nodes @returns {Shown} */
export const veiled = (shown, names) => ({
  values: shown?.values ?? new Set(names),
  cotangents: new Set(),
  passed: new Set(),
  step: shown?.step ? { ...shown.step, wires: [] } : null,
  done: false,
});

/** @typedef {Pick<Shown, "values" | "cotangents" | "passed">} Seen */

/** The numbers in view while no pass is played. @param {Pick<GraphNode, "id" | "hidden">[]} nodes
 * @param {{ to: string, slot: number, hidden?: boolean }[]} wires @returns {Seen} */
export function seenIn(nodes, wires) {
  const seen = (/** @type {"value" | "cotangent"} */ which) =>
    new Set(nodes.filter(({ hidden }) => !hidden?.includes(which)).map(({ id }) => id));
  const passed = wires.filter(({ hidden }) => !hidden).map(({ to, slot }) => `${to}:${slot}`);
  return { values: seen("value"), cotangents: seen("cotangent"), passed: new Set(passed) };
}

/** What is shown if the pass takes nothing away. @param {Shown} shown @param {Seen} seen before it @returns {Shown} */
export const withSeen = (shown, { values, cotangents, passed }) => ({
  ...shown,
  values: new Set([...values, ...shown.values]),
  cotangents: new Set([...cotangents, ...shown.cotangents]),
  passed: new Set([...passed, ...shown.passed]),
});

// The numbers that matter: the output, what arrives at inputs and parameters, and what the lesson looks at.

/**
 * @typedef {object} Told
 * @property {string} name
 * @property {"value" | "cotangent"} which
 * @property {string} text "?" while it is hidden or not computed
 */

const MOST = 6; // numbers
const HIDDEN = "?";

/** @param {GraphNode[]} nodes @param {string | null} selected @param {Shown | null} shown null for all @returns {Told[]} */
export function toldNumbers(nodes, selected, shown) {
  const told = (/** @type {GraphNode} */ node, /** @type {"value" | "cotangent"} */ which) => {
    const known =
      shown === null || (which === "value" ? shown.values : shown.cotangents).has(node.id);
    return { name: node.id, which, text: known ? node[which] : HIDDEN };
  };
  const output = nodes.find(({ isOutput }) => isOutput);
  const sources = nodes.filter(
    ({ isInput, connected, problem }) => isInput && connected && !problem,
  );
  const chosen = nodes.filter(
    ({ id, isInput, connected }) => id === selected && !isInput && connected,
  );
  const short = [...chosen.filter((node) => node !== output), ...sources].filter(
    ({ cotangent }) => cotangent.length <= 24,
  );
  return [
    ...(output ? [told(output, "value")] : []),
    ...short.slice(0, MOST).map((node) => told(node, "cotangent")),
  ];
}

// The size of type.

const LEAST = 20; // px of type in a window of 1280x720 ...
const HIGH = { w: 1920, h: 1080, px: 28 }; // ... and in this one

/** Px of the smallest text on a stage of this size. @param {{ w: number, h: number }} window */
export const leastType = ({ w, h }) =>
  Math.max(LEAST, Math.min((HIGH.px * w) / HIGH.w, (HIGH.px * h) / HIGH.h));

const LINES = 3.4; // of type that caption and numbers take above and below the graph
const SMALLEST = 11; // px of text at a factor of 1: web/canvas/draw/levels.js

/** Cards that have no room with their numbers, on a stage of this size.
 * @param {{ x: number, y: number, w: number, h: number }[]} cards @param {{ x: number, y: number, w: number, h: number } | null} content
 * all that is drawn @param {{ w: number, h: number }} window @returns {number} */
export function cardsWithoutRoom(cards, content, window) {
  if (!content) return 0;
  const px = leastType(window);
  const k = (NUMBERED * px) / SMALLEST;
  const room = { w: (window.w - 56) / k, h: (window.h - 40 - LINES * px) / k };
  if (content.w <= room.w && content.h <= room.h) return 0;
  const [x, y] = [
    content.x + Math.max(0, content.w - room.w) / 2,
    content.y + Math.max(0, content.h - room.h) / 2,
  ];
  const isIn = (/** @type {{ x: number, y: number, w: number, h: number }} */ card) =>
    card.x >= x && card.y >= y && card.x + card.w <= x + room.w && card.y + card.h <= y + room.h;
  return cards.filter((card) => !isIn(card)).length || 1;
}

/** What does not fit, in a sentence; "" if all does. @param {number} without @param {number} all @param {boolean} groups whether one can be collapsed */
export function roomSays(without, all, groups) {
  if (!without) return "";
  const cards = without === 1 ? `1 of ${all} cards is` : `${without} of ${all} cards are`;
  return `${cards} smaller than the last row reads: ${groups ? "collapse a group, or " : ""}show fewer.`;
}

/** The steps whose cards are too small, in sentences. @param {{ title: string, says: string[] }[]} steps what does not fit in each window
 * @param {string[]} windows their names @returns {{ title: string, says: string }[]} */
export const shortSteps = (steps, windows) =>
  steps.flatMap(({ title, says }, at) => {
    const short = windows.filter((_, i) => says[i]);
    const [first] = says.filter(Boolean);
    return short.length
      ? [{ title: `${at + 1}. ${title}`, says: `${short.join(", ")}: ${first}` }]
      : [];
  });

/** Minutes and seconds. @param {number} ms */
export function clock(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

// @ts-check
// Draw the chips on a card's edge: rule, problem or warning, output, and number of runs.

import { RULES } from "../../../../web/constants.js";
import { svg } from "../../../../web/dom.js";
import { icon } from "../icons.js";
import { shortened, textWidth } from "../text/measure.js";

/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../text/levels.js").Level} Level */
/** @typedef {{ kind: string, icon: string, text: string }} Chip */

const FONT = 11.5; // px
const PAD = { icon: 20, side: 8 }; // px
const ROW = 10; // px from the card's left and right edge
const TALL = 20; // px
const OVER = 7; // px by which a chip covers the card's edge, at most; its texts are below
const CLEAR = 2; // px between a chip and these texts
const GAP = 4; // px between chips
const BOLD = 1.12; // width of semi-bold letters over its estimate, also where the browser rounds it to whole px
const WORDS = 1.5; // unit up to which a chip has words beside its icon
const APART = 1; // px between a chip and the card above
const LEAST = 0.5; // factor of a chip, where the next card is near
/** Px by which chips extend above and below the card. */
export const REACH = { above: 14, below: 16 };

const FLAG = { kind: "out-chip", icon: "output", text: "" };
const OUTPUT = { ...FLAG, text: "output" };

/** @param {GraphNode} node @param {Level} level @param {number} top px from the card's top to its highest text */
export function chips(node, level, top) {
  const { unit, detail } = level;
  const { isOutput, runs, segment, state, w, foot = 0 } = node;
  const h = node.h + foot; // below its tabs
  const size = sizeAbove(node, level, top);
  const bare = size > WORDS || size < unit; // icons alone: words would have no room, or be too small to be read
  const wide = (/** @type {Chip} */ chip) => size * chipWidth(chip);
  const above = overEdge(top) - TALL * size;
  const left = leftChips(node, (w - 2 * ROW - (isOutput ? wide(FLAG) + GAP : 0)) / size).map((chip) => (bare ? { ...chip, text: "" } : chip));
  let x = ROW;
  const drawn = left.map((chip) => {
    const element = draw(chip, x, above, size);
    x += wide(chip) + GAP;
    return element;
  });
  const output = bare || x + wide(OUTPUT) > w - ROW ? FLAG : OUTPUT;
  if (isOutput) drawn.push(draw(output, w - ROW - wide(output), above, size));
  const end = (/** @type {Chip} */ chip) => unit * chipWidth(chip);
  const numbered = detail === "near" && segment ? { kind: "segment", icon: "", text: `segment ${segment}` } : null;
  const next = ROW + (numbered ? end(numbered) + GAP : 0);
  if (numbered) drawn.push(draw(numbered, ROW, h - 5, unit));
  if (runs) {
    const chip = { kind: "runs", icon: "", text: runs.replace(/^x/, "×") };
    drawn.push(draw(chip, w - ROW - end(chip), h - 5, unit));
  }
  if (state?.length && unit <= WORDS) drawn.push(draw({ kind: "state", icon: "", text: shortened(state[0], (w - ROW - next) / unit - (runs ? 30 : 0), FONT) }, next, h - 5, unit));
  return drawn;
}

/** Px by which chips lie over the card's edge. @param {number} top px from the card's top to its highest text */
const overEdge = (top) => Math.min(OVER, top - CLEAR);

/** Factor of the chips above a card: that of the level, or less where they would touch the next card above.
 * @param {GraphNode} node @param {Level} level @param {number} top px from the card's top to its highest text */
function sizeAbove({ above }, { unit }, top) {
  const fits = above === undefined ? unit : (above - APART + overEdge(top)) / TALL;
  return Math.min(unit, Math.max(fits, LEAST));
}

/** Px from the card's left edge to the end of the icons above it. @param {GraphNode} node @param {Level} level @param {number} top */
export function chipsReach(node, level, top) {
  const icons = leftChips(node, 0).length;
  return icons ? ROW + icons * (sizeAbove(node, level, top) * chipWidth(FLAG) + GAP) : 0;
}

/** The place of the chips above a card. @param {GraphNode} node @param {Level} level @param {number} top @returns {import("../../types.js").Box} */
export function chipsBox(node, level, top) {
  const tall = TALL * sizeAbove(node, level, top);
  return { x: node.x + ROW, y: node.y + overEdge(top) - tall, w: node.w - 2 * ROW, h: tall };
}

/** The rule and the problem or warning, shortened to `room` px. Beside a problem or warning, only the rule's icon is
 * shown.
 * @param {GraphNode} node @param {number} room @returns {Chip[]} */
function leftChips({ rule, ruleText, problem, warning, muted }, room) {
  if (muted && !problem) return [{ kind: "missing", icon: "mute", text: "muted" }];
  const trouble = problem ? "problem" : warning ? headOf(warning) : "";
  const row = [];
  if (trouble) row.push({ kind: problem ? "problem" : "warning", icon: "warning", text: trouble });
  const left = room - (row.length ? chipWidth(row[0]) + GAP : 0) - PAD.icon - PAD.side;
  const text = ruleText || RULES[rule]?.label;
  if (rule !== "follow") row.unshift({ kind: rule, icon: rule, text: left < 24 ? "" : shortened(text, left, FONT) });
  return row;
}

/** The part of a short warning before its colon, else its first word. @param {string} warning */
const headOf = (warning) => /^[^:.]{1,12}(?=:)/.exec(warning)?.[0] ?? warning.split(" ")[0];

/** @param {Chip} chip px */
const chipWidth = ({ icon: mark, text }) => textWidth(text, FONT) * BOLD + (mark ? PAD.icon : PAD.side) + (text ? PAD.side : 3);

/** @param {Chip} chip @param {number} x @param {number} y @param {number} unit */
function draw(chip, x, y, unit) {
  const rule = RULES[chip.kind];
  const group = svg("g", { class: `chip ${chip.kind}${rule ? ` ${rule.colour}` : ""}${rule?.asks ? " opens" : ""}` },
    svg("rect", { x, y, width: unit * chipWidth(chip), height: TALL * unit, rx: (TALL / 2) * unit }),
    svg("text", { x: x + unit * (chip.icon ? PAD.icon : PAD.side), y: y + 14 * unit }, chip.text));
  if (!chip.icon) return group;
  const mark = icon(chip.icon, 12 * unit);
  mark.setAttribute("x", String(x + 6 * unit));
  mark.setAttribute("y", String(y + 4 * unit));
  group.append(mark);
  return group;
}

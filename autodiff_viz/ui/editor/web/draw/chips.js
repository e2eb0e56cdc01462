// @ts-check
// Chips on a card's edge: rule, problem or warning, output, and number of runs.

import { RULES } from "../../../web/constants.js";
import { svg } from "../../../web/dom.js";
import { icon } from "./icons.js";
import { shortened, textWidth } from "./measure.js";

/** @typedef {import("../types.js").GraphNode} GraphNode */
/** @typedef {{ kind: string, icon: string, text: string }} Chip */

const FONT = 11.5; // px
const PAD = { icon: 20, side: 8 }; // px
const ROW = 10; // px from the card's left and right edge
const ABOVE = 13; // px above the card's top
const GAP = 4; // px between chips
/** Px by which chips extend above and below the card. */
export const REACH = { above: 14, below: 16 };

const FLAG = { kind: "out-chip", icon: "output", text: "" };
const OUTPUT = { ...FLAG, text: "output" };

/** @param {GraphNode} node */
export function chips(node) {
  const { isOutput, runs, segment, state, w, h } = node;
  const left = leftChips(node, w - 2 * ROW - (isOutput ? chipWidth(FLAG) + GAP : 0));
  let x = ROW;
  const drawn = left.map((chip) => {
    const element = draw(chip, x, -ABOVE);
    x += chipWidth(chip) + GAP;
    return element;
  });
  const output = x + chipWidth(OUTPUT) > w - ROW ? FLAG : OUTPUT;
  if (isOutput) drawn.push(draw(output, w - ROW - chipWidth(output), -ABOVE));
  const below = ROW + (segment ? chipWidth({ kind: "", icon: "", text: `segment ${segment}` }) + GAP : 0);
  if (segment) drawn.push(draw({ kind: "segment", icon: "", text: `segment ${segment}` }, ROW, h - 5));
  if (runs) {
    const chip = { kind: "runs", icon: "", text: runs.replace(/^x/, "×") };
    drawn.push(draw(chip, w - ROW - chipWidth(chip), h - 5));
  }
  if (state?.length) drawn.push(draw({ kind: "state", icon: "", text: shortened(state[0], w - ROW - below - (runs ? 30 : 0), FONT) }, below, h - 5));
  return drawn;
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
const chipWidth = ({ icon: mark, text }) => textWidth(text, FONT) * 1.05 + (mark ? PAD.icon : PAD.side) + (text ? PAD.side : 3);

/** @param {Chip} chip @param {number} x @param {number} y */
function draw(chip, x, y) {
  const rule = RULES[chip.kind];
  const group = svg("g", { class: `chip ${chip.kind}${rule ? ` ${rule.colour}` : ""}${rule?.asks ? " opens" : ""}` },
    svg("rect", { x, y, width: chipWidth(chip), height: 20, rx: 10 }),
    svg("text", { x: x + (chip.icon ? PAD.icon : PAD.side), y: y + 14 }, chip.text));
  if (!chip.icon) return group;
  const mark = icon(chip.icon, 12);
  mark.setAttribute("x", String(x + 6));
  mark.setAttribute("y", String(y + 4));
  group.append(mark);
  return group;
}

// @ts-check
// Paint the canvas while a pass is played: numbers that are not yet computed are a thin dash, the wires of
// the step are highlighted. The numbers themselves are those of the drawing; nothing is written here.

import { setText, svg } from "../../../web/dom.js";
import { nodesOf, wiresOf } from "../state/fold.js";
import { wireId, writeWireTitle } from "../draw/wires/wires.js";
import { describe } from "../draw/cards/nodes.js";

/** @typedef {import("../draw/stage.js").Stage} Stage */
/** @typedef {import("../draw/cards/nodes.js").Card} Card */
/** @typedef {import("./model.js").Shown} Shown */

const WHICH = /** @type {const} */ (["value", "cotangent"]);
const DASH = 13; // px
const LATER = "not computed yet"; // for screen readers and tooltips
const CARD = ["no-value", "no-cotangent", "at-work", "runs-again", "is-dropped"];
const STRAND = ["no-flow", "flows", "flows-back"];

/** @param {Stage} stage @param {Shown} shown */
export function paintPlay(stage, shown) {
  const { step } = shown;
  stage.host.dataset.play = step?.back ? "backward" : "forward";
  for (const card of stage.cards.values()) paintCard(card, shown);
  const lit = new Set(step?.wires);
  for (const strand of stage.strands.values()) {
    const { root, number, wire } = strand;
    const ids = wiresOf(wire).map(wireId);
    const flows = ids.some((id) => lit.has(id));
    const back = Boolean(step?.back && !step.again);
    const isPassed = ids.some((id) => shown.passed.has(id));
    for (const part of [root, number]) part.classList.toggle("no-flow", !isPassed);
    writeWireTitle(strand, isPassed || shown.done);
    root.classList.toggle("flows", flows && !back);
    root.classList.toggle("flows-back", flows && back);
  }
  for (const entries of Object.values(stage.regions))
    for (const [name, { root }] of entries) root.classList.toggle("runs-again", name === step?.again);
}

/** @param {Card} card @param {Shown} shown */
function paintCard(card, { values, cotangents, step }) {
  const { root, node } = card;
  if (!node) return;
  const name = node.group ? node.group.output : node.id;
  const known = { value: values.has(name ?? ""), cotangent: cotangents.has(name ?? "") || !node.connected };
  const { problem, warning, state, ...rest } = node; // sentences of all numbers
  describe(card, { ...rest, ...(!known.value && { value: LATER, valueFull: undefined }), ...(!known.cotangent && { cotangent: LATER, cotangentFull: undefined }) });
  const works = step !== null && nodesOf(node).includes(step.node);
  for (const which of WHICH) {
    root.classList.toggle(`no-${which}`, !known[which]);
    for (const part of drawn(card, which)) part.style.visibility = known[which] ? "" : "hidden";
  }
  root.classList.toggle("at-work", works);
  root.classList.toggle("runs-again", works && Boolean(step?.again));
  root.classList.toggle("is-dropped", works && Boolean(step?.dropped));
  if (card.numbers && !root.querySelector(".blank")) root.append(...blanks(card), svg("text", { class: "again-mark", x: 2, y: node.h + 15 }));
  const mark = root.querySelector(".again-mark");
  if (mark && works) setText(mark, step?.dropped ? "dropped" : "again");
}

/** Heat-maps and cells of a tensor. @param {Card} card @param {"value" | "cotangent"} which @returns {SVGElement[]} */
function drawn({ numbers }, which) {
  const block = numbers?.cells?.[which];
  return [...Object.values(numbers?.pictures?.[which] ?? {}), ...(block ? [block.image, ...block.texts] : [])];
}

/** A dash in the place of each number. @param {Card} card */
function blanks({ numbers }) {
  return WHICH.map((which) => {
    const [x, y] = ["x", "y"].map((name) => Number(numbers?.[which].getAttribute(name)));
    return svg("path", { class: `blank ${which}`, d: `M${x - DASH} ${y - 5}h${DASH}` });
  });
}

/** Show the full picture. @param {Stage} stage */
export function clearPlay(stage) {
  delete stage.host.dataset.play;
  for (const card of stage.cards.values()) {
    const { root, node } = card;
    if (node) describe(card, node);
    root.classList.remove(...CARD);
    for (const mark of root.querySelectorAll(".blank, .again-mark")) mark.remove();
    for (const which of WHICH) for (const part of drawn(card, which)) part.style.visibility = "";
  }
  for (const strand of stage.strands.values()) {
    for (const part of [strand.root, strand.number]) part.classList.remove(...STRAND);
    if (strand.wire) writeWireTitle(strand, true);
  }
  for (const entries of Object.values(stage.regions)) for (const { root } of entries.values()) root.classList.remove("runs-again");
}

// @ts-check
// Show why an answer is so, with the tool that the lesson names: the pass, step by step, or a figure or panel in view.

import { dispatch } from "../base/events.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("../types.js").AskedItem} AskedItem */
/** @typedef {import("../types.js").Drawing} Drawing */

/** The tool that plays the pass on the canvas. */
export const PLAY = "play";
const OF_MEMORY = ["residuals", "memory", "plans", "runs"];

/** The plot that a tool shows; none for the pass and for a cause, which are on the canvas. Pure.
 * @param {string} tool @param {Pick<Drawing, "figure" | "lacks" | "twins">} drawing @returns {string | undefined} */
export function plotOf(tool, { figure, lacks = [], twins }) {
  if (tool === "compare") return twins ? "twins" : undefined;
  if (tool === "training" || tool === "segments") return tool;
  if (tool === "memory") {
    const own = figure && OF_MEMORY.includes(figure) ? figure : "residuals";
    return lacks.includes(own) ? undefined : own;
  }
  return ["paths", "sweep", "noise", "field"].includes(tool) && !lacks.includes(tool)
    ? tool
    : undefined;
}

/** Whether the pass computes what is asked for; how much is kept, and an author's own answer, it does not. Pure.
 * @param {AskedItem} item */
export const isPlayed = ({ of, own }) => !own && ["value", "cotangent", "passed"].includes(of);

/** Show why. @param {Editor} editor @param {AskedItem} item */
export function showWhy(editor, item) {
  const { lesson } = editor.drawing;
  const tool = lesson?.reveal ?? PLAY;
  const plot = plotOf(tool, editor.drawing);
  if (plot || tool === "why zero") {
    editor.endPlay();
    // The node that is asked about, of a wire the one that it comes back to.
    const wire = editor.shown.wires.find(({ to, slot }) => to === item.node && slot === item.slot);
    const node = (item.of === "passed" && wire?.from) || item.node;
    if (!plot) return editor.showCause(node, item.reason);
    if (tool !== "training" && editor.node(node)) editor.select([node], true);
    dispatch("plot", { name: plot });
    return;
  }
  if (isPlayed(item)) editor.playTo(item);
  else if (editor.play?.at === null) editor.startPlay();
}

// @ts-check
// Two toolbars: one at the foot of the canvas for the graph, one beside the selected nodes for their rules.

import { NODE_ACTIONS, regionOf, VIEW_ACTIONS } from "./actions.js";
import { html } from "./dom.js";
import { bounds, clamp, toScreen } from "./geometry.js";
import { icon } from "./icons.js";
import { sizeOf } from "./stage.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./actions.js").Action} Action */

const SINGLE = new Set(["rewrite", "pullback", "backward_as", "output"]); // actions for one node alone
const ABOVE = 64; // px from the selection to the toolbar's top, so that chips stay uncovered

/** @param {string} name of the icon @param {string} label @param {string} key @param {() => void} run */
function button(name, label, key, run) {
  const title = key ? `${label}  (${key})` : label;
  return html("button", { type: "button", class: `tool ${name}`, title, "aria-label": label, click: run }, icon(name));
}

const gap = () => html("span", { class: "gap" });

/** @param {Editor} editor @param {{ add: () => void, help: () => void }} open */
export function footBar(editor, open) {
  const act = (/** @type {string} */ name) => {
    const { label, key, run } = VIEW_ACTIONS[name];
    return button(name, label, key, () => run(editor));
  };
  const add = button("add", "Add a node", "a", open.add);
  add.append(html("span", { class: "word" }, "Add"));
  return html("div", { class: "bar foot", role: "toolbar", "aria-label": "Graph" },
    add, gap(), act("undo"), act("redo"), act("arrange"), gap(), act("farther"), act("fit"), act("nearer"), gap(),
    button("help", "Keys and gestures", "?", open.help));
}

/** The toolbar that follows the selection. @param {Editor} editor */
export function nodeBar(editor) {
  const buttons = Object.entries(NODE_ACTIONS).map(([name, { label, key, run }]) =>
    /** @type {const} */ ([name, button(name, label, key, () => run(editor))]));
  const bar = html("div", { class: "bar beside", role: "toolbar", "aria-label": "Selected nodes" }, ...buttons.map(([, b]) => b));
  editor.watchers.push(() => {
    bar.hidden = editor.selection.size === 0 || editor.dragged !== null;
    if (bar.hidden) return;
    for (const [name, element] of buttons) press(editor, name, element);
    place(editor, bar);
  });
  bar.hidden = true;
  return bar;
}

/** @param {Editor} editor @param {string} name @param {HTMLElement} element */
function press(editor, name, element) {
  element.hidden = SINGLE.has(name) && editor.single === null;
  const nodes = [...editor.selection].map((id) => editor.node(id));
  const on = name === "checkpoint" ? Boolean(regionOf(editor))
    : name === "output" ? nodes.every((node) => node?.isOutput) : nodes.every((node) => node?.rule === name);
  if (name !== "delete") element.setAttribute("aria-pressed", String(on));
}

/** Above the selection, or below it where there is no room above.
 * @param {Editor} editor @param {HTMLElement} bar */
function place({ stage, selection, shown }, bar) {
  const box = bounds(shown.nodes.filter((node) => selection.has(node.id)));
  if (!box) return;
  const [left, top] = toScreen(stage.view, [box.x, box.y]);
  const [right, bottom] = toScreen(stage.view, [box.x + box.w, box.y + box.h]);
  const size = sizeOf(stage);
  const x = clamp((left + right) / 2 - bar.offsetWidth / 2, 8, Math.max(size.w - bar.offsetWidth - 8, 8));
  const above = top - ABOVE;
  const y = above > 8 ? above : clamp(bottom + 18, 8, size.h - bar.offsetHeight - 64);
  bar.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
}

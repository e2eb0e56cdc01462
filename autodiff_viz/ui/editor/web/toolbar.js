// @ts-check
// Two toolbars with a place of their own each: at the top what can be done with the selection, at the
// foot what can be done with the graph.

import { cutOn, NODE_ACTIONS, mutedOn, regionOf, removeWire, rulesOn, VIEW_ACTIONS } from "./actions.js";
import { RULES } from "../../web/constants.js";
import { html, setText, svg } from "../../web/dom.js";
import { groupOf } from "./groups.js";
import { isSelecting, toggleSelecting } from "./hold.js";
import { icon } from "./icons.js";
import { moreButton } from "./more.js";
import { showDetails } from "./reach.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./actions.js").Action} Action */

const SINGLE = new Set(["output"]); // actions for one node alone

/** @param {string} name of the icon @param {Action} action @param {() => void} run @param {string} [word] */
function button(name, { label, key }, run, word) {
  const title = key ? `${label}  (${key})` : label;
  const attributes = { type: "button", class: `tool ${name} ${RULES[name]?.colour ?? ""}`, title, "aria-label": label, click: run };
  return /** @type {HTMLButtonElement} */ (html("button", attributes, icon(name), word && html("span", { class: "word" }, word)));
}

const gap = () => html("span", { class: "gap" });

/** @param {Editor} editor @param {{ add: () => void, help: () => void, menu: () => void }} open */
export function footBar(editor, open) {
  const act = (/** @type {string} */ name) => button(name, VIEW_ACTIONS[name], () => VIEW_ACTIONS[name].run(editor));
  const own = (/** @type {string} */ label, /** @type {string} */ key) => ({ label, key, run: () => {} });
  const steps = /** @type {const} */ (["undo", "redo"]).map((name) => /** @type {const} */ ([name, act(name)]));
  editor.watchers.push(() => steps.forEach(([name, element]) => tellStep(element, name, editor.shown.history[name])));
  return html("div", { class: "bar foot", role: "toolbar", "aria-label": "Graph" },
    button("add", own("Add a node", "a"), open.add, "Add"), selectButton(editor), gap(),
    ...steps.map(([, element]) => element), act("history"), act("arrange"),
    gap(), act("farther"), act("fit"), act("nearer"), gap(), menuButton(open.menu), button("help", own("Keys and gestures", "?"), open.help));
}

/** @param {Editor} editor */
function selectButton(editor) {
  const element = button("select", { label: "Select several", key: "Shift", run: () => {} }, () => toggleSelecting(editor));
  editor.watchers.push(() => element.setAttribute("aria-pressed", String(isSelecting(editor))));
  return element;
}

/** @param {() => void} open */
function menuButton(open) {
  const element = button("file", { label: "Files, pictures and links", key: "", run: () => {} }, open);
  element.setAttribute("aria-haspopup", "menu");
  return element;
}

/** @param {HTMLButtonElement} element @param {"undo" | "redo"} name @param {string | undefined} what */
function tellStep(element, name, what) {
  const { label, key } = VIEW_ACTIONS[name];
  element.disabled = !what;
  element.title = what ? `${label}: ${what}  (${key})` : `Nothing to ${name}`;
  element.setAttribute("aria-label", what ? `${label}: ${what}` : element.title);
}

/** The toolbar of the selection. Without one, its place explains the two numbers of a node.
 * @param {Editor} editor */
export function topBar(editor) {
  const buttons = Object.entries(NODE_ACTIONS).map(([name, action]) =>
    /** @type {const} */ ([name, button(name, action, () => action.run(editor), action.word)]));
  const title = html("b", { class: "what" });
  const cut = button("delete", { ...NODE_ACTIONS.delete, label: "Remove the wire" }, () => removeWire(editor), "remove");
  const more = moreButton(editor);
  const details = button("details", { label: "Details", key: "i", run: showDetails }, showDetails, "details");
  const bar = html("div", { class: "bar top", role: "toolbar", "aria-label": "Selection" },
    title, details, gap(), ...buttons.map(([, element]) => element), more, cut);
  const key = legend();
  editor.watchers.push(() => {
    const wire = editor.selection.size ? undefined : editor.stage.strands.get(editor.wire ?? "")?.wire;
    bar.hidden = editor.selection.size === 0 && !wire;
    key.hidden = !bar.hidden || editor.shown.nodes.length === 0;
    cut.hidden = !wire;
    more.hidden = Boolean(wire);
    details.hidden = editor.single === null;
    setText(title, wire ? `${wire.from} → ${wire.to}` : titleOf(editor));
    title.title = title.textContent ?? "";
    for (const [name, element] of buttons) press(editor, name, element, !wire);
  });
  return [bar, key];
}

/** What is selected: a node, a group, or how many nodes. @param {Editor} editor */
function titleOf(editor) {
  const group = groupOf(editor);
  if (group && (editor.chosen[0]?.group || !editor.single)) return group.name;
  return editor.single ?? `${editor.selection.size} nodes`;
}

/** @param {Editor} editor @param {string} name @param {HTMLElement} element @param {boolean} forNodes */
function press(editor, name, element, forNodes) {
  element.hidden = !forNodes || (SINGLE.has(name) && editor.single === null);
  if (element.hidden || name === "delete") return;
  const nodes = [...editor.selection].map((id) => editor.node(id));
  const on = name === "checkpoint" ? Boolean(regionOf(editor))
    : name === "group" ? Boolean(groupOf(editor))
    : name === "output" ? nodes.every((node) => node?.isOutput)
    : name === "cut_after" ? cutOn(editor)
    : name === "mute" ? mutedOn(editor) : rulesOn(editor, name);
  element.setAttribute("aria-pressed", String(on));
}

const legend = () =>
  html("div", { class: "legend-line" },
    html("span", { class: "blue" }, triangle("M1 1l7 5-7 5z"), "value"),
    html("span", { class: "orange" }, triangle("M8 1l-7 5 7 5z"), "cotangent"),
    html("span", { class: "invitation" }, "Click a node to bend its gradient"));

/** @param {string} d */
const triangle = (d) => svg("svg", { width: 9, height: 12, "aria-hidden": "true" }, svg("path", { d, fill: "currentColor" }));

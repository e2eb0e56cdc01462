// @ts-check
// Draw the toolbars: a strip above the canvas for graph, selection and view, and the buttons of the page's
// bar.

import { keyOf, NO_FOCUS, placed } from "./actions.js";
import { RULES } from "../../../web/constants.js";
import { html, setText } from "../../../web/dom.js";
import { term } from "../../../web/term.js";
import { groupOf } from "./groups.js";
import { titleOf as nameOf } from "../state/fold.js";
import { arrowhead, icon } from "../draw/icons.js";
import { answerKeys } from "./keys.js";
import { toggleMenu } from "../popovers/menu.js";
import { moreButton } from "../popovers/more.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("./actions.js").Action} Action */

/** A button for an action, which shows whether the action is on.
 * @param {Editor} editor @param {string} id @param {Action} action */
function button(editor, id, action) {
  const { label, icon: picture = id, word, on, undoes } = action;
  const key = keyOf(action);
  const attributes = { type: "button", class: `tool ${picture} ${RULES[id]?.colour ?? ""}`, title: key ? `${label}  (${key})` : label, "aria-label": label };
  const element = /** @type {HTMLButtonElement} */ (html("button",
    { ...attributes, click: () => action.do?.(editor, NO_FOCUS, "") }, icon(picture), word && html("span", { class: "word" }, word)));
  if (on) editor.watchers.push(() => element.hidden || element.setAttribute("aria-pressed", String(on(editor))));
  if (undoes) editor.watchers.push(() => tellStep(element, action, undoes, editor.shown.history[undoes]));
  return element;
}

const gap = () => html("span", { class: "gap" });

/** @param {Editor} editor @param {import("./actions.js").Place} place @param {string} kind @param {string} label */
function bar(editor, place, kind, label) {
  const groups = placed(place).map((actions) => actions.map(([id, action]) => button(editor, id, action)));
  return html("div", { class: `bar ${kind}`, role: "toolbar", "aria-label": label },
    ...groups.flatMap((buttons, i) => (i ? [gap(), ...buttons] : buttons)));
}

/** The strip above the canvas. @param {Editor} editor */
export function toolStrip(editor) {
  const strip = html("div", { class: "strip" },
    bar(editor, "graph", "graph", "Graph"), ...topBar(editor), bar(editor, "view", "view", "View"));
  answerKeys(editor, strip);
  return strip;
}

/** The buttons of the page's bar: history, link, files and help. @param {Editor} editor */
export function pageTools(editor) {
  const tools = bar(editor, "bar", "page", "Page");
  tools.insertBefore(menuButton(editor, "look", "View", "View: type size, zoom, modes", "View"), tools.lastElementChild);
  tools.insertBefore(menuButton(editor, "file", "File", "Files, pictures and links"), tools.lastElementChild);
  answerKeys(editor, tools);
  return tools;
}

/** @param {Editor} editor @param {"look" | "file"} place @param {string} menu @param {string} label @param {string} [word] */
const menuButton = (editor, place, menu, label, word) =>
  /** @type {HTMLButtonElement} */ (html("button",
    { type: "button", class: `tool ${place}`, title: label, "aria-label": label, "aria-haspopup": "menu", click: () => toggleMenu(editor, place, menu) }, icon(place), word && html("span", { class: "word" }, word)));

/** @param {HTMLButtonElement} element @param {Action} action @param {"undo" | "redo"} name @param {string | undefined} what */
function tellStep(element, action, name, what) {
  const { label } = action;
  element.disabled = !what;
  element.title = what ? `${label}: ${what}  (${keyOf(action)})` : `Nothing to ${name}`;
  element.setAttribute("aria-label", what ? `${label}: ${what}` : element.title);
}

/** The toolbar of the selection. Without a selection, its place explains the two numbers of a node.
 * @param {Editor} editor */
function topBar(editor) {
  const groups = placed("top");
  /** @type {[HTMLButtonElement, Action][]} */
  const buttons = [];
  // `when` before `on`: whether an action is on is defined only if it is shown.
  editor.watchers.push(() => buttons.forEach(([element, { when }]) => (element.hidden = !when?.(editor))));
  const [details, nodes, wire] = groups.map((actions) => actions.map(([id, action]) => {
    const element = button(editor, id, action);
    buttons.push([element, action]);
    return element;
  }));
  const title = html("b", { class: "what" });
  const more = moreButton(editor);
  const bar = html("div", { class: "bar top", role: "toolbar", "aria-label": "Selection" },
    title, ...details, gap(), ...nodes, more, ...wire);
  const key = legend();
  editor.watchers.push(() => {
    const seen = editor.selection.size ? undefined : editor.stage.strands.get(editor.wire ?? "")?.wire;
    bar.hidden = editor.selection.size === 0 && !seen;
    key.hidden = !bar.hidden || editor.shown.nodes.length === 0;
    more.hidden = Boolean(seen);
    setText(title, seen ? `${nameOf(seen.from)} → ${nameOf(seen.to)}` : titleOf(editor));
    title.title = title.textContent ?? "";
  });
  return [bar, key];
}

/** Name of the selection: a node, a group, or the number of nodes. @param {Editor} editor */
function titleOf(editor) {
  const group = groupOf(editor);
  if (group && (editor.chosen[0]?.group || !editor.single)) return group.name;
  return editor.single ?? `${editor.selection.size} nodes`;
}

const legend = () =>
  html("div", { class: "legend-line" },
    html("span", { class: "blue" }, arrowhead(), "value"),
    html("span", { class: "tangent-key" }, arrowhead(), "tangent"),
    html("span", { class: "orange" }, arrowhead(true), term("cotangent")));

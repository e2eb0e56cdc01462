// @ts-check
// Draw the toolbars: a strip above the canvas for graph, selection and view, and the buttons of the page's
// bar.

import { RULES } from "../../base/constants.js";
import { html, setText } from "../../base/dom.js";
import { arrowhead, icon } from "../../base/icons.js";
import { term } from "../../base/term.js";
import { TABBED } from "../../dock/panels.js";
import { moreButton, toggleMenu } from "../popovers/menus.js";
import { titleOf as nameOf } from "../state/fold.js";
import { placed } from "./actions.js";
import { keyOf, NO_FOCUS } from "./reading.js";
import { groupOf } from "./groups.js";
import { answerKeys } from "./keys.js";

// One stop of the Tab key a toolbar, with arrow keys between its buttons (roving tabindex).
// https://www.w3.org/WAI/ARIA/apg/patterns/toolbar/

/** The button that a key goes to, of `count` buttons; null if the key is not the toolbar's.
 * @param {string} key @param {number} at @param {number} count @returns {number | null} */
export function nextStop(key, at, count) {
  const steps = /** @type {Record<string, number>} */ ({
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    Home: 0,
    End: count - 1,
  });
  return key in steps && count > 0 ? (steps[key] + count) % count : null;
}

/** Make a toolbar one tab stop: the button that had the focus last, else the first one that is offered.
 * @param {HTMLElement} bar */
export function makeOneTabStop(bar) {
  /** @type {HTMLButtonElement | null} */
  let stop = null;
  const offered = () =>
    [...bar.querySelectorAll("button")].filter((button) => !button.hidden && !button.disabled);
  const mark = () => {
    const buttons = offered();
    if (!stop || !buttons.includes(stop)) stop = buttons[0] ?? null;
    for (const button of bar.querySelectorAll("button")) button.tabIndex = button === stop ? 0 : -1;
  };
  bar.addEventListener("focusin", (event) => {
    stop = /** @type {Element} */ (event.target).closest("button") ?? stop;
    mark();
  });
  bar.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const buttons = offered();
    const next = nextStop(
      event.key,
      buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target)),
      buttons.length,
    );
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation(); // on the canvas arrows walk from node to node
    buttons[next].focus();
  });
  // Which buttons are offered changes with the selection.
  new MutationObserver(mark).observe(bar, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["hidden", "disabled"],
  });
  mark();
}

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("./reading.js").Action} Action */

/** A button for an action, which shows whether the action is on.
 * @param {Editor} editor @param {string} id @param {Action} action */
function button(editor, id, action) {
  const { label, icon: picture = id, word, on, undoes, when } = action;
  const key = keyOf(action);
  const attributes = {
    type: "button",
    class: `tool ${picture} ${RULES[id]?.colour ?? ""}`,
    title: key ? `${label}  (${key})` : label,
    "aria-label": label,
  };
  const element = /** @type {HTMLButtonElement} */ (
    html(
      "button",
      { ...attributes, click: () => action.do?.(editor, NO_FOCUS, "") },
      icon(picture),
      word && html("span", { class: "word" }, word),
    )
  );
  if (on)
    editor.watchers.push(
      () => element.hidden || element.setAttribute("aria-pressed", String(on(editor))),
    );
  if (when) editor.watchers.push(() => (element.disabled = !when(editor)));
  if (undoes)
    editor.watchers.push(() => tellStep(element, action, undoes, editor.shown.history[undoes]));
  return element;
}

const gap = () => html("span", { class: "gap" });

/** @param {Editor} editor @param {import("./reading.js").Place} place @param {string} kind @param {string} label */
export function bar(editor, place, kind, label) {
  const groups = placed(place).map((actions) =>
    actions.map(([id, action]) => button(editor, id, action)),
  );
  return html(
    "div",
    { class: `bar ${kind}`, role: "toolbar", "aria-label": label },
    ...groups.flatMap((buttons, i) => (i ? [gap(), ...buttons] : buttons)),
  );
}

/** The strip above the canvas. @param {Editor} editor */
export function toolStrip(editor) {
  const strip = html(
    "div",
    { class: "strip" },
    bar(editor, "graph", "graph", "Graph"),
    ...topBar(editor),
    bar(editor, "view", "view", "View"),
  );
  answerKeys(editor, strip);
  return strip;
}

/** The buttons of the page's bar: history, link, files and help. @param {Editor} editor */
export function pageTools(editor) {
  const tools = bar(editor, "bar", "page", "Page");
  tools.insertBefore(
    menuButton(editor, "look", "View", "View: type size, zoom, modes", "View"),
    tools.lastElementChild,
  );
  tools.insertBefore(
    menuButton(editor, "file", "File", "Files, pictures and links"),
    tools.lastElementChild,
  );
  answerKeys(editor, tools);
  return tools;
}

/** @param {Editor} editor @param {"look" | "file"} place @param {string} menu @param {string} label @param {string} [word] */
const menuButton = (editor, place, menu, label, word) =>
  /** @type {HTMLButtonElement} */ (
    html(
      "button",
      {
        type: "button",
        class: `tool ${place}`,
        title: label,
        "aria-label": label,
        "aria-haspopup": "menu",
        click: () => toggleMenu(editor, place, menu),
      },
      icon(place),
      word && html("span", { class: "word" }, word),
    )
  );

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
  const rules = () => buttons.filter(([, { rule }]) => rule).map(([element]) => element);
  const [bend, bendEnd] = [html("span", { class: "of" }, "bend"), gap()]; // round the rules, which come first
  // `when` before `on`: whether an action is on is defined only if it is shown.
  editor.watchers.push(() => {
    const labelled = editor.single !== null && isNodeAlwaysOnView();
    for (const [element, { when, rule }] of buttons)
      element.hidden = !when?.(editor) || (Boolean(rule) && labelled);
    bend.hidden = bendEnd.hidden = !rules().some(({ hidden }) => !hidden);
  });
  const [details, nodes, wire] = groups.map((actions) =>
    actions.map(([id, action]) => {
      const element = button(editor, id, action);
      buttons.push([element, action]);
      return element;
    }),
  );
  const title = html("b", { class: "what" });
  const more = moreButton(editor);
  const bar = html(
    "div",
    { class: "bar top", role: "toolbar", "aria-label": "Selection" },
    title,
    ...details,
    gap(),
    bend,
    ...rules(),
    bendEnd,
    ...nodes.filter((element) => !rules().includes(element)),
    more,
    ...wire,
  );
  const key = legend();
  editor.watchers.push(() => {
    const seen = editor.selection.size
      ? undefined
      : editor.stage.strands.get(editor.wire ?? "")?.wire;
    bar.hidden = editor.selection.size === 0 && !seen;
    key.hidden = !bar.hidden || editor.shown.nodes.length === 0;
    more.hidden = Boolean(seen);
    setText(title, seen ? `${nameOf(seen.from)} → ${nameOf(seen.to)}` : titleOf(editor));
    title.title = title.textContent ?? "";
  });
  return [bar, key];
}

/** Whether the panel of the selected node, which has its rules with words, is on view whatever tab is chosen: a tool
 * does not move when a tab is. */
function isNodeAlwaysOnView() {
  const { avPanel, avLesson, avEmbed, avPresent } = document.documentElement.dataset;
  if (avEmbed !== undefined || avPresent !== undefined || avPanel === undefined) return false;
  return avLesson === "none" && !matchMedia(TABBED).matches;
}

/** Name of the selection: a node, a group, or the number of nodes. @param {Editor} editor */
function titleOf(editor) {
  const group = groupOf(editor);
  if (group && (editor.chosen[0]?.group || !editor.single)) return group.name;
  return editor.single ?? `${editor.selection.size} nodes`;
}

const legend = () =>
  html(
    "div",
    { class: "legend-line" },
    html("span", { class: "blue" }, arrowhead(), "value"),
    html("span", { class: "tangent-key" }, arrowhead(), "tangent"),
    html("span", { class: "orange" }, arrowhead(true), term("cotangent")),
  );

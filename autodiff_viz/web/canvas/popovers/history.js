// @ts-check
// List the steps of the history, by name, with the present one marked; a click goes to a step.

import { html } from "../../base/dom.js";
import { showStatus } from "../draw/stage.js";
import { closePopover } from "./popover.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Drawing["history"]} History */

/** The index of the present step, with the pending edits; null if these are not only undo, redo and jumps. Pure.
 * @param {History} history @param {{ kind: string, index?: number }[]} pending @returns {number | null} */
export function presentStep({ at = 0, labels = {} }, pending) {
  let step = at;
  const last = Math.max(...Object.keys(labels).map(Number));
  for (const { kind, index } of pending) {
    if (kind === "undo") step = Math.max(step - 1, 0);
    else if (kind === "redo") step = Math.min(step + 1, last);
    else if (kind === "jump") step = index ?? step;
    else if (kind !== "select") return null;
  }
  return step;
}

/** Undo or redo, and say what was undone or redone. @param {Editor} editor @param {"undo" | "redo"} kind */
export function stepHistory(editor, kind) {
  const { labels = {}, gone = 0 } = editor.drawing.history;
  const now = presentStep(editor.drawing.history, editor.pending);
  const label = now === null ? undefined : labels[kind === "undo" ? now : now + 1];
  const none = now !== null && (kind === "undo" ? now === 0 : label === undefined);
  if (none && kind === "undo" && gone)
    return showStatus(editor.stage, "Nothing more to undo: older steps are no longer kept.");
  if (none) return showStatus(editor.stage, `Nothing to ${kind}.`);
  editor.send({ kind });
  showStatus(
    editor.stage,
    `${kind === "undo" ? "Undone" : "Done again"}${label ? `: ${label}` : ""}`,
  );
}

/** @param {Editor} editor */
export function toggleHistory(editor) {
  const wasOpen = editor.stage.host.querySelector(".steps");
  closePopover(editor);
  if (wasOpen) return;
  const list = html("ol", { class: "step-list" });
  const root = html(
    "div",
    { class: "popover steps", role: "dialog", "aria-label": "History" },
    html("h2", {}, "History"),
    list,
  );
  root.addEventListener("keydown", (event) => walk(editor, list, event));
  editor.stage.host.append(root);
  fill(editor, list);
  focusPresent(list);
  const watch = () =>
    root.isConnected
      ? fill(editor, list)
      : editor.watchers.splice(editor.watchers.indexOf(watch), 1);
  editor.watchers.push(watch);
}

/** Fill the list, the newest step first, if it has changed. @param {Editor} editor @param {HTMLElement} list */
function fill(editor, list) {
  const { history } = editor.drawing;
  const { labels = {} } = history;
  const now = presentStep(history, editor.pending) ?? history.at;
  const look = JSON.stringify([labels, now]);
  if (list.dataset.look === look) return;
  const focused = /** @type {ShadowRoot} */ (list.getRootNode()).activeElement;
  const index = list.contains(focused) ? focused?.getAttribute("data-step") : null;
  list.dataset.look = look;
  list.replaceChildren(
    ...Object.entries(labels)
      .map(([i, label]) => item(editor, label, Number(i), now ?? 0))
      .reverse(),
  );
  if (history.gone)
    list.append(html("li", {}, html("small", {}, "Older steps are no longer kept.")));
  const again = index === null ? null : list.querySelector(`[data-step="${index}"]`);
  /** @type {HTMLElement | null} */ (again)?.focus();
}

/** @param {Editor} editor @param {string} label @param {number} index @param {number} now */
const item = (editor, label, index, now) =>
  html(
    "li",
    {},
    html(
      "button",
      {
        type: "button",
        class: `step${index > now ? " undone" : ""}`,
        "data-step": index,
        "aria-current": index === now && "step",
        click: () => jump(editor, label, index),
      },
      html("span", { class: "mark", "aria-hidden": "true" }, index === now ? "●" : ""),
      html("span", {}, label),
      index > now && html("small", {}, "undone"),
    ),
  );

/** @param {Editor} editor @param {string} label @param {number} index */
function jump(editor, label, index) {
  const now = presentStep(editor.drawing.history, editor.pending);
  if (index === now) return;
  editor.send({ kind: "jump", index });
  showStatus(editor.stage, `Back at: ${label}`);
}

/** @param {HTMLElement} list */
function focusPresent(list) {
  const present = /** @type {HTMLElement | null} */ (
    list.querySelector("[aria-current]") ?? list.querySelector("button")
  );
  if (!present) return;
  list.scrollTop = present.offsetTop - list.offsetTop - list.clientHeight / 2; // scrolls the list and not the page
  present.focus({ preventScroll: true });
}

/** Arrow keys move through the steps; Escape closes the list.
 * @param {Editor} editor @param {HTMLElement} list
 * @param {KeyboardEvent} event */
function walk(editor, list, event) {
  const buttons = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("button")]);
  const at = buttons.indexOf(/** @type {HTMLElement} */ (event.target));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (event.key === "Escape" || event.key === "h") closePopover(editor);
  else if (next !== undefined) buttons[Math.min(Math.max(next, 0), buttons.length - 1)]?.focus();
  else if (["Enter", " "].includes(event.key))
    return void event.stopPropagation(); // the button handles it
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// @ts-check
// Handle the keys of the canvas, and keep them from Streamlit, whose own shortcuts (r, c) would also answer.

import { playKey } from "../../explain/play_bar.js";
import { host as place } from "../../base/host.js";
import { ACTIONS } from "./actions.js";
import { wireKey } from "./keyboard.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("./reading.js").Action} Action */

/** Actions by the name of the key in lower case. */
const BY_KEY = new Map(
  Object.values(ACTIONS)
    .filter(({ byBrowser }) => !byBrowser)
    .flatMap((action) =>
      [...(action.keys ?? []), ...(action.also ?? [])].map(
        (key) => /** @type {[string, Action]} */ ([key.toLowerCase(), action]),
      ),
    ),
);

const NAMES = new Map(Object.entries(ACTIONS).map(([name, action]) => [action, name]));

/** @param {Editor} editor */
export function listenToKeys(editor) {
  const { host, surface } = editor.stage;
  surface.setAttribute("tabindex", "0");
  host.addEventListener("pointerdown", () => host.classList.remove("by-keys"));
  answerKeys(editor, host);
  answerElsewhere(editor);
}

const OPEN = "[role='dialog'], [data-testid='stDialog'], [data-testid='stPopoverBody']"; // of Streamlit: keys are theirs
const NOTHING = "body, [data-testid='stMain'], .st-key-lesson h2"; // have the focus when nothing has it, after a click on a text, and when a lesson opens
const WRITES =
  "textarea, select, [contenteditable='true'], input:not([type='range'], [type='checkbox'], [type='radio'])"; // undoes by itself

/** Answer the keys of the canvas also while nothing has the focus, as after loading, and undo and redo wherever nothing is
 * being written. @param {Editor} editor */
function answerElsewhere(editor) {
  const { host } = editor.stage;
  const keydown = (/** @type {KeyboardEvent} */ event) => {
    if (!host.isConnected)
      return editor.drawing.rev >= 0 && document.removeEventListener("keydown", keydown, true);
    const path = event.composedPath();
    const [target] = /** @type {Element[]} */ (path);
    if (
      path.includes(editor.root) ||
      path.includes(editor.tools) ||
      event.isComposing ||
      document.querySelector(OPEN)
    )
      return;
    if (actionOf(event)[1]?.inside) return;
    const isFree =
      target.matches(NOTHING) || (actionOf(event)[1]?.undoes && !target.matches(WRITES));
    if (isFree && answer(editor, event, document.body) && event.key !== "Escape")
      event.stopPropagation(); // Streamlit's own shortcuts (r, c) would answer too
  };
  document.addEventListener("keydown", keydown, true);
}

/** Answer the keys of the canvas while the focus is in this element: the canvas, or a toolbar beside it.
 * @param {Editor} editor @param {HTMLElement} element */
export function answerKeys(editor, element) {
  // Streamlit's own shortcuts (r, c) would answer these keys too.
  for (const kind of ["keydown", "keyup", "keypress"])
    element.addEventListener(kind, (event) => event.stopPropagation());
  element.addEventListener(
    "keyup",
    (event) => event.key === "Tab" && editor.stage.host.classList.add("by-keys"),
  ); // makes the focus visible
  element.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target.closest(WRITES)) return;
    if (target.closest(".bar") && ["Enter", " "].includes(event.key)) return; // the button handles it
    answer(editor, event, target);
  });
}

/** Do what a key says; false if it says nothing. @param {Editor} editor @param {KeyboardEvent} event @param {Element} target */
function answer(editor, event, target) {
  const [key, found] = actionOf(event);
  const action = found && place.offers(NAMES.get(found) ?? "") ? found : undefined;
  const focus = focusOf(target);
  const isSurface = target === editor.stage.surface; // there the space bar also pans: see web/canvas/gestures/pan_zoom.js
  const plays = target === document.body || (isSurface && event.key !== " "); // no node has the focus
  const done = wireKey(editor, event) || (plays && playKey(editor, event));
  if (!done && (!action?.do || (action.needs && !action.needs(focus)))) return false;
  event.preventDefault();
  // The arrow keys walk the focus alone: what is done next is done where the user looks.
  if (action?.onSelection && focus.node && !editor.isSelected(focus.node))
    editor.select([focus.node]);
  if (!done) action?.do?.(editor, focus, key);
  return true;
}

/** The elements that have the focus. @param {Element} target @returns {import("./reading.js").Focus} */
const focusOf = (target) => ({
  node: target.getAttribute("data-id"),
  wire: target.getAttribute("data-wire"),
  region: target.closest(".tab")?.closest("[data-region]")?.getAttribute("data-region") ?? null,
});

/** The action of a key with its modifiers, else of the key alone; the command key of a Mac counts as ctrl.
 * @param {{ key: string, ctrlKey: boolean, metaKey: boolean, shiftKey: boolean, altKey: boolean }} event
 * @returns {[key: string, action: Action | undefined]} */
export function actionOf({ key, ctrlKey, metaKey, shiftKey, altKey }) {
  const shift = shiftKey ? "shift+" : "";
  const plain = ctrlKey || metaKey ? `ctrl+${shift}${key.toLowerCase()}` : key.toLowerCase();
  const held = (altKey ? "alt+" : ctrlKey || metaKey ? "" : shift) + plain;
  const known = [held, plain].find((name) => BY_KEY.has(name)) ?? plain;
  return [key, BY_KEY.get(known)];
}

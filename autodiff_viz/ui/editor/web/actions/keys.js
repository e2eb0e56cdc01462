// @ts-check
// Keyboard of the canvas. Keys do not reach Streamlit, whose own shortcuts (r, c) would also answer.

import { ACTIONS } from "./actions.js";
import { wireKey } from "./keywire.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("./actions.js").Action} Action */

/** Actions by the name of the key in lower case. */
const BY_KEY = new Map(Object.values(ACTIONS).filter(({ byBrowser }) => !byBrowser).flatMap((action) =>
  [...(action.keys ?? []), ...(action.also ?? [])].map((key) => /** @type {[string, Action]} */ ([key.toLowerCase(), action]))));

/** @param {Editor} editor */
export function listenToKeys(editor) {
  const { host, surface } = editor.stage;
  surface.setAttribute("tabindex", "0");
  host.addEventListener("pointerdown", () => host.classList.remove("by-keys"));
  answerKeys(editor, host);
}

/** Answer the keys of the canvas while the focus is in this element: the canvas, or a toolbar beside it.
 * @param {Editor} editor @param {HTMLElement} element */
export function answerKeys(editor, element) {
  for (const kind of ["keydown", "keyup", "keypress"]) element.addEventListener(kind, (event) => event.stopPropagation());
  element.addEventListener("keyup", (event) => event.key === "Tab" && editor.stage.host.classList.add("by-keys")); // makes the focus visible
  element.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target.closest("input, textarea, .region-pop")) return;
    if (target.closest(".bar") && ["Enter", " "].includes(event.key)) return; // the button handles it
    if (wireKey(editor, event)) return event.preventDefault();
    const [key, action] = actionOf(event);
    const focus = focusOf(target);
    if (!action?.do || (action.needs && !action.needs(focus))) return;
    event.preventDefault();
    action.do(editor, focus, key);
  });
}

/** The elements that have the focus. @param {Element} target @returns {import("./actions.js").Focus} */
const focusOf = (target) => ({
  node: target.getAttribute("data-id"), wire: target.getAttribute("data-wire"),
  region: target.closest(".tab")?.closest("[data-region]")?.getAttribute("data-region") ?? null,
});

/** The action of a key with its modifiers, else of the key alone; the command key of a Mac counts as ctrl.
 * @param {{ key: string, ctrlKey: boolean, metaKey: boolean, shiftKey: boolean, altKey: boolean }} event
 * @returns {[key: string, action: Action | undefined]} */
export function actionOf({ key, ctrlKey, metaKey, shiftKey, altKey }) {
  const shift = shiftKey ? "shift+" : "";
  const plain = ctrlKey || metaKey ? `ctrl+${shift}${key.toLowerCase()}` : key.toLowerCase();
  const held = (altKey ? "alt+" : ctrlKey || metaKey ? "" : shift) + plain;
  const found = [held, plain].find((name) => BY_KEY.has(name)) ?? plain;
  return [key, BY_KEY.get(found)];
}

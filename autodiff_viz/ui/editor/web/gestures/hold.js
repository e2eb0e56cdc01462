// @ts-check
// Select several nodes by touch, which has no Shift key: holding a finger on a node toggles the node in the
// selection, and with the tool "Select several" every tap does so and every drag draws a box.

import { say } from "../draw/stage.js";

/** @typedef {import("../editor.js").Editor} Editor */

const HOLD = 450; // ms
const SLOP = 8; // px by which a resting finger may move

/** @param {Editor} editor */
export const isSelecting = ({ stage }) => stage.host.classList.contains("selecting");

/** @param {Editor} editor */
export function toggleSelecting(editor) {
  const on = editor.stage.host.classList.toggle("selecting");
  say(editor.stage, on ? "Tap nodes to select several, or drag a box round them." : "A drag moves the view again.");
  editor.watchers.forEach((watch) => watch());
}

/** @param {Editor} editor */
export function listenToHolding(editor) {
  const { surface } = editor.stage;
  let [timer, x, y] = [0, 0, 0];
  const forget = () => clearTimeout(timer);
  surface.addEventListener("pointerdown", (event) => {
    forget();
    if (event.pointerType !== "touch" || !event.isPrimary) return;
    const id = /** @type {Element} */ (event.target).closest("[data-id]")?.getAttribute("data-id");
    [x, y] = [event.clientX, event.clientY];
    if (id && !/** @type {Element} */ (event.target).closest(".slot, .out")) timer = window.setTimeout(() => held(editor, id, event), HOLD);
  });
  surface.addEventListener("pointermove", (event) => Math.hypot(event.clientX - x, event.clientY - y) > SLOP && forget());
  for (const kind of ["pointerup", "pointercancel"]) surface.addEventListener(kind, forget);
  surface.addEventListener("contextmenu", (event) => /** @type {PointerEvent} */ (event).pointerType === "touch" && event.preventDefault());
}

/** End the press as if it were cancelled, so that the release is not a tap.
 * @param {Editor} editor @param {string} id @param {PointerEvent} event */
function held(editor, id, { pointerId }) {
  editor.stage.host.classList.add("awake");
  editor.stage.surface.dispatchEvent(new PointerEvent("pointercancel", { pointerId, pointerType: "touch" }));
  editor.toggle(id);
  navigator.vibrate?.(10);
  say(editor.stage, `${editor.selection.size} selected. Hold others to add them.`);
}

/** Scroll a field that the on-screen keyboard would cover into view when the keyboard opens.
 * @param {Editor} editor */
export function keepFieldsInView({ stage: { host } }) {
  window.visualViewport?.addEventListener("resize", () => {
    const field = /** @type {ShadowRoot} */ (host.getRootNode()).activeElement;
    if (host.isConnected && field && host.contains(field) && field.matches("input, textarea")) field.scrollIntoView({ block: "center" });
  });
}

// @ts-check
// Handle touch screens: aim taps at small cards, and leave swipes to a page that scrolls. In a window so small
// that the page scrolls, a finger that swipes up or down over the canvas scrolls the page until the canvas is
// tapped, as over an embedded map. A sideways swipe pans and two fingers zoom, always.

import { host as place } from "../../base/host.js";
import { showStatus } from "../draw/stage.js";
import { zoomAt } from "../state/geometry.js";

// Selecting several nodes, without a Shift key: holding a finger on a node toggles it in the selection, and
// with the tool "Select several" every tap does so and every drag draws a box.

/** @typedef {import("../editor.js").Editor} Editor */

const HOLD = 450; // ms
const SLOP = 8; // px by which a resting finger may move

/** @param {Editor} editor */
export const isSelecting = ({ stage }) => stage.host.classList.contains("selecting");

/** @param {Editor} editor */
export function toggleSelecting(editor) {
  const on = editor.stage.host.classList.toggle("selecting");
  showStatus(
    editor.stage,
    on ? "Tap nodes to select several, or drag a box round them." : "A drag moves the view again.",
  );
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
    if (id && !(/** @type {Element} */ (event.target).closest(".slot, .out")))
      timer = window.setTimeout(() => held(editor, id, event), HOLD);
  });
  surface.addEventListener(
    "pointermove",
    (event) => Math.hypot(event.clientX - x, event.clientY - y) > SLOP && forget(),
  );
  for (const kind of ["pointerup", "pointercancel"]) surface.addEventListener(kind, forget);
  surface.addEventListener(
    "contextmenu",
    (event) =>
      /** @type {PointerEvent} */ (event).pointerType === "touch" && event.preventDefault(),
  );
}

/** End the press as if it were cancelled, so that the release is not a tap.
 * @param {Editor} editor @param {string} id @param {PointerEvent} event */
function held(editor, id, { pointerId }) {
  editor.stage.host.classList.add("awake");
  editor.stage.surface.dispatchEvent(
    new PointerEvent("pointercancel", { pointerId, pointerType: "touch" }),
  );
  editor.toggle(id);
  navigator.vibrate?.(10);
  showStatus(editor.stage, `${editor.selection.size} selected. Hold others to add them.`);
}

/** Scroll a field that the on-screen keyboard would cover into view when the keyboard opens.
 * @param {Editor} editor */
export function keepFieldsInView({ stage: { host } }) {
  window.visualViewport?.addEventListener("resize", () => {
    const field = /** @type {ShadowRoot} */ (host.getRootNode()).activeElement;
    if (host.isConnected && field && host.contains(field) && field.matches("input, textarea"))
      field.scrollIntoView({ block: "center" });
  });
}

// Pinching: the view follows two fingers.

/** @typedef {import("../../types.js").Point} Point */
/** @typedef {import("./gestures.js").Gesture} Gesture */

/** @param {Editor} editor @param {Map<number, Point>} pointers @returns {Gesture} */
export function pinch(editor, pointers) {
  const spread = () => {
    const [a, b] = [...pointers.values()];
    /** @type {Point} */
    const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    return { far: Math.max(Math.hypot(a[0] - b[0], a[1] - b[1]), 1), middle };
  };
  const { view } = editor.stage;
  const before = spread();
  return {
    move: () => {
      if (pointers.size < 2) return;
      const { far, middle } = spread();
      const panned = {
        ...view,
        x: view.x + middle[0] - before.middle[0],
        y: view.y + middle[1] - before.middle[1],
      };
      editor.look(zoomAt(panned, far / before.far, middle));
    },
    end: () => {},
  };
}

/** @typedef {import("../draw/stage.js").Stage} Stage */

/** @typedef {import("./gestures.js").Target} Target */

const FINGER = 14; // px by which a tap may miss a small card
const SMALL = 24; // px of a card's side
/** The target of a tap: beside a card that is smaller than a finger, that card. Pure.
 * @param {import("../../types.js").GraphNode[]} nodes @param {import("../../types.js").Viewport} view @param {Target} target under the
 * finger @param {import("../../types.js").Point} at px on the canvas @returns {Target} */
export function tapTarget(nodes, { x, y, k }, target, [across, down]) {
  if (target.part !== "canvas") return target;
  const away = nodes.map((node) => {
    const [left, top] = [node.x * k + x, node.y * k + y];
    return Math.hypot(
      Math.max(left - across, 0, across - left - node.w * k),
      Math.max(top - down, 0, down - top - node.h * k),
    );
  });
  const least = Math.min(...away);
  const nearest = least <= FINGER ? nodes[away.indexOf(least)] : undefined;
  return nearest && Math.min(nearest.w, nearest.h) * k < SMALL
    ? { ...target, part: "node", id: nearest.id }
    : target;
}

/** Whether a touch is left to the page, since the canvas has not been tapped.
 * @param {Stage} stage @param {PointerEvent} event */
export const isLeftToPage = ({ host }, event) =>
  event.pointerType === "touch" && !host.matches(".awake, .selecting") && place.size.scrolls();

/** @param {Stage} stage @param {PointerEvent} event */
export function wakeCanvas(stage, event) {
  if (!isLeftToPage(stage, event)) return;
  stage.host.classList.add("awake");
  showStatus(stage, "One finger now moves the graph. Tap outside it to scroll the page.");
}

/** Explain how to pan with one finger, after the browser has taken a touch to scroll the page. @param {Stage} stage */
export function explainTouch(stage) {
  showStatus(stage, "Tap the graph first to move it with one finger.");
}

/** Deactivate the canvas on a touch anywhere else. @param {HTMLElement} host */
export function sleepBetweenTouches(host) {
  document.addEventListener("pointerdown", (event) => {
    if (!event.composedPath().includes(host)) host.classList.remove("awake");
  });
}

// @ts-check
// Touch screens. In a window so low that the page scrolls, a finger that swipes up or down over the canvas scrolls
// the page until the canvas is tapped, as over an embedded map. A sideways swipe pans and two fingers zoom, always.

import { say } from "../draw/stage.js";

/** @typedef {import("../draw/stage.js").Stage} Stage */

const PAGE_SCROLLS = "(max-height: 559.9px)"; // as in lab.css

/** Whether the window is so low that the page scrolls. */
export const pageScrolls = () => matchMedia(PAGE_SCROLLS).matches;

/** Whether a touch is left to the page, since the canvas has not been tapped.
 * @param {Stage} stage @param {PointerEvent} event */
export const asleep = ({ host }, event) =>
  event.pointerType === "touch" && !host.matches(".awake, .selecting") && pageScrolls();

/** @param {Stage} stage @param {PointerEvent} event */
export function wake(stage, event) {
  if (!asleep(stage, event)) return;
  stage.host.classList.add("awake");
  say(stage, "One finger now moves the graph. Tap outside it to scroll the page.");
}

/** Explain how to pan with one finger, after the browser has taken a touch to scroll the page. @param {Stage} stage */
export function tellHowToWake(stage) {
  say(stage, "Tap the graph first to move it with one finger.");
}

/** Deactivate the canvas on a touch anywhere else. @param {HTMLElement} host */
export function sleepBetweenTouches(host) {
  document.addEventListener("pointerdown", (event) => {
    if (!event.composedPath().includes(host)) host.classList.remove("awake");
  });
}

// @ts-check
// On a touch screen the canvas sleeps until it is tapped: a finger that swipes over it up or down scrolls
// the page, as on a map in a page. A swipe to the side moves the view, two fingers zoom, always.

import { say } from "../draw/stage.js";

/** @typedef {import("../draw/stage.js").Stage} Stage */

/** Whether a touch is not yet the canvas's own. @param {Stage} stage @param {PointerEvent} event */
export const asleep = ({ host }, event) => event.pointerType === "touch" && !host.matches(".awake, .selecting");

/** @param {Stage} stage @param {PointerEvent} event */
export function wake(stage, event) {
  if (!asleep(stage, event)) return;
  stage.host.classList.add("awake");
  say(stage, "One finger now moves the graph. Tap outside it to scroll the page.");
}

/** The browser has taken the finger to scroll the page. @param {Stage} stage */
export function tellHowToWake(stage) {
  say(stage, "Tap the graph first to move it with one finger.");
}

/** A touch anywhere else puts the canvas to sleep again. @param {HTMLElement} host */
export function sleepBetweenTouches(host) {
  document.addEventListener("pointerdown", (event) => {
    if (!event.composedPath().includes(host)) host.classList.remove("awake");
  });
}

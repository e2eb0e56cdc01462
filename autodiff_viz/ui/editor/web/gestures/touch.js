// @ts-check
// Handle touch screens: aim taps at small cards, and leave swipes to a page that scrolls. In a window so small
// that the page scrolls, a finger that swipes up or down over the canvas scrolls the page until the canvas is
// tapped, as over an embedded map. A sideways swipe pans and two fingers zoom, always.

import { say } from "../draw/stage.js";

/** @typedef {import("../draw/stage.js").Stage} Stage */

/** @typedef {import("./pointing.js").Target} Target */

const FINGER = 14; // px by which a tap may miss a small card
const SMALL = 24; // px of a card's side
const PAGE_SCROLLS = "(max-width: 599.9px) and (max-height: 559.9px)"; // as in lab.css

/** Whether the window is so small that the page scrolls. */
export const pageScrolls = () => matchMedia(PAGE_SCROLLS).matches;

/** The target of a tap: beside a card that is smaller than a finger, that card. Pure.
 * @param {import("../types.js").GraphNode[]} nodes @param {import("../types.js").Viewport} view @param {Target} target under the
 * finger @param {import("../types.js").Point} at px on the canvas @returns {Target} */
export function aimed(nodes, { x, y, k }, target, [across, down]) {
  if (target.part !== "canvas") return target;
  const away = nodes.map((node) => {
    const [left, top] = [node.x * k + x, node.y * k + y];
    return Math.hypot(Math.max(left - across, 0, across - left - node.w * k), Math.max(top - down, 0, down - top - node.h * k));
  });
  const least = Math.min(...away);
  const found = least <= FINGER ? nodes[away.indexOf(least)] : undefined;
  return found && Math.min(found.w, found.h) * k < SMALL ? { ...target, part: "node", id: found.id } : target;
}

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

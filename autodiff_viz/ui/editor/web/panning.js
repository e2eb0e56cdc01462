// @ts-check
// Moving the view with the space bar held down or with the middle button, wherever the pointer is; and a word about
// the wheel, which zooms only when the canvas has the keys.

import { say } from "./stage.js";

/** @typedef {import("./editor.js").Editor} Editor */

const QUIET_MS = 30_000; // between two words about the wheel

/** Whether a press moves the view, whatever is under it. @param {Editor} editor @param {PointerEvent} event */
export const pansAnywhere = ({ stage }, event) => Boolean(event.buttons & 4) || stage.host.classList.contains("hand");

/** @param {Editor} editor */
export function listenToPanning({ stage }) {
  const { host, surface } = stage;
  const hold = (/** @type {boolean} */ on) => host.classList.toggle("hand", on);
  host.addEventListener("keydown", (event) => {
    const focused = /** @type {ShadowRoot} */ (host.getRootNode()).activeElement;
    if (event.key !== " " || focused !== surface) return; // on a node or a button, space has a meaning of its own
    event.preventDefault(); // or the page would scroll
    hold(true);
  });
  host.addEventListener("keyup", (event) => event.key === " " && hold(false));
  surface.addEventListener("blur", () => hold(false));
  let told = -QUIET_MS;
  host.addEventListener("wheel", (event) => {
    const own = event.ctrlKey || event.metaKey || host.matches(":focus-within");
    if (own || event.timeStamp - told < QUIET_MS || /** @type {Element} */ (event.target).closest(".popover")) return;
    told = event.timeStamp;
    say(stage, "Ctrl + wheel zooms here. Click the canvas first, and the wheel alone does.");
  }, { passive: true });
}

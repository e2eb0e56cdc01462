// @ts-check
// Mark a canvas whose graph is older than the formula's text, which cannot be read.

import { html } from "../../../../web/dom.js";

const SAYS = "From the last good formula";

/** Dim the canvas, and say why; or take both away.
 * @param {HTMLElement} host @param {boolean} on */
export function markStale(host, on) {
  if (host.classList.contains("stale") === on) return;
  host.classList.toggle("stale", on);
  if (on) host.append(html("div", { class: "stale-line", role: "status" }, SAYS));
  else host.querySelector(".stale-line")?.remove();
}

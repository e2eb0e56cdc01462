// @ts-check
// Build the bar that plays the pass, before anything is played: the buttons, the scrubber, and the words beside them.

import { html } from "../base/dom.js";
import { icon } from "../base/icons.js";
import { SPEEDS } from "./play.js";

/** The bar and its parts, which nothing listens to yet. */
export function transportParts() {
  const play = button("play", "Play the pass", "Play");
  const back = keyed(button("back", "One step back  (←)"));
  const on = keyed(button("step", "One step on  (→)"));
  const finish = keyed(button("finish", "Finish the phase  (End)"));
  const scrubber = /** @type {HTMLInputElement} */ (
    html("input", {
      type: "range",
      class: "scrubber",
      min: 0,
      max: 1,
      step: 1,
      value: 0,
      "aria-label": "Step of the pass",
    })
  );
  const speed = /** @type {HTMLSelectElement} */ (
    html(
      "select",
      { class: "speed", "aria-label": "Speed", title: "Speed" },
      ...SPEEDS.map((one) => html("option", { value: one, selected: one === 1 }, `${one}\u00d7`)),
    )
  );
  const [equation, place] = [html("span", { class: "equation" }), html("span", { class: "place" })];
  const says = html("div", { class: "says", role: "status" }, equation);
  const bar = html(
    "div",
    { class: "transport", role: "group", "aria-label": "Play the pass" },
    play,
    back,
    on,
    finish,
    html("div", { class: "where" }, scrubber, place),
    speed,
    says,
  );
  return { bar, play, back, on, finish, scrubber, speed, equation, place, says };
}

/** @param {string} name of its icon @param {string} label @param {string} [word] */
const button = (name, label, word) =>
  /** @type {HTMLButtonElement} */ (
    html(
      "button",
      {
        type: "button",
        class: `go ${name === "play" ? "play" : ""}`,
        title: label,
        "aria-label": label.replace(/ {2}.*/, ""),
      },
      icon(name),
      word && html("span", {}, word),
    )
  );

/** Take a button out of the tab order: its key does the same, wherever the focus is on the transport.
 * @param {HTMLButtonElement} element */
function keyed(element) {
  element.tabIndex = -1;
  return element;
}

// @ts-check
// Show over the canvas that code is being read, with a button that stops it. The last good graph stays.

import { html } from "../base/dom.js";

const SAYS = "The code is being read.";

/** @param {() => void} stop @returns {HTMLElement} */
export const readingLine = (stop) =>
  html(
    "div",
    { class: "stale-line waits reading-line", role: "status" },
    SAYS,
    html("button", { type: "button", class: "stop-reading", click: stop }, "Stop"),
  );

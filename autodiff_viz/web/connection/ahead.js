// @ts-check
// Request and compile scripts ahead of the element that needs them, once the numbers are on the screen.

import { html } from "../base/dom.js";

/** A browser compiles such a script as it comes, in a task of its own: as early as the page, it would keep the first
 * numbers waiting. @param {string[]} paths relative to the page */
export function loadAhead(paths) {
  if (!paths.length) return;
  requestAnimationFrame(() =>
    setTimeout(() =>
      document.head.append(...paths.map((href) => html("link", { rel: "modulepreload", href }))),
    ),
  );
}

// @ts-check
// Show teachers the way to the page that counts what a class has sent.

import { html } from "../base/dom.js";

/** A link that leaves the graph on view where it is. */
export const classPage = () =>
  html(
    "a",
    { class: "class-page", href: "./?view=class", target: "_blank", rel: "noopener" },
    "Count a class",
  );

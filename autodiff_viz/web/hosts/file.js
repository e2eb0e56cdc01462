// @ts-check
// Run in a file without a server: each part in its place of the document, a theme that is the browser's until it is
// chosen, and nothing that is kept.

import { html } from "../base/dom.js";
import { BARE } from "../base/host.js";
import { TERM_CSS } from "../base/term.js";

/** @param {import("../base/host.js").Root} own @param {Record<string, string>} css @param {Record<string, HTMLElement>} parts */
function mount(own, css, parts) {
  for (const [name, part] of Object.entries(parts))
    own
      .querySelector(`[data-place="${name}"]`)
      ?.attachShadow({ mode: "open" })
      .replaceChildren(html("style", {}, `${css[name]}\n${TERM_CSS}`), part);
  return BARE.mount(own, css, parts);
}

/** @type {import("../base/host.js").Host} */
export const FILE = {
  ...BARE,
  name: "file",
  mount,
  setTheme: (theme) => (document.documentElement.style.colorScheme = theme),
};

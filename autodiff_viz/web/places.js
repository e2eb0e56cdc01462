// @ts-check
// Place the component's elements: the canvas in the component itself, the others in elements of the page
// (`place` in `ui/component.py`), each in a shadow tree with the style sheet of its folder. A place may
// appear later than the component, and may be replaced.

import { html } from "./base/dom.js";
import { TERM_CSS } from "./base/term.js";

const PLACE = "av-place";

/** Folders of the style sheets that have another name than their place. @type {Record<string, string>} */
const SHEETS = {
  node: "inspector",
  check: "checks",
  notes: "checks",
  slider_seat: "sliders",
  bar: "editor",
  panels: "workbench",
  plots: "workbench",
  panes: "workbench",
};

export class Places {
  /** @param {ParentNode & Node} own @param {Record<string, string>} css by folder @param {Record<string, HTMLElement>} hosts */
  constructor(own, css, { editor, ...hosts }) {
    this.css = css;
    this.hosts = hosts;
    /** Element whose class has Streamlit's theme as variables. @type {Element | null} */
    this.theme = own instanceof ShadowRoot ? own.host.parentElement : null;
    this.places = /** @type {HTMLCollectionOf<HTMLElement>} */ (
      document.getElementsByClassName(PLACE)
    ); // live
    this.put(own, "editor", editor);
    this.watcher = new MutationObserver(() => this.fill());
    this.watcher.observe(document.body, { childList: true, subtree: true });
    if (this.theme)
      this.watcher.observe(this.theme, { attributes: true, attributeFilter: ["class"] });
    this.fill();
  }

  /** Move elements that are not in their place. */
  fill() {
    for (const place of this.places) {
      const host = this.hosts[place.dataset.place ?? ""];
      if (!host) continue;
      const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
      const classes = `${PLACE} ${this.theme?.className ?? ""}`;
      if (place.className !== classes) place.className = classes;
      if (!root.contains(host)) this.put(root, place.dataset.place ?? "", host);
    }
  }

  /** @param {ParentNode & Node} root @param {string} name @param {HTMLElement} host */
  put(root, name, host) {
    root.replaceChildren(html("style", {}, `${this.css[SHEETS[name] ?? name]}\n${TERM_CSS}`), host);
  }

  close() {
    this.watcher.disconnect();
  }
}

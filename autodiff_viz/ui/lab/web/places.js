// @ts-check
// Placement of the component's elements: the canvas in the component itself, the others in places reserved on
// the page, each with the style sheet of its folder. A place may appear later than the component, and may be
// replaced.

import { html } from "../../web/dom.js";

const CAME = "autodiff-viz-place";

/** Places of the page, by name; filled by `ui/lab/source.py`. @returns {Map<string, ParentNode & Node>} */
const places = () => (/** @type {any} */ (globalThis).autodiff_viz_places ??= new Map());

/** Folders of the style sheets that have another name than their place. @type {Record<string, string>} */
const SHEETS = { node: "inspector", check: "checks", notes: "checks", bar: "editor", panels: "workbench", plots: "workbench" };

export class Places {
  /** @param {ParentNode & Node} own @param {Record<string, string>} css by folder @param {Record<string, HTMLElement>} hosts */
  constructor(own, css, hosts) {
    this.own = own;
    this.css = css;
    this.hosts = hosts;
    this.came = () => this.fill();
    document.addEventListener(CAME, this.came);
    this.fill();
  }

  /** Move elements that are not in their place. */
  fill() {
    for (const [name, host] of Object.entries(this.hosts)) {
      const place = name === "editor" ? this.own : places().get(name);
      if (!place?.isConnected || place.contains(host)) continue;
      place.replaceChildren(html("style", {}, this.css[SHEETS[name] ?? name]), host);
    }
  }

  close() {
    document.removeEventListener(CAME, this.came);
  }
}

// @ts-check
// Draw a line over the canvas while an edit's numbers take long, with the usual reason: a first gradient of a
// deep net can take seconds to compile.

import { html } from "../../../../web/dom.js";

const AFTER = 1000; // ms; most answers come in a tenth of that, and a line that flashes does not help

export const SAYS = "Waiting for JAX: it compiles new ops and gradients once";

export class Waiting {
  /** @param {{ append: (line: HTMLElement) => void }} host @param {() => HTMLElement} make */
  constructor(host, make = () => html("div", { class: "stale-line waits", role: "status" }, SAYS)) {
    this.host = host;
    this.make = make;
    /** @type {ReturnType<typeof setTimeout> | null} */
    this.timer = null;
    /** @type {HTMLElement | null} */
    this.line = null;
  }

  /** @param {boolean} on whether numbers are awaited */
  tell(on) {
    if (on === (this.timer !== null)) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = on ? setTimeout(() => this.show(), AFTER) : null;
    if (on) return;
    this.line?.remove();
    this.line = null;
  }

  show() {
    this.line = this.make();
    this.host.append(this.line);
  }
}

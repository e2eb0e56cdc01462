// @ts-check
// Keep the place of the tour, whose panel (tour/panel.js) comes with the first one.

import { html } from "../base/dom.js";
import { withPart } from "../later.js";

/** @typedef {import("./panel.js").TourPanel} TourPanel */

export class TourPlace {
  /** @param {import("../canvas/editor.js").Editor} editor @param {() => number} last number of the edit that was sent last */
  constructor(editor, last) {
    this.editor = editor;
    this.last = last;
    this.host = html("section", { class: "tour", "aria-label": "Tour" });
    /** @type {TourPanel | null} */
    this.panel = null;
    this.isComing = false;
    /** What came last. @type {Parameters<TourPanel["receive"]>} */
    this.word = [null, 0, false];
  }

  /** @param {Parameters<TourPanel["receive"]>} word */
  receive(...word) {
    this.word = word;
    if (this.panel) this.panel.receive(...word);
    else if (word[0] && !this.isComing) this.withPanel(() => {});
  }

  /** @param {boolean} on */
  edit(on) {
    this.withPanel((panel) => panel.edit(on));
  }

  /** Send what has been typed. */
  send() {
    this.panel?.send();
  }

  /** @param {(panel: TourPanel) => void} use */
  withPanel(use) {
    this.isComing = true;
    withPart(this.editor, "tour", ({ TourPanel }) => {
      const isNew = !this.panel;
      this.panel ??= new TourPanel(this.editor, this.host, this.last);
      if (isNew) this.panel.receive(...this.word);
      use(this.panel);
    });
  }
}

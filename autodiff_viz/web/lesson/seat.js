// @ts-check
// Place the question in the open lesson's panel, below its words, while that is on view; otherwise it stands above the
// canvas, and on a phone below it.

import { html } from "../base/dom.js";
import { PHONE } from "../dock/panels.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */

export class Seat {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.bar = /** @type {HTMLElement} */ (editor.root.querySelector(".asking"));
    this.home = document.createComment("question");
    this.bar.before(this.home);
    this.host = html("div", { class: "seat" });
    // It has no size while the panel is not on view.
    this.sized = new ResizeObserver(() => this.settle());
    this.sized.observe(this.host);
    editor.watchers.push(() => this.settle());
  }

  /** Whether the panel of a lesson is on view, with room for the question. */
  get isFree() {
    const { lesson, asking } = this.editor.drawing;
    return (
      Boolean(lesson && asking) &&
      this.host.isConnected &&
      this.host.getClientRects().length > 0 &&
      !matchMedia(PHONE).matches
    );
  }

  /** Move the question to where it belongs; a field in it keeps the focus and what is typed. */
  settle() {
    const seated = this.host.contains(this.bar);
    if (this.bar.hidden && !seated) return;
    if (this.isFree === seated) return;
    const root = /** @type {ShadowRoot | Document} */ (this.bar.getRootNode());
    const focused = /** @type {HTMLElement | null} */ (root.activeElement);
    const had = focused && this.bar.contains(focused) ? focused : null;
    if (seated) this.home.after(this.bar);
    else this.host.append(this.bar);
    had?.focus({ preventScroll: true });
  }

  close() {
    this.sized.disconnect();
  }
}

// @ts-check
// Place the question in the open lesson's panel, below its words, while that is on view; otherwise it stands above the
// canvas, and on a phone below it.

import { html } from "../base/dom.js";
import { PHONE } from "../dock/panels.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */

const MASKED = 24; // px at the foot of the panel that are pale
const LATE_MS = 8000; // within which that button and the ways to other lessons come

export class Seat {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.bar = /** @type {HTMLElement} */ (editor.root.querySelector(".asking"));
    this.home = document.createComment("question");
    this.bar.before(this.home);
    this.host = html("div", { class: "seat" });
    // It has no size while the panel is not on view.
    this.sized = new ResizeObserver(() => (this.settle(), this.bring()));
    this.sized.observe(this.host);
    this.said = ""; // of the answer
    this.until = 0;
    editor.watchers.push(() => (this.settle(), this.hear()));
  }

  /** Bring what is said of an answer into view, once it is said. */
  hear() {
    const said = this.bar.querySelector(".verdict")?.textContent ?? "";
    if (said === this.said) return;
    this.said = said;
    this.until = said ? performance.now() + LATE_MS : 0;
    const { panel } = this;
    const lesson = panel?.querySelector(".st-key-lesson");
    if (said && panel && lesson) {
      this.sized.observe(lesson);
      for (const by of ["wheel", "pointerdown", "keydown"])
        // whoever reads on is not brought back
        panel.addEventListener(by, () => (this.until = 0), { once: true, passive: true });
    }
    this.bring();
  }

  /** The element that scrolls the lesson. */
  get panel() {
    const root = /** @type {ShadowRoot | Document} */ (this.host.getRootNode());
    const outer = root instanceof ShadowRoot ? root.host : this.host;
    return outer.closest(".st-key-lesson_panel")?.parentElement;
  }

  /** Scroll the panel by the least amount that shows what is said of the answer. */
  bring() {
    const { panel, bar, host } = this;
    if (!panel || !host.contains(bar) || performance.now() > this.until) return;
    const said = /** @type {HTMLElement} */ (bar.querySelector(".verdict")).getBoundingClientRect();
    const { top, bottom } = panel.getBoundingClientRect();
    const foot = panel.querySelector(".st-key-lesson_foot:has(button)"); // covers it
    const covered = MASKED + (foot?.clientHeight ?? 0);
    const below = bar.getBoundingClientRect().bottom + covered - bottom;
    if (below > 0) panel.scrollTop += Math.min(below, said.top - top);
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

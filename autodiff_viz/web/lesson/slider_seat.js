// @ts-check
// Place the sliders that an exercise moves in the open lesson, below its exercises, while that takes their place.

import { html } from "../base/dom.js";
import { PHONE } from "../dock/panels.js";

/** A window in which the sliders are always on view; lab.css has the same limits. */
const BESIDE = "(min-width: 1800px) and (min-height: 560px)";

export class SliderSeat {
  /** @param {import("../sliders/sliders.js").Board} board */
  constructor(board) {
    this.board = board;
    this.home = html("div", { style: "display: contents" }, board.host);
    this.host = html("div", { class: "slider-seat" });
    /** @type {string[]} */
    this.names = [];
    // It has no size while the lesson is not on view.
    this.sized = new ResizeObserver(() => this.settle());
    this.sized.observe(this.host);
  }

  /** Take the exercise on view. @param {import("./exercise.js").Exercise | undefined} exercise */
  receive(exercise) {
    this.names = exercise?.moves ?? [];
    this.board.aim(exercise?.aims ?? {});
    this.settle();
  }

  /** Whether the lesson is on view, and the sliders are not. */
  get isFree() {
    return (
      this.names.length > 0 &&
      this.host.isConnected &&
      this.host.getClientRects().length > 0 &&
      !matchMedia(PHONE).matches &&
      !matchMedia(BESIDE).matches
    );
  }

  settle() {
    const { board, home, host, isFree } = this;
    if (board.isHeld) return; // a slider that is moved stays under its finger
    board.only(isFree ? this.names : null);
    const place = isFree ? host : home;
    if (!place.contains(board.host)) place.append(board.host);
  }

  close() {
    this.sized.disconnect();
  }
}

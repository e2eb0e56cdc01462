// @ts-check
// The slider of a training's steps. Streamlit draws it and tells Python of it on release; while it is dragged, each
// step is sent as an edit, so that the canvas follows, and a line on the training figure follows too.

import { html } from "../../web/dom.js";
import { placeOf } from "./marker.js";

/** @typedef {import("./marker.js").Plot} Plot */

const SLIDER = ".st-key-train_track [data-testid='stSlider']";
const RELEASED_MS = 60; // until a slider that was released shows its last step
const PLOT = ".st-key-part_curves .js-plotly-plot"; // its horizontal axis is the steps

/** Sender of the newest of several values: one at a time, the next once the last one is answered. */
export class Newest {
  /** @param {(value: number) => void} send @param {() => boolean} isWaiting whether one has not been answered yet */
  constructor(send, isWaiting) {
    this.send = send;
    this.isWaiting = isWaiting;
    /** @type {number | null} */
    this.sent = null;
    /** @type {number | null} */
    this.next = null;
  }

  /** @param {number} value */
  give(value) {
    this.next = value === this.sent ? null : value;
    this.answered();
  }

  answered() {
    if (this.next === null || this.isWaiting()) return;
    [this.sent, this.next] = [this.next, null];
    this.send(this.sent);
  }

  /** Forget what was sent: the value may have been changed elsewhere since. */
  begin() {
    [this.sent, this.next] = [null, null];
  }
}

/** @param {(step: number) => void} send @param {() => boolean} isWaiting */
export function listenToSteps(send, isWaiting) {
  const newest = new Newest(send, isWaiting);
  const listening = new AbortController();
  document.addEventListener("pointerdown", (event) => {
    const slider = event.target instanceof Element ? event.target.closest(SLIDER) : null;
    const input = slider?.querySelector("input");
    if (input && !input.disabled && event.button === 0) follow(input, newest);
  }, { capture: true, signal: listening.signal });
  return { answered: () => newest.answered(), close: () => listening.abort() };
}

/** Follow a slider until it is released. @param {HTMLInputElement} input @param {Newest} newest */
function follow(input, newest) {
  const ending = new AbortController();
  const line = html("div", { class: "step-marker", "aria-hidden": "true" });
  line.style.cssText = "position:absolute;top:0;bottom:0;width:2px;pointer-events:none;background:currentColor;opacity:0.6";
  let before = Number(input.value);
  let held = true;
  newest.begin();
  const look = () => {
    const step = Number(input.value);
    if (step !== before) newest.give(step), mark(line, step);
    before = step;
    if (held) requestAnimationFrame(look); // the slider shows a move some time after its event
  };
  const end = () => {
    ending.abort();
    held = false;
    setTimeout(() => (look(), line.remove()), RELEASED_MS);
  };
  requestAnimationFrame(look);
  for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, end, { capture: true, signal: ending.signal });
}

/** Put the line at a step of the training figure, if there is one. @param {HTMLElement} line @param {number} step */
function mark(line, step) {
  const plot = /** @type {Plot | null} */ (document.querySelector(PLOT));
  const across = plot?._fullLayout?.xaxis;
  if (!plot || !across?.range) return line.remove();
  line.style.left = `${placeOf({ offset: across._offset, length: across._length, range: across.range.map(Number) }, step)}px`;
  if (line.parentElement !== plot) plot.append(line);
}

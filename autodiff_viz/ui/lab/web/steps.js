// @ts-check
// Follow the slider of a training's steps, which Streamlit draws. While the slider is dragged, each step is
// sent as an edit, so that the canvas follows, as do the marks on the training figure; Streamlit sends the
// step to Python on release.

import { StepMark } from "./stepmark.js";

const SLIDER = ".st-key-train_track [data-testid='stSlider']";
const RELEASED_MS = 60; // until a slider that was released shows its last step

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

/** @param {(step: number) => void} send @param {() => boolean} isWaiting
 * @param {() => import("./stepmark.js").Moment | undefined} momentNow the step that the canvas shows */
export function listenToSteps(send, isWaiting, momentNow) {
  const newest = new Newest(send, isWaiting);
  const listening = new AbortController();
  const mark = new StepMark();
  let held = false;
  document.addEventListener("pointerdown", (event) => {
    const slider = event.target instanceof Element ? event.target.closest(SLIDER) : null;
    const input = slider?.querySelector("input");
    if (!input || input.disabled || event.button !== 0) return;
    const hold = (/** @type {boolean} */ on) => {
      held = on;
      document.documentElement.toggleAttribute("data-av-step", on); // what is marked here is not of another state: lab.css
    };
    hold(true);
    newest.begin();
    follow(input, (step) => (newest.give(step), mark.show(step, momentNow())), () => hold(false));
  }, { capture: true, signal: listening.signal });
  const answered = () => {
    newest.answered();
    if (held) mark.tell(momentNow());
  };
  return { answered, close: () => listening.abort() };
}

/** Follow a slider until it is released. @param {HTMLInputElement} input @param {(step: number) => void} moved @param {() => void} done */
function follow(input, moved, done) {
  const ending = new AbortController();
  let before = Number(input.value);
  let held = true;
  const look = () => {
    const step = Number(input.value);
    if (step !== before) moved(step);
    before = step;
    if (held) requestAnimationFrame(look); // the slider shows a move some time after its event
  };
  const end = () => {
    ending.abort();
    held = false;
    setTimeout(() => (look(), done()), RELEASED_MS); // the marks go with the figure, which is drawn again now
  };
  requestAnimationFrame(look);
  for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, end, { capture: true, signal: ending.signal });
}

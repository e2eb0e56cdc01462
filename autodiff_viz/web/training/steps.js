// @ts-check
// Follow the slider of a training's steps while Streamlit waits for its release: send each step as an edit,
// for the canvas, and mark it on the training figure.

import { html, setText } from "../base/dom.js";
import { numberText } from "../base/numbers.js";
import { placeOf } from "../dock/marker.js";

// The mark of a step on the page: a line, a dot on the loss and its number on the training figure, and the
// words below the slider. The figure's own marks, which its `meta` names (training/figure_axes.py), are
// hidden meanwhile.

/** @typedef {import("../dock/marker.js").Plot & { calcdata?: any[], _fullData?: any[] }} Plot */
/**
 * The step that the canvas shows.
 *
 * @typedef {object} Moment
 * @property {number} step
 * @property {string} says
 * @property {import("../base/numbers.js").Num} [loss]
 */
/** @typedef {[x: number, y: number][]} Points px, in the order of x */

const PLOT = ".st-key-part_curves .js-plotly-plot"; // its horizontal axis is the steps
const WORDS = ".st-key-train_where [data-testid='stText']";
const LINE = "loss"; // name of the trace that the dot is on
const HEADLINE = "headline"; // and of the text in the row of the note

/** Height of a line at an x; none beyond its ends and in its gaps. @param {Points} points @param {number} x @returns {number | undefined} */
export function heightAt(points, x) {
  const after = points.findIndex(([at]) => at >= x - 1e-6);
  if (after < 0 || (points[after][0] > x + 1e-6 && after === 0)) return undefined;
  const [a, b] = [points[Math.max(after - 1, 0)], points[after]];
  const share = b[0] - a[0] > 1e-6 ? (x - a[0]) / (b[0] - a[0]) : 1;
  const y = share > 1 - 1e-6 ? b[1] : a[1] + share * (b[1] - a[1]);
  return Number.isFinite(y) ? y : undefined;
}

export class StepMark {
  constructor() {
    const style = (/** @type {string} */ look) => `position:absolute;pointer-events:none;${look}`;
    this.line = html("div", { style: style("width:2px;background:currentColor;opacity:0.6") });
    this.dot = html("div", {
      style: style(
        "width:12px;height:12px;margin:-6px;border-radius:50%;background:var(--av-plot-cotangent)",
      ),
    });
    this.said = html("span");
    this.note = html(
      "div",
      { style: style("white-space:nowrap;font-weight:600") },
      html("span", { style: "color:var(--av-plot-cotangent)" }, "\u25cf "),
      this.said,
    );
    this.root = html(
      "div",
      { class: "step-marker", "aria-hidden": "true", style: style("inset:0;z-index:2") },
      this.line,
      this.dot,
      this.note,
    );
    this.hides = html("style", {}); // goes with the figure, which is replaced once the server has drawn the step
    this.step = -1;
    /** @type {Plot | null} */
    this.plot = null;
  }

  /** @param {number} step @param {Moment | undefined} moment */
  show(step, moment) {
    this.step = step;
    const plot = /** @type {Plot | null} */ (document.querySelector(PLOT));
    const across = plot?._fullLayout?.xaxis;
    const steps = plot?.layout?.meta?.steps;
    if (plot && across?.range && steps) this.place(plot, across, steps);
    else this.root.remove();
    this.tell(moment);
  }

  /** @param {Plot} plot @param {any} across its axis of steps @param {{ shape?: number, note?: number }} steps its own marks */
  place(plot, across, steps) {
    if (this.root.parentElement !== plot) this.begin(plot, steps);
    const axis = {
      offset: across._offset,
      length: across._length,
      range: across.range.map(Number),
    };
    const up = plot._fullLayout.yaxis;
    const x = placeOf(axis, this.step);
    Object.assign(this.line.style, {
      left: `${x - 1}px`,
      top: `${up._offset}px`,
      height: `${up._length}px`,
    });
    const y = heightAt(this.points(plot, axis, up), x);
    this.dot.hidden = y === undefined;
    if (y !== undefined) Object.assign(this.dot.style, { left: `${x}px`, top: `${y}px` });
  }

  /** @param {Plot} plot @param {{ shape?: number, note?: number }} steps */
  begin(plot, { shape, note }) {
    const colour = getComputedStyle(plot.querySelector(".annotation-text tspan") ?? plot);
    Object.assign(this.note.style, {
      color: colour.fill === "none" ? "" : colour.fill,
      fontSize: colour.fontSize,
      top: "2px",
      right: "20px",
    });
    const own = note === undefined ? null : plot.querySelector(`.annotation[data-index="${note}"]`);
    if (own) {
      const [figure, annotation] = [plot.getBoundingClientRect(), own.getBoundingClientRect()];
      Object.assign(this.note.style, {
        top: `${annotation.top - figure.top}px`,
        right: `${figure.right - annotation.right}px`,
      });
    }
    const over = plot.layout?.annotations?.findIndex(
      (/** @type {{ name?: string }} */ { name }) => name === HEADLINE,
    ); // the note takes its place
    const notes = [note, over]
      .filter((index) => index !== undefined && index >= 0)
      .map((index) => `.annotation[data-index="${index}"]`);
    const hidden = [
      shape !== undefined && `.shapelayer [data-index="${shape}"]`,
      ...notes,
      this.ownDot(plot),
    ].filter(Boolean);
    setText(
      this.hides,
      hidden.length
        ? `.js-plotly-plot:has(> .step-marker) :is(${hidden.join(", ")}) { visibility: hidden; }`
        : "",
    );
    this.plot = plot;
    plot.append(this.root);
    this.root.append(this.hides);
  }

  /** Selector of the dot that the figure has at the step that was on view. @param {Plot} plot */
  ownDot({ _fullData: traces = [] }) {
    const uid = traces.find(({ name }) => name === "shown")?.uid;
    return uid && `.trace${CSS.escape(uid)}`;
  }

  /** Places of the loss. @param {Plot} plot @param {import("../dock/marker.js").Axis} axis @param {any} up @returns {Points} */
  points({ calcdata = [], _fullData = [] }, axis, up) {
    const line = calcdata[_fullData.findIndex(({ name }) => name === LINE)] ?? [];
    return line.map((/** @type {{ x: number, y: number }} */ { x, y }) => [
      placeOf(axis, x),
      up._offset + up.c2p(y),
    ]);
  }

  /** Write the numbers of the step, once they are known. @param {Moment | undefined} moment */
  tell(moment) {
    const loss = moment?.step === this.step && moment.loss;
    this.note.hidden = this.dot.hidden;
    setText(this.said, loss ? `step ${this.step}: ${numberText(loss)}` : `step ${this.step}`);
    if (moment?.step !== this.step) return;
    const words = document.querySelector(WORDS);
    const text = words && document.createTreeWalker(words, NodeFilter.SHOW_TEXT).nextNode();
    if (text && text.nodeValue !== moment.says) text.nodeValue = moment.says; // the node stays: it is React's
  }
}

const SLIDER = ".st-key-train_track [data-testid='stSlider']";
const RELEASED_MS = 60; // until a slider that was released shows its last step

/** Sender of the newest of several values: one at a time, the next once the last one is answered. */
export class NewestSender {
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
 * @param {() => Moment | undefined} momentNow the step that the canvas shows */
export function listenToSteps(send, isWaiting, momentNow) {
  const newest = new NewestSender(send, isWaiting);
  const listening = new AbortController();
  const mark = new StepMark();
  let held = false;
  document.addEventListener(
    "pointerdown",
    (event) => {
      const slider = event.target instanceof Element ? event.target.closest(SLIDER) : null;
      const input = slider?.querySelector("input");
      if (!input || input.disabled || event.button !== 0) return;
      const hold = (/** @type {boolean} */ on) => {
        held = on;
        document.documentElement.toggleAttribute("data-av-step", on); // what is marked here is not of another state: lab.css
      };
      hold(true);
      newest.begin();
      follow(
        input,
        (step) => (newest.give(step), mark.show(step, momentNow())),
        () => hold(false),
      );
    },
    { capture: true, signal: listening.signal },
  );
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
  for (const kind of ["pointerup", "pointercancel"])
    addEventListener(kind, end, { capture: true, signal: ending.signal });
}

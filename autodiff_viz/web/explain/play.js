// @ts-check
// Play the pass: request its steps once, then show one after the other, each with the numbers computed so
// far. An edit, a slider or a training that changes a number ends the play.

import { setText, svg } from "../base/dom.js";
import { listen, dispatch } from "../base/events.js";
import { isForward, toggleForward } from "../canvas/actions/commands.js";
import { describe } from "../canvas/draw/cards.js";
import { wireId, writeWireTitle } from "../canvas/draw/wires.js";
import { nodesOf, wiresOf } from "../canvas/state/fold.js";

// What has been computed after some steps. Pure.

/**
 * A step as explain/play/view.py sends it.
 *
 * @typedef {object} Step
 * @property {string} node
 * @property {boolean} [back] whether it is of the backward pass
 * @property {string} [again] the checkpoint region that runs again
 * @property {boolean} [dropped] whether nothing of this run is needed
 * @property {boolean} [slope] whether only the slope is needed of it, and the value dropped
 * @property {string[]} [wires] those that the step uses, as "node:slot"
 * @property {number} live elements that are still to be read after it
 * @property {string} says its equation
 */
/**
 * @typedef {object} Sent
 * @property {number} state of the numbers
 * @property {Step[]} steps
 * @property {string} [says] why there are no steps
 */
/**
 * @typedef {object} Shown
 * @property {Set<string>} values the nodes whose value is computed
 * @property {Set<string>} cotangents the nodes whose cotangent is computed
 * @property {Set<string>} passed the wires down which something has been passed
 * @property {Step | null} step the last one
 * @property {boolean} done
 */

export const SPEEDS = [0.5, 1, 2, 4];
const STEP_MS = 1100; // at speed 1

/** @param {number} speed */
export const delayOf = (speed) => STEP_MS / speed;

/** What has been computed after the first `at` steps. @param {Step[]} steps @param {number} at @returns {Shown} */
export function shownAfter(steps, at) {
  /** @type {Shown} */
  const shown = {
    values: new Set(),
    cotangents: new Set(),
    passed: new Set(),
    step: steps[at - 1] ?? null,
    done: at >= steps.length,
  };
  for (const { node, back, again, wires = [] } of steps.slice(0, at)) {
    if (!back) shown.values.add(node);
    else if (!again) {
      shown.cotangents.add(node);
      for (const wire of wires) shown.passed.add(wire);
    }
  }
  return shown;
}

/** Whether the number at a place is computed. @param {Shown} shown @param {string} place as in a slider's table: "value y", "passed y:0" */
export function isComputed({ values, cotangents, passed, done }, place) {
  const [what, name] = place.split(" ");
  if (done) return true;
  if (what === "value") return values.has(name);
  return what === "cotangent" || what === "changed" ? cotangents.has(name) : passed.has(name);
}

/** Number of forward steps. @param {Step[]} steps */
export function turnOf(steps) {
  const first = steps.findIndex(({ back }) => back);
  return first < 0 ? steps.length : first;
}

/** How many steps are done when the phase is finished that comes after `at` steps. @param {Step[]} steps @param {number} at */
export const phaseEnd = (steps, at) => (at < turnOf(steps) ? turnOf(steps) : steps.length);

/** @param {Step[]} steps @param {number} at */
export const clampStep = (steps, at) => Math.min(Math.max(Math.round(at), 0), steps.length);

/** The phase, its step and the number of its steps. @param {Step[]} steps @param {number} at @returns {[string, number, number]} */
function placeOf(steps, at) {
  const turn = turnOf(steps);
  return at <= turn ? ["forward", at, turn] : ["backward", at - turn, steps.length - turn];
}

/** The place in the pass, in words. @param {Step[]} steps @param {number} at */
export function placeSays(steps, at) {
  const [phase, step, count] = placeOf(steps, at);
  return at ? `${phase}, step ${step} of ${count}` : "before the first step";
}

/** The same, as short as it stands under the scrubber. @param {Step[]} steps @param {number} at */
export const placeText = (steps, at) =>
  placeOf(steps, at)
    .join(" ")
    .replace(/ (\d+)$/, " of $1");

/** A number of the graph, or a count. @typedef {{ of: "value" | "cotangent" | "passed" | "kept" | "runs", node: string, slot?: number }} Quantity */

/** After how many steps a number is computed; 0 if no step computes it. All that is kept is there at the turn, and
 * runs are counted after the last one. @param {Step[]} steps @param {Quantity} about */
export function stepOf(steps, { of, node, slot }) {
  if (of === "kept") return turnOf(steps);
  if (of === "runs")
    return 1 + steps.findLastIndex((step) => step.node === node && (!step.back || step.again));
  return computedAt(steps, { of, node, slot });
}

/** @param {Step[]} steps @param {Quantity} about */
const computedAt = (steps, { of, node, slot }) =>
  1 +
  steps.findIndex(
    (step) =>
      step.node === node &&
      !step.again &&
      Boolean(step.back) === (of !== "value") &&
      (of !== "passed" || Boolean(step.wires?.includes(`${node}:${slot}`))),
  );

/** How many elements are live, in words. @param {Step} step */
export const liveSays = ({ live }) => `${live} live`;

// The canvas while a pass is played: numbers that are not yet computed are a thin dash, the wires of the step
// are highlighted.

/** @typedef {import("../canvas/draw/stage.js").Stage} Stage */
/** @typedef {import("../canvas/draw/cards.js").Card} Card */

const WHICH = /** @type {const} */ (["value", "cotangent"]);
const DASH = 13; // px
const LATER = "not computed yet"; // for screen readers and tooltips
const CARD = ["no-value", "no-cotangent", "at-work", "runs-again", "is-dropped"];
const STRAND = ["no-flow", "flows", "flows-back"];

/** @param {Stage} stage @param {Shown} shown */
export function paintPlay(stage, shown) {
  const { step } = shown;
  stage.host.dataset.play = step?.back ? "backward" : "forward";
  for (const card of stage.cards.values()) paintCard(card, shown);
  const lit = new Set(step?.wires);
  for (const strand of stage.strands.values()) {
    const { root, number, wire } = strand;
    const ids = wiresOf(wire).map(wireId);
    const flows = ids.some((id) => lit.has(id));
    const back = Boolean(step?.back && !step.again);
    const isKnown = shown.done || ids.some((id) => shown.passed.has(id)); // also that nothing is passed
    for (const part of [root, number]) part.classList.toggle("no-flow", !isKnown);
    writeWireTitle(strand, isKnown);
    root.classList.toggle("flows", flows && !back);
    root.classList.toggle("flows-back", flows && back);
  }
  for (const entries of Object.values(stage.regions))
    for (const [name, { root }] of entries)
      root.classList.toggle("runs-again", name === step?.again);
}

/** @param {Card} card @param {Shown} shown */
function paintCard(card, { values, cotangents, step, done }) {
  const { root, node } = card;
  if (!node) return;
  const name = node.group ? node.group.output : node.id;
  const known = {
    value: done || values.has(name ?? ""),
    cotangent: done || cotangents.has(name ?? "") || !node.connected,
  };
  const { problem, warning, state, ...rest } = node; // sentences of all numbers
  describe(card, {
    ...rest,
    ...(!known.value && { value: LATER, valueFull: undefined }),
    ...(!known.cotangent && { cotangent: LATER, cotangentFull: undefined }),
  });
  const works = step !== null && nodesOf(node).includes(step.node);
  for (const which of WHICH) {
    root.classList.toggle(`no-${which}`, !known[which]);
    for (const part of drawn(card, which)) part.style.visibility = known[which] ? "" : "hidden";
  }
  root.classList.toggle("at-work", works);
  root.classList.toggle("runs-again", works && Boolean(step?.again));
  root.classList.toggle("is-dropped", works && Boolean(step?.dropped));
  if (card.numbers && !root.querySelector(".blank"))
    root.append(...blanks(card), svg("text", { class: "again-mark", x: 2, y: node.h + 15 }));
  const mark = root.querySelector(".again-mark");
  if (mark && works)
    setText(mark, step?.dropped ? "dropped" : step?.slope ? "slope alone" : "again");
}

/** Heat-maps and cells of a tensor. @param {Card} card @param {"value" | "cotangent"} which @returns {SVGElement[]} */
function drawn({ numbers }, which) {
  const block = numbers?.cells?.[which];
  return [
    ...Object.values(numbers?.pictures?.[which] ?? {}),
    ...(block ? [block.image, ...block.texts] : []),
  ];
}

/** A dash in the place of each number. @param {Card} card */
function blanks({ numbers }) {
  return WHICH.map((which) => {
    const [x, y] = ["x", "y"].map((name) => Number(numbers?.[which].getAttribute(name)));
    return svg("path", { class: `blank ${which}`, d: `M${x - DASH} ${y - 5}h${DASH}` });
  });
}

/** Show the full picture. @param {Stage} stage */
export function clearPlay(stage) {
  delete stage.host.dataset.play;
  for (const card of stage.cards.values()) {
    const { root, node } = card;
    if (node) describe(card, node);
    root.classList.remove(...CARD);
    for (const mark of root.querySelectorAll(".blank, .again-mark")) mark.remove();
    for (const which of WHICH) for (const part of drawn(card, which)) part.style.visibility = "";
  }
  for (const strand of stage.strands.values()) {
    for (const part of [strand.root, strand.number]) part.classList.remove(...STRAND);
    if (strand.wire) writeWireTitle(strand, true);
  }
  for (const entries of Object.values(stage.regions))
    for (const { root } of entries.values()) root.classList.remove("runs-again");
}

/** @typedef {import("../canvas/editor.js").Editor} Editor */

const LIVE = "The pass is played when the training stops.";
const CHANGED = "The numbers have changed: play again.";
const WAITING = "Preparing the steps …";

export class Player {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    /** The steps that came last. @type {Sent | null} */
    this.sent = null;
    /** Steps that are done; null while nothing is played. @type {number | null} */
    this.at = null;
    this.runs = false; // by itself, one step after the other
    this.speed = 1;
    this.timer = 0;
    /** What to do when the steps are there. @type {(() => void) | null} */
    this.wish = null;
    /** State of the numbers for which the steps were requested. @type {number | null} */
    this.asked = null;
    this.hid = false; // numbers, when last looked
    /** Why nothing is played, if there is a reason. */
    this.reason = "";
    this.played = false; // to its end, at least once
    /** Directions in which the pass on view has been stepped. @type {Set<number>} */
    this.ways = new Set();
    this.had = false; // steps of the numbers on view, when last looked
    /** The document on view, when last looked. @type {unknown} */
    this.graph = null;
    /** Callbacks after every change. @type {(() => void)[]} */
    this.watchers = [];
    /** What is done in place of ending the play when the numbers change; false: it ends. @type {(isOther: boolean) => boolean} */
    this.renews = () => false;
    const gone = () => !editor.stage.host.isConnected && editor.drawing.rev >= 0;
    listen("played", (sent) => this.take(sent), gone);
    listen("scrub", () => this.renews(false) || this.leave(CHANGED), gone);
    editor.watchers.push(() => this.follow());
  }

  /** The steps of the numbers on view, if they are here. @returns {Step[] | null} */
  get steps() {
    return this.isCurrent && this.sent?.steps.length ? this.sent.steps : null;
  }

  get isCurrent() {
    return (
      this.sent !== null && this.sent.state === this.editor.drawing.state && !this.editor.isUnsure
    );
  }

  /** Play, or pause. */
  toggle() {
    if (this.runs || this.wish) return this.pause();
    this.need((steps) => {
      this.runs = true;
      this.go(this.at === null || this.at >= steps.length ? 1 : this.at + 1);
    });
  }

  pause() {
    clearTimeout(this.timer);
    [this.runs, this.wish, this.asked] = [false, null, null];
    this.changed();
  }

  /** Go a step on, or back. @param {1 | -1} by */
  step(by) {
    this.need(() => {
      this.runs = false;
      this.go((this.at ?? 0) + by);
      this.ways.add(by);
      if (this.ways.size === 2 && this.sent) dispatch("stepped", { state: this.sent.state });
    });
  }

  finishPhase() {
    this.need((steps) => {
      this.runs = false;
      this.go(phaseEnd(steps, this.at ?? 0));
    });
  }

  /** @param {number} at */
  seek(at) {
    this.need(() => {
      this.runs = false;
      this.go(at);
    });
  }

  /** Do something with the steps, now or when they have come. @param {(steps: Step[]) => void} act */
  need(act) {
    this.reason = "";
    if (this.editor.drawing.live) return this.refuse(LIVE);
    if (isForward(this.editor)) toggleForward(this.editor); // the pass is that of reverse mode
    if (this.steps) return act(this.steps);
    this.wish = () => this.steps && act(this.steps);
    this.asked = null; // each press asks again: a message may be lost
    this.request();
    this.changed();
  }

  /** Request the steps, once for each state of the numbers; not while an edit is on its way. */
  request() {
    const { state } = this.editor.drawing;
    if (!this.wish || this.editor.isUnsure || state === undefined || this.asked === state) return;
    this.asked = state;
    dispatch("wants-play", { state });
  }

  /** @param {Sent} sent */
  take(sent) {
    if (sent.state !== this.editor.drawing.state) return;
    [this.sent, this.asked] = [sent, null];
    this.ways.clear();
    if (!sent.steps.length) return this.refuse(sent.says ?? "");
    const wish = this.wish;
    this.wish = null;
    wish?.();
  }

  /** @param {string} reason */
  refuse(reason) {
    [this.wish, this.asked, this.reason] = [null, null, reason];
    this.changed();
  }

  /** Show the state after `at` steps. @param {number} at */
  go(at) {
    const steps = this.steps ?? [];
    clearTimeout(this.timer);
    this.at = clampStep(steps, at);
    if (this.at === steps.length) this.played = true;
    const shown = shownAfter(steps, this.at);
    paintPlay(this.editor.stage, shown);
    this.tellComputed(shown.done ? null : (place) => isComputed(shown, place));
    dispatch("runs", { node: shown.step?.node ?? null });
    if (this.runs) this.timer = window.setTimeout(() => this.onward(), delayOf(this.speed));
    this.changed();
  }

  onward() {
    const steps = this.steps;
    if (!steps || this.at === null) return;
    if (this.at < steps.length) this.go(this.at + 1);
    else this.leave();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    if (this.runs) {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.onward(), delayOf(speed));
    }
    this.changed();
  }

  /** End the play: the full picture. @param {string} [reason] @returns {boolean} whether something was played */
  leave(reason = "") {
    if (this.at === null && !this.wish) return false;
    clearTimeout(this.timer);
    [this.at, this.runs, this.wish, this.asked, this.reason] = [null, false, null, null, reason];
    clearPlay(this.editor.stage);
    this.tellComputed(null);
    dispatch("runs", { node: null });
    this.changed();
    return true;
  }

  /** Show all numbers, if nothing is played. */
  clear() {
    if (this.at === null) clearPlay(this.editor.stage);
  }

  /** Tell the rest of the page which numbers the pass has computed, by place; null: all. @param {((place: string) => boolean) | null} isComputed */
  tellComputed(isComputed) {
    this.editor.isComputed = isComputed;
    document.documentElement.toggleAttribute("data-av-play", isComputed !== null); // lab.css hides what is of the whole pass
    dispatch("play", { isComputed });
  }

  /** Follow a change of the canvas: paint what is new, or end. */
  follow() {
    const { graph, asking } = this.editor.drawing;
    const isOther = graph !== this.graph;
    const hides = Boolean(asking?.hiding);
    const isTold = this.hid && !hides;
    [this.graph, this.hid] = [graph, hides];
    if ((isOther || isTold) && this.reason) {
      // of a graph that is no longer on view, or of questions that are answered by now
      this.reason = "";
      this.changed();
    }
    if (this.at !== null && !this.isCurrent)
      this.renews(isOther) || this.leave(isOther ? "" : CHANGED);
    else if (this.at !== null && this.steps)
      paintPlay(this.editor.stage, shownAfter(this.steps, this.at));
    else if (this.wish) this.request();
    const has = this.steps !== null;
    if (has !== this.had) this.changed();
    this.had = has;
  }

  /** The text beside the bar: of a step whose number was asked for, with the answer that was given. */
  get says() {
    if (this.wish) return WAITING;
    if (this.at === null) return this.reason;
    const says = this.steps?.[this.at - 1]?.says ?? "";
    const items = this.editor.drawing.asking?.items ?? [];
    const here = items.filter(
      (item) =>
        item.revealed &&
        (item.tries.at(-1) ?? "?") !== "?" &&
        stepOf(this.steps ?? [], item) === this.at,
    );
    // Spaces that do not break: it never stands on a line by itself.
    const said = here.map(({ tries }) =>
      ` \u00b7 you said ${tries.at(-1)}`.replaceAll(" ", "\u00a0"),
    );
    return says + said.join("");
  }

  /** Show the step that computes a number. @param {Quantity} about */
  seekNumber(about) {
    this.need((steps) => {
      const at = stepOf(steps, about);
      this.runs = false;
      if (at) this.go(at);
    });
  }

  changed() {
    this.watchers.forEach((watch) => watch());
  }
}

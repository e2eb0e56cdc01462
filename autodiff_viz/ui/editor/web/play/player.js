// @ts-check
// Play the pass: request the steps once, then show one after the other. It shows only the numbers that the
// steps were made for: an edit, a slider or a training that changes a number ends the play.

import { isForward, toggleForward } from "../forward/commands.js";
import { hear, tell } from "../../../web/news.js";
import { delayOf, isComputed, phaseEnd, shownAfter, within } from "./model.js";
import { clearPlay, paintPlay } from "./paint.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("./model.js").Sent} Sent */
/** @typedef {import("./model.js").Step} Step */

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
    const gone = () => !editor.stage.host.isConnected && editor.drawing.rev >= 0;
    hear("played", (sent) => this.take(sent), gone);
    hear("scrub", () => this.leave(CHANGED), gone);
    editor.watchers.push(() => this.follow());
  }

  /** The steps of the numbers on view, if they are here. @returns {Step[] | null} */
  get steps() {
    return this.isCurrent && this.sent?.steps.length ? this.sent.steps : null;
  }

  get isCurrent() {
    return this.sent !== null && this.sent.state === this.editor.drawing.state && !this.editor.isUnsure;
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
      if (this.ways.size === 2 && this.sent) tell("stepped", { state: this.sent.state });
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
    tell("wants-play", { state });
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
    this.at = within(steps, at);
    if (this.at === steps.length) this.played = true;
    const shown = shownAfter(steps, this.at);
    paintPlay(this.editor.stage, shown);
    this.tellComputed(shown.done ? null : (place) => isComputed(shown, place));
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
    this.changed();
    return true;
  }

  /** Tell the rest of the page which numbers the pass has computed, by place; null: all. @param {((place: string) => boolean) | null} isComputed */
  tellComputed(isComputed) {
    this.editor.isComputed = isComputed;
    document.documentElement.toggleAttribute("data-av-play", isComputed !== null); // lab.css hides what is of the whole pass
    tell("play", { isComputed });
  }

  /** Follow a change of the canvas: paint what is new, or end. */
  follow() {
    const { graph } = this.editor.drawing;
    const isOther = graph !== this.graph;
    this.graph = graph;
    if (isOther && this.reason) { // of a graph that is no longer on view
      this.reason = "";
      this.changed();
    }
    if (this.at !== null && !this.isCurrent) this.leave(isOther ? "" : CHANGED);
    else if (this.at !== null && this.steps) paintPlay(this.editor.stage, shownAfter(this.steps, this.at));
    else if (this.wish) this.request();
    const has = this.steps !== null;
    if (has !== this.had) this.changed();
    this.had = has;
  }

  /** The text beside the bar. */
  get says() {
    if (this.wish) return WAITING;
    return this.at === null ? this.reason : (this.steps?.[this.at - 1]?.says ?? "");
  }

  changed() {
    this.watchers.forEach((watch) => watch());
  }
}

// @ts-check
// Show one graph to an audience, as large as the window allows, with a caption, the numbers that matter, and the
// keys of a presenter's remote.

import { html, setText } from "../base/dom.js";
import { isNegative } from "../base/numbers.js";
import { dispatch, listen } from "../base/events.js";
import { readList, TAB, writeList } from "../base/store.js";
import { isForward, toggleForward } from "../canvas/actions/commands.js";
import { measureCanvas } from "../canvas/draw/stage.js";
import { paintPlay, shownAfter } from "../explain/play.js";
import { playerOf } from "../explain/play_bar.js";
import { codePicture } from "../share/code.js";
import {
  answersNow,
  GRAINS,
  leastType,
  seenIn,
  stopAfter,
  stopBefore,
  stopsOf,
  toldNumbers,
  usualGrain,
  veiled,
  withSeen,
} from "./course.js";
import { NAME } from "./open.js";
import { openLine } from "./signals.js";
import { worded } from "./words.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("./course.js").Grain} Grain */
/** @typedef {import("./signals.js").Order} Order */

const NEAREST = 1.6; // scale at which a card says all
const TURNS = 6; // a view is fitted again until its level of detail, on which the size of the drawing depends, is settled
const CORNER_MS = 2500; // for which the corner's buttons stay when the pointer rests

/** Keys of the stage, as they are printed, with what they do. @type {[keys: string[], act: string, says: string][]} */
export const KEYS = [
  [["ArrowRight", " ", "PageDown"], "next", "On: the pass, the answer, then the next step"],
  [["ArrowLeft", "PageUp", "Backspace"], "back", "Back"],
  [["ArrowDown"], "skip", "To the next step"],
  [["ArrowUp"], "return", "To the step before"],
  [["Home"], "first", "To the first step"],
  [["End"], "last", "To the last step"],
  [["h"], "hide", "Hide what comes back, or show it"],
  [["a"], "ask", "Ask what arrives, or answer"],
  [["b", "."], "blank", "Blank"],
  [["p"], "point", "A pointer"],
  [["q"], "code", "A QR code of this state"],
  [["s"], "grain", "Press for each node, each phase, or none"],
  [["f"], "formula", "The formula"],
  [["n"], "notes", "Notes, in a second window"],
  [["?"], "keys", "These keys"],
  [["Escape"], "leave", "Leave"],
];
const ACTS = new Map(KEYS.flatMap(([keys, act]) => keys.map((key) => [key, act])));
const SIGNS = /** @type {Record<string, string>} */ ({
  ArrowRight: "\u2192",
  ArrowLeft: "\u2190",
  ArrowDown: "\u2193",
  ArrowUp: "\u2191",
  " ": "Space",
  PageDown: "Page \u2193",
  PageUp: "Page \u2191",
  Backspace: "\u232b",
  Escape: "Esc",
});
const GRAIN_SAYS = {
  node: "A press for each node",
  phase: "A press for each phase",
  whole: "A press for each step",
};

/** @type {WeakMap<Editor, Presenter>} */
const presenters = new WeakMap();

/** The presenter of a canvas. @param {Editor} editor */
export function presenterOf(editor) {
  const presenter = presenters.get(editor) ?? new Presenter(editor);
  presenters.set(editor, presenter);
  return presenter;
}

export class Presenter {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.on = false;
    this.hidden = false; // cotangents are
    this.blank = false;
    /** How finely the pass is stepped through; null for the usual. @type {Grain | null} */
    this.grain = null;
    /** Index of the question that has been answered on this step of the talk and stays on view; -1 for none. */
    this.answered = -1;
    this.answeredAt = -1; // that step
    /** What was in view before the pass was played. @type {import("./course.js").Seen | null} */
    this.seen = null;
    this.pressed = 0; // presses that wait for the steps of the pass
    this.since = 0; // ms since 1970
    this.id = "";
    this.title = html("b", { class: "stage-title" });
    this.step = html("span", { class: "stage-step" });
    this.place = html("span", { class: "stage-place" });
    this.head = html("div", { class: "stage-head" }, this.title, this.step, this.place);
    this.caption = html("p", { class: "stage-caption" });
    this.options = html("ol", { class: "stage-options" });
    this.told = html("p", { class: "stage-told" });
    this.more = html(
      "div",
      { class: "stage-more", "aria-live": "polite" },
      this.caption,
      this.options,
      this.told,
    );
    this.says = html("div", { class: "stage-says", role: "status" });
    this.numbers = html("div", { class: "stage-numbers", role: "status" });
    this.lines = html("pre", { class: "stage-lines" }); // where the window is higher than wide
    this.foot = html("div", { class: "stage-foot" }, this.numbers, this.says, this.lines);
    this.over = html("div", { class: "stage-over" });
    this.spot = html("div", { class: "stage-spot", hidden: true });
    this.corner = this.cornerButtons();
    /** @type {import("./signals.js").Signal | null} */
    this.signal = null;
    /** @type {ReturnType<typeof openLine> | null} */
    this.line = null;
    this.fitted = ""; // what the view was fitted to last
    this.resting = 0; // timer of the corner
    this.ending = new AbortController();
    editor.stage.host.before(this.head, this.more);
    editor.stage.host.after(this.foot);
    editor.watchers.push(this.showing);
    listen(
      "shared",
      (shared) => this.showCode(shared),
      () => !editor.stage.host.isConnected && editor.drawing.rev >= 0,
    );
  }

  get player() {
    return /** @type {import("../explain/play.js").Player} */ (playerOf(this.editor));
  }

  get talk() {
    return this.editor.drawing.talk ?? null;
  }

  /** @param {{ hidden?: boolean, full?: boolean }} [how] `full`: ask for the whole screen, which a press alone may do */
  enter({ hidden = false, full = false } = {}) {
    if (this.on) return;
    const { editor } = this;
    [this.on, this.hidden, this.blank, this.seen] = [true, hidden, false, null];
    this.named();
    this.since = Number(readList(TAB, NAME)[0]?.since) || Date.now();
    writeList(TAB, NAME, [{ id: this.id, since: this.since }]);
    editor.stage.presents = true;
    editor.root.classList.add("on-stage");
    document.documentElement.dataset.avPresent = "";
    if (isForward(editor)) toggleForward(editor);
    editor.root.append(this.over, this.spot, this.corner);
    this.ending = new AbortController();
    const { signal } = this.ending;
    addEventListener("keydown", (event) => this.key(event), { signal, capture: true });
    addEventListener("resize", () => this.type(), { signal });
    addEventListener("pointermove", (event) => this.move(event), { signal });
    addEventListener("pointerdown", (event) => this.move(event), { signal });
    const entered = performance.now(); // the click that enters the stage still rises to the root after this
    editor.root.addEventListener(
      "click",
      (event) => event.timeStamp > entered && this.click(event),
      { signal },
    );
    document.addEventListener(
      "fullscreenchange",
      () => document.fullscreenElement || this.leave(),
      { signal },
    );
    if (full) document.documentElement.requestFullscreen?.().catch(() => {});
    this.line = openLine((heard) => this.hear(heard));
    if (!this.player.watchers.includes(this.showing)) this.player.watchers.push(this.showing);
    markAddress(true);
    this.type();
  }

  /** The name under which its notes know it, also after a reload. */
  named() {
    this.id ||= String(readList(TAB, NAME)[0]?.id ?? Math.random().toString(36).slice(2));
    return this.id;
  }

  showing = () => void (this.on && this.show());

  leave() {
    if (!this.on) return;
    const { editor } = this;
    this.on = false;
    this.ending.abort();
    this.line?.send({ kind: "gone", id: this.id });
    this.line?.close();
    writeList(TAB, NAME, [{ id: this.id }]); // the next talk has a time of its own
    this.closeOver();
    for (const part of [this.over, this.spot, this.corner]) part.remove();
    this.spot.hidden = true;
    this.player.leave();
    repaint(editor);
    editor.stage.presents = false;
    editor.root.classList.remove("on-stage", "with-formula");
    delete document.documentElement.dataset.avPresent;
    editor.root.style.removeProperty("--type-least");
    if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
    markAddress(false);
    [this.fitted, editor.fitted] = ["", false];
    editor.resized();
    editor.stage.surface.focus({ preventScroll: true });
  }

  /** Set the size of the smallest text by the window. */
  type() {
    const px = leastType({ w: innerWidth, h: innerHeight });
    this.editor.root.style.setProperty("--type-least", `${px.toFixed(2)}px`);
    this.fitted = "";
    this.editor.stage.size = null;
    this.show();
  }

  /** Put everything on view as it is now. */
  show() {
    const { editor, player } = this;
    this.say();
    this.fit();
    this.fetchSteps();
    const { steps, at } = player;
    const { nodes, wires } = editor.drawing;
    if (at === null) this.seen = this.hidden ? null : seenIn(nodes, wires);
    const played = steps && at !== null ? shownAfter(steps, at) : null;
    const shown = this.hidden
      ? veiled(
          played,
          editor.shown.nodes.map(({ id }) => id),
        )
      : played && this.seen
        ? withSeen(played, this.seen)
        : played;
    if (shown && (this.hidden || this.seen)) paintPlay(editor.stage, shown);
    const sentence = this.hidden || at === null ? "" : player.says;
    setText(this.says, sentence);
    this.numbers.replaceChildren(
      ...this.toldAs(shown && played?.done && !this.hidden ? null : shown),
    );
    while (this.numbers.scrollWidth > this.numbers.clientWidth && this.numbers.children.length > 1)
      this.numbers.lastChild?.remove();
    this.foot.classList.toggle("speaks", sentence !== "");
    setText(this.lines, formulaLines());
    this.editor.root.classList.toggle("blank-stage", this.blank);
    this.tell();
    if (!this.pressed || !player.reason) return;
    this.pressed = 0; // nothing to play, which may be known only later
    this.goOn();
  }

  /** Say what is asked or told of the present step: the graph is fitted to the room below it. */
  say() {
    const { talk, item, hidden } = this;
    const answer = !hidden && item?.revealed ? item : undefined;
    if ((talk?.at ?? -1) !== this.answeredAt) this.answered = -1;
    const many = talk !== null && talk.steps.length > 1;
    const says = item?.says ?? "";
    this.title.replaceChildren(...worded(says || (talk?.title ?? "")));
    setText(this.step, many && talk.steps[talk.at] !== talk.title ? talk.steps[talk.at] : "");
    setText(this.place, many ? `${talk.at + 1} / ${talk.steps.length}` : "");
    this.head.classList.toggle("empty", !this.title.textContent && !this.place.textContent);
    this.head.classList.toggle("asks", says !== "");
    this.caption.replaceChildren(...worded(says ? "" : (talk?.caption ?? "")));
    this.options.replaceChildren(
      ...(item?.options ?? []).map((option) =>
        html(
          "li",
          { class: !answer ? "" : option === answer.answer ? "right" : "wrong" },
          ...worded(option),
        ),
      ),
    );
    this.told.replaceChildren(...worded(hidden ? "" : talk?.said || (answer?.reason ?? "")));
    this.more.classList.toggle("empty", !this.more.textContent);
  }

  /** @param {import("../explain/play.js").Shown | null} shown */
  toldAs(shown) {
    const told = toldNumbers(this.editor.shown.nodes, this.editor.drawing.selected, shown);
    const [first] = told.filter(({ which }) => which === "cotangent");
    return told.map((one) =>
      html(
        "span",
        { class: one.which + (isNegative(one.text) ? " negative" : "") },
        one.which === "value"
          ? `${one.name} = `
          : one === first
            ? `what arrives at ${one.name}: `
            : `${one.name}: `,
        html("b", {}, one.text),
      ),
    );
  }

  /** The question that waits for an answer. */
  get question() {
    const { asking } = this.editor.drawing;
    return asking?.hiding && typeof asking.at === "number" ? asking.items[asking.at].says : "";
  }

  /** The question on view: the one that has just been answered, or that waits for an answer. */
  get item() {
    const { asking } = this.editor.drawing;
    const answered = asking?.items[this.answered];
    if (answered?.revealed) return answered;
    return this.question && typeof asking?.at === "number" ? asking.items[asking.at] : undefined;
  }

  /** What is asked about by the key: the selected node, else the first input that the output depends on. */
  get askable() {
    const { nodes } = this.editor.shown;
    const { selected } = this.editor.drawing;
    return (
      nodes.find(({ id, connected }) => id === selected && connected) ??
      nodes.find(({ isInput, connected }) => isInput && connected)
    );
  }

  /** Fit the graph to the window, if it or the window is another one. */
  fit() {
    const { editor } = this;
    const { stage, seen } = editor;
    const now = [
      editor.drawing.graph,
      stage.host.clientWidth,
      stage.host.clientHeight,
      boxesOf(seen.nodes),
    ].join();
    if (now === this.fitted || !stage.host.clientWidth) return;
    this.fitted = now;
    stage.size = null;
    measureCanvas(stage);
    // The level of detail decides how large the drawing is: from the nearest level on, the largest that fits.
    editor.look({ ...stage.view, k: NEAREST * stage.reading }, false);
    for (let turn = 0, k = NaN; turn < TURNS && k !== stage.view.k; turn++) {
      k = stage.view.k;
      editor.fit();
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inCorner = event.composedPath().includes(this.corner);
    if (inCorner && (event.key === "Enter" || event.key === " " || event.key === "Tab")) return;
    if (event.key === "Tab") return this.wake();
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = key === " " && event.shiftKey ? "back" : ACTS.get(key);
    event.stopImmediatePropagation();
    if (!act && !this.blank) return;
    event.preventDefault();
    this.act(act ?? "blank");
  }

  /** @param {string} act one of KEYS */
  act(act) {
    const wasOver = this.over.dataset.shows;
    if (this.blank && act !== "leave") return this.setBlank(false);
    this.closeOver();
    if (act === "leave") return wasOver ? undefined : this.leave();
    if (wasOver === act && act !== "grain") return;
    /** @type {Record<string, () => void>} */
    const acts = {
      next: () => this.next(),
      back: () => this.back(),
      skip: () => this.go((this.talk?.at ?? 0) + 1),
      return: () => this.go((this.talk?.at ?? 0) - 1),
      first: () => this.go(0),
      last: () => this.go((this.talk?.steps.length ?? 1) - 1),
      hide: () => this.hide(!this.hidden),
      ask: () => this.ask(),
      blank: () => this.setBlank(true),
      point: () => this.point(),
      code: () => this.openCode(),
      grain: () => this.chooseGrain(),
      formula: () => this.toggleFormula(),
      notes: () => openNotes(this.id),
      keys: () => this.open("keys", keysTable()),
    };
    acts[act]?.();
  }

  /** How finely the pass is stepped through now. */
  get grainNow() {
    const { talk, player } = this;
    return this.grain ?? usualGrain(player.steps?.length ?? 0, talk?.steps.length ?? 1);
  }

  /** On: to the next rest of the play, and behind the last one to the next step. */
  next() {
    const { player } = this;
    if (this.question && this.item?.revealed) {
      this.answered = -1; // the next question
      return this.show();
    }
    if (this.grain === "whole") return this.goOn();
    this.pressed += 1; // presses count also while the steps of the pass have still to come
    player.need((steps) => {
      const presses = this.pressed;
      this.pressed = 0;
      for (let i = 0; i < presses; i++) this.advance(steps);
    });
  }

  /** Answer what is asked; then to the next step. */
  goOn() {
    if (this.question) this.ask();
    else this.go((this.talk?.at ?? 0) + 1);
  }

  /** @param {import("../explain/play.js").Step[]} steps */
  advance(steps) {
    const to = stopAfter(stopsOf(steps, this.grainNow), this.player.at);
    if (to === null || (this.question && answersNow(steps, to))) this.goOn();
    else this.player.seek(to);
  }

  /** Have the steps of the pass come before they are needed. */
  fetchSteps() {
    const { player, editor } = this;
    const { state, live } = editor.drawing;
    if (player.steps || player.wish || player.reason || live || state === undefined) return;
    player.need(() => {});
  }

  back() {
    const { player } = this;
    if (player.at === null || !player.steps) return this.go((this.talk?.at ?? 0) - 1);
    const to = stopBefore(stopsOf(player.steps, this.grainNow), player.at);
    if (to === null) player.leave();
    else player.seek(to);
    this.show();
  }

  /** @param {number} at step of the talk; nothing if there is none */
  go(at) {
    const { editor, talk } = this;
    const { lesson } = editor.drawing;
    if (!talk || at < 0 || at >= talk.steps.length || at === talk.at) return;
    this.player.leave();
    if (talk.of === "tour") editor.send({ kind: "tour_go", step: at });
    else if (lesson) editor.send({ kind: "variant", lesson: lesson.key, variant: at });
    this.show();
  }

  /** @param {boolean} on */
  hide(on) {
    this.hidden = on;
    if (!on && this.player.at === null) repaint(this.editor);
    else if (!on) this.player.seek(this.player.at ?? 0);
    this.show();
  }

  /** Ask what arrives, or show the answer of what is asked. */
  ask() {
    const { editor, askable } = this;
    const at = editor.drawing.asking?.at;
    if (this.question && typeof at === "number") {
      [this.answered, this.answeredAt] = [at, this.talk?.at ?? -1];
      return void editor.send({ kind: "reveal", at });
    }
    if (!askable) return;
    const node = askable.group?.output ?? askable.id;
    editor.send({
      kind: "ask",
      hides: "cotangents",
      questions: [{ kind: "number", of: "cotangent", node }],
    });
  }

  /** @param {boolean} on */
  setBlank(on) {
    this.blank = on;
    this.show();
  }

  point() {
    this.spot.hidden = !this.spot.hidden;
    this.editor.root.classList.toggle("points", !this.spot.hidden);
  }

  chooseGrain() {
    this.grain = GRAINS[(GRAINS.indexOf(this.grainNow) + 1) % GRAINS.length];
    this.open("grain", html("p", { class: "stage-note" }, GRAIN_SAYS[this.grain]));
    setTimeout(() => this.over.dataset.shows === "grain" && this.closeOver(), 1500);
  }

  toggleFormula() {
    this.open("formula", html("pre", { class: "stage-formula" }, formulaLines()));
  }

  openCode() {
    this.open("code", html("p", { class: "stage-note" }, "Making the code \u2026"));
    dispatch("wants-share", { of: "stage", parameters: { tour: "alone" } });
  }

  /** @param {{ of: string, shared: import("../share/links.js").Shared }} answer */
  showCode({ of, shared }) {
    if (of !== "stage" || this.over.dataset.shows !== "code") return;
    const { code, short, says } = shared;
    this.open(
      "code",
      html(
        "div",
        { class: "stage-code" },
        code && codePicture(code, "Link to this graph"),
        short.length <= 100 && html("p", {}, short.replace(/^https?:\/\//, "")),
        !code && html("p", { class: "stage-note" }, says),
      ),
    );
  }

  /** @param {string} name @param {HTMLElement} content */
  open(name, content) {
    this.over.dataset.shows = name;
    this.over.replaceChildren(content);
  }

  closeOver() {
    delete this.over.dataset.shows;
    this.over.replaceChildren();
  }

  /** @param {MouseEvent} event */
  click(event) {
    if (event.composedPath().includes(this.corner)) return;
    if (this.over.dataset.shows) return this.closeOver();
    if (this.blank) return this.setBlank(false);
    this.act(event.clientX < innerWidth / 3 ? "back" : "next");
  }

  /** @param {PointerEvent} event */
  move({ clientX, clientY }) {
    this.spot.style.transform = `translate(${clientX}px, ${clientY}px)`;
    this.wake();
  }

  /** Show the corner's buttons for a while. */
  wake() {
    this.corner.classList.add("awake");
    clearTimeout(this.resting);
    this.resting = window.setTimeout(() => this.corner.classList.remove("awake"), CORNER_MS);
  }

  cornerButtons() {
    const button = (
      /** @type {string} */ act,
      /** @type {string} */ word,
      /** @type {string} */ label,
    ) =>
      html(
        "button",
        { type: "button", "aria-label": label, title: label, click: () => this.act(act) },
        word,
      );
    return html(
      "div",
      { class: "stage-corner", role: "toolbar", "aria-label": "Stage" },
      button("back", "\u2190", "Back"),
      button("next", "\u2192", "On"),
      button("hide", "Hide", "Hide what comes back, or show it  (h)"),
      button("code", "QR", "A QR code of this state  (q)"),
      button("notes", "Notes", "Notes, in a second window  (n)"),
      button("keys", "?", "Keys  (?)"),
      button("leave", "Leave", "Leave  (Esc)"),
    );
  }

  // The window of notes.

  /** @param {import("./signals.js").Signal} heard */
  hear(heard) {
    if (heard.kind === "hello") {
      this.signal = null;
      this.tell();
    } else if (heard.kind === "order" && heard.id === this.id) this.act(heard.order);
  }

  /** Tell the window of notes what has changed. */
  tell() {
    const { talk } = this;
    /** @type {import("./signals.js").Signal} */
    const signal = {
      kind: "state",
      state: {
        id: this.id,
        title: talk?.title ?? "",
        caption: talk ? talk.caption || talk.steps[talk.at] : "",
        question: this.question,
        notes: talk?.notes ?? "",
        place: this.place.textContent ?? "",
        says: this.player.says,
        next: talk?.steps[talk.at + 1] ?? "",
        since: this.since,
        hidden: this.hidden,
        asking: this.question !== "",
        blank: this.blank,
      },
    };
    if (JSON.stringify(signal) === JSON.stringify(this.signal)) return;
    this.signal = signal;
    this.line?.send(signal);
  }
}

/** The formula without the places of nodes. */
const formulaLines = () =>
  dispatch("formula", { text: "" })
    .text.split("\n")
    .filter((line) => line.trim() && !line.startsWith("# positions"))
    .join("\n");

/** Show all numbers again. @param {Editor} editor */
function repaint(editor) {
  playerOf(editor)?.clear();
}

/** @param {import("../types.js").GraphNode[]} nodes */
const boxesOf = (nodes) => nodes.map(({ x, y, w, h }) => `${x} ${y} ${w} ${h}`).join();

/** Open the notes of a stage in a window beside it. @param {string} id */
export const openNotes = (id) => {
  const url = new URL(location.href);
  [url.search, url.hash] = [`?${NAME}=notes`, `#${id}`];
  window.open(url, "autodiff-viz-notes", "width=760,height=640");
};

/** Say in the address whether the page is on a stage, so that a reload stays there. @param {boolean} on */
function markAddress(on) {
  const fields = new URLSearchParams(location.search);
  if (fields.has(NAME) === on) return;
  if (on) fields.set(NAME, "");
  else fields.delete(NAME);
  const search = fields.toString();
  history.replaceState(
    history.state,
    "",
    location.pathname + (search && `?${search}`) + location.hash,
  );
}

const keysTable = () =>
  html(
    "dl",
    { class: "stage-keys" },
    ...KEYS.flatMap(([keys, , says]) => [
      html(
        "dt",
        {},
        ...keys.flatMap((key) => [
          html("kbd", {}, SIGNS[key] ?? (key.length === 1 ? key.toUpperCase() : key)),
          " ",
        ]),
      ),
      html("dd", {}, says),
    ]),
  );

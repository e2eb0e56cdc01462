// @ts-check
// Turn the lab's page into a frame's: what is shown, the way to the whole lab, the messages to and from the
// page around it, and its own address.

import { isOpen } from "../asking/questions.js";
import { html } from "../base/dom.js";
import { icon } from "../base/icons.js";
import { bounds } from "../canvas/state/geometry.js";
import { Tabs } from "../dock/panels.js";
import { isComputed, paintPlay, shownAfter } from "../explain/play.js";
import { host } from "../base/host.js";
import { prose } from "../tour/words.js";
import { shows, showsSlider, wholeLab } from "./contract.js";
import { mayEdit } from "./gate.js";
import { heightFor, readMessage } from "./messages.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("./contract.js").Embed} Embed */
/**
 * What the script in the page offers (boot.js).
 *
 * @typedef {object} Page
 * @property {() => void} start
 * @property {(name: string) => void} setTheme
 * @property {() => boolean | undefined} shown
 * @property {(px: number) => void} tellHeight
 * @property {() => void} keep
 * @property {(listener: (event: MessageEvent) => void) => void} listen
 */

const GRAPH = "graph";
const BESIDE = "(min-width: 720px)",
  BELOW = "(min-height: 600px)"; // embed.css has the same limits
const ROW = 42; // px of a slider
const [SHARE, ASKED] = [0.4, 0.13]; // of the frame's height, for sliders, and below a question; one has always room
const MOST = 6; // sliders on view at once
const PLAY = 46; // px of the bar that plays
const NAMES = /** @type {Record<string, string>} */ ({
  graph: "Graph",
  lesson: "Lesson",
  formula: "Formula",
  inspector: "Node",
  plot: "Plot",
});

/** The script in the page; null outside of a frame's page. @returns {Page | null} */
export const page = () => /** @type {any} */ (globalThis).autodiff_viz_frame ?? null;

export class Frame {
  /** @param {Editor} editor @param {Embed} embed @param {(query: string) => void} plot shows a figure @param {HTMLElement} sliders */
  constructor(editor, embed, plot, sliders) {
    this.editor = editor;
    this.embed = embed;
    this.page = page();
    this.begun = false;
    this.paused = false; // by a slide that was left
    this.stepwise = false; // whether numbers come by the steps of the pass alone
    /** State of the numbers on view, when last looked. @type {number | undefined} */
    this.state = undefined;
    this.rows = 0;
    const root = document.documentElement.dataset;
    root.avShow = Object.keys(NAMES)
      .concat("canvas", "sliders", "play", "toolbar", "check", "question")
      .filter((name) => shows(embed, name))
      .join(" ");
    root.avEdit = embed.edit;
    const panes = ["lesson", "formula", "inspector", "plot"].filter((name) => shows(embed, name));
    root.avPanes = String(panes.length);
    this.offered = panes;
    this.edit = embed.edit;
    this.tabs = new Tabs("What is shown", (name) => this.choose(name));
    this.says = html("span", {});
    this.ahead = 0; // the step of a tour that comes next
    this.next = html("button", {
      type: "button",
      class: "tab",
      click: () => this.editor.send({ kind: "tour_go", step: this.ahead }),
    });
    this.step = html("p", { class: "step" }, this.says, this.next); // of a tour, beside the tab of the graph
    this.panes = html("div", { class: "workbench panes" }, this.tabs.root, this.step);
    this.link = /** @type {HTMLAnchorElement} */ (
      html(
        "a",
        {
          class: "to-lab",
          target: "_blank",
          rel: "noopener",
          title: "Open in the lab",
          pointerdown: () => this.relink(),
          focus: () => this.relink(),
        },
        icon("open"),
        html("span", {}, "Open in the lab"),
      )
    );
    editor.root.classList.add("embedded");
    for (const name of ["edit", "wheel"])
      editor.root.dataset[name] = embed[/** @type {"edit"} */ (name)];
    editor.root.classList.toggle("contrast", embed.theme === "contrast");
    editor.root.classList.toggle("plain", !shows(embed, "toolbar"));
    editor.root.classList.toggle("mute", !shows(embed, "play"));
    for (const name of ["question", "lesson"])
      editor.root.classList.toggle(`no-${name}`, !shows(embed, name));
    if (shows(embed, "open")) editor.stage.host.before(this.link); // in a row of its own: it covers nothing
    editor.mail.allows = (edit) => mayEdit(editor, edit.kind);
    editor.stage.host.addEventListener("keydown", (event) => {
      if (event.key === "Escape") setTimeout(() => this.sleep(), 0);
    });
    addEventListener("blur", () => editor.stage.host.classList.remove("awake"));
    this.board = sliders;
    this.first = 0; // of the sliders on view
    this.more = html("button", {
      type: "button",
      style:
        "flex: none; width: 30px; border: 0; background: none; color: inherit; font: 600 15px sans-serif; cursor: pointer",
      "aria-label": "The next sliders",
      title: "The next sliders",
      click: () => this.turn(),
    });
    this.board.style.cssText = "flex: 1; min-width: 0; max-height: none; overflow: hidden";
    this.sliders = html("div", { style: "display: flex" }, sliders, this.more);
    this.plot = plot;
    this.pane = panes[0] ?? GRAPH;
    this.fit();
    for (const query of [BESIDE, BELOW])
      matchMedia(query).addEventListener("change", () => this.fit());
    addEventListener("resize", () => (this.showSliders(), this.tellHeight()));
    this.page?.listen((event) => this.hear(event));
  }

  /** Give the wheel back to the page around the frame. */
  sleep() {
    const { host, surface } = this.editor.stage;
    host.classList.remove("awake");
    if (!host.querySelector(".popover")) surface.blur();
  }

  /** Show a pane, or the graph where only one of them has room. @param {string} name */
  choose(name) {
    this.pane = name;
    if (name.startsWith("plot:")) this.plot(name.slice(5));
    this.fit();
  }

  /** Show what there is room for. */
  fit() {
    const fit = matchMedia(BESIDE).matches ? "beside" : matchMedia(BELOW).matches ? "below" : "one";
    const { dataset } = document.documentElement;
    const plots = this.embed.show.filter((name) => name.startsWith("plot:"));
    const names = this.offered.flatMap((name) =>
      name === "plot" && plots.length > 1 ? plots : [name],
    );
    const offered = fit === "one" && shows(this.embed, "canvas") ? [GRAPH, ...names] : names;
    if (fit === "one" && !this.begun) this.pane = offered[0] ?? GRAPH;
    if (!offered.includes(this.pane)) this.pane = offered[0] ?? GRAPH;
    dataset.avFit = fit;
    dataset.avPane = this.pane.split(":")[0];
    this.tabs.root.hidden = offered.length < 2;
    dataset.avTabs = String(offered.length > 1);
    const { tour } = this.editor.drawing;
    this.tabs.show(
      offered.map((name) => ({
        name,
        label:
          tour && name === "lesson" ? "Tour" : (NAMES[name] ?? name.slice(5).replaceAll("_", " ")),
      })),
      this.pane,
    );
    this.step.hidden = !tour || this.pane !== GRAPH;
    if (this.step.hidden || !tour) return;
    const { at, steps } = tour;
    const { title, caption } = steps[at] ?? tour;
    this.says.title = caption;
    this.says.replaceChildren(
      ...prose(caption || title).flatMap(({ childNodes }) => [...childNodes, " "]),
    );
    this.ahead = at + 1;
    this.next.textContent = `Next: ${at + 2} of ${steps.length}`;
    this.next.hidden = this.ahead >= steps.length;
  }

  /** The sliders that are shown. @param {any} sliders @returns {any} */
  slidersOf(sliders) {
    const rows = (sliders?.rows ?? []).filter(
      (/** @type {{ name: string }} */ { name }) =>
        this.embed.edit !== "none" && showsSlider(this.embed, name),
    );
    this.rows = rows.length;
    this.editor.root.classList.toggle("has-row", rows.length > 0);
    document.documentElement.style.setProperty("--av-rows", String(rows.length));
    return { ...sliders, rows, more: 0 };
  }

  /** How many sliders have room. */
  get room() {
    const asks = this.editor.drawing.asking && shows(this.embed, "question");
    return Math.max(1, Math.min(MOST, Math.floor(((asks ? ASKED : SHARE) * innerHeight) / ROW)));
  }

  /** Show those sliders that have room: the others come by the button. */
  showSliders() {
    const rows = /** @type {HTMLElement[]} */ ([...this.board.querySelectorAll(".row")]);
    const { room } = this;
    if (this.first >= rows.length) this.first = 0;
    rows.forEach((row, i) => (row.hidden = i < this.first || i >= this.first + room));
    for (const row of rows) row.style.display = row.hidden ? "none" : "";
    this.more.hidden = rows.length <= room;
    this.more.textContent = "\u25be";
    const last = Math.min(this.first + room, rows.length);
    this.more.title = `Sliders ${this.first + 1} to ${last} of ${rows.length}: the next ones`;
    this.more.setAttribute("aria-label", this.more.title);
  }

  turn() {
    this.first += this.room;
    this.showSliders();
  }

  /** Follow a drawing that has been drawn. */
  drawn() {
    this.showSliders();
    this.fit();
    const asks = this.editor.drawing.asking?.items.some(isOpen) && shows(this.embed, "question");
    document.documentElement.dataset.avAsks = String(Boolean(asks));
    if (!this.begun) this.begin();
    this.hideAgain();
    this.relink();
    this.tellHeight();
  }

  /** Let numbers come by the steps of the pass alone, also those of a later pass; or all at once. @param {boolean} on */
  goStepwise(on) {
    const { play } = this.editor;
    if (!play) return;
    this.stepwise = on;
    this.state = this.editor.drawing.state;
    play.renews = () => on && (this.hold(), true);
    if (on) play.seek(0);
  }

  /** Hide new numbers where the pass before was seen to its end; go on where its steps have come back unchanged. */
  hideAgain() {
    const { play, drawing } = this.editor;
    if (!this.stepwise || !play) return;
    const isNew = drawing.state !== this.state;
    this.state = drawing.state;
    if (isNew && play.at === null && !play.wish && !play.reason) this.hold();
    else if (play.wish && play.steps) {
      const { wish } = play;
      play.wish = null;
      wish();
    }
  }

  /** Hide what the steps have not reached, until those of the new numbers are here: then go on from there. */
  hold() {
    const play = /** @type {import("../explain/play.js").Player} */ (this.editor.play);
    const before = play.sent?.steps ?? [];
    const at = play.at === null || play.at >= before.length ? 0 : play.at;
    if (play.steps) return play.seek(at);
    clearTimeout(play.timer);
    [play.runs, play.at] = [false, at];
    const shown = { ...shownAfter(before, at), step: null, done: false };
    paintPlay(this.editor.stage, shown);
    play.tellComputed((place) => isComputed(shown, place));
    play.wish = () => play.go(at);
    play.request();
    play.changed();
  }

  begin() {
    this.begun = true;
    const { editor, embed } = this;
    const { play } = editor;
    const settled = () => {
      if (this.page?.shown()) editor.stage.surface.focus({ preventScroll: true });
    };
    const at = editor.drawing.moment ? "" : embed.step;
    if (!at && embed.reveal !== "steps") return void requestAnimationFrame(settled);
    if (embed.reveal === "steps") this.goStepwise(true);
    if (at || embed.reveal !== "steps") play?.seek(at === "last" ? Infinity : Number(at || 0));
    const patience = setTimeout(settled, 4000); // a graph that cannot be played is shown as it is
    play?.watchers.push(() => {
      if (play.reason && this.stepwise) play.leave(play.reason);
      if (play.at === null && !play.reason) return;
      clearTimeout(patience);
      settled();
    });
  }

  /** Let the link lead to what is on view. */
  relink() {
    const { play, drawing } = this.editor;
    const query = new URLSearchParams(wholeLab(location.search));
    if (!drawing.moment) query.delete("step");
    if (!drawing.moment && play?.at !== null && play?.at !== undefined)
      query.set("step", String(play.at));
    this.link.href = location.pathname + (query.size ? `?${query}` : "");
  }

  /** Tell the page around the frame how high it wants to be. */
  tellHeight() {
    const { editor, embed } = this;
    if (!this.begun) return;
    const sliders = shows(embed, "sliders") ? ROW * Math.min(this.rows, 6) : 0;
    const below =
      this.offered.length && document.documentElement.dataset.avFit !== "beside" ? 240 : 0;
    const graph = shows(embed, "canvas") ? bounds(editor.seen.nodes) : null;
    const rows = sliders + (shows(embed, "play") ? PLAY : 0) + below;
    host.size.tell(heightFor(graph, innerWidth, rows));
  }

  /** Show all numbers, also those that are asked for. */
  reveal() {
    const { editor } = this;
    this.goStepwise(false);
    editor.play?.leave();
    editor.drawing.asking?.items.forEach(({ revealed }, at) => {
      if (!revealed) editor.send({ kind: "reveal", at });
    });
  }

  /** Do what the page around the frame wishes. @param {MessageEvent} event */
  hear(event) {
    const heard = readMessage(event.data);
    if (!heard) return;
    const { editor } = this;
    if (heard.type === "slide") {
      if (heard.on && this.paused) editor.play?.toggle();
      this.paused = !heard.on && Boolean(editor.play?.runs);
      if (this.paused) editor.play?.pause();
      return;
    }
    const { values, step, reveal, theme } = heard.wish;
    for (const [name, value] of Object.entries(values))
      if (editor.drawing.nodes.some(({ id }) => id === name))
        editor.send({ kind: "slide", name, value });
    if (theme) {
      host.setTheme(theme);
      editor.root.classList.toggle("contrast", theme === "contrast");
    }
    if (reveal === "now") this.reveal();
    if (reveal === "steps") this.goStepwise(true);
    if (step === null) return;
    if (editor.drawing.moment && step !== "last") editor.send({ kind: "step", step: Number(step) });
    else editor.play?.seek(step === "last" ? Infinity : Number(step));
  }
}

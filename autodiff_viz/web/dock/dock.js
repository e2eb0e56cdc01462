// @ts-check
// Draw the dock of plots below the canvas: tabs for figures, training and segments, which fold, and a border
// that is dragged.

import { html } from "../base/dom.js";
import {
  changeLook,
  foldUntilAsked,
  heightNow,
  heightOf,
  LEAST,
  leaveRoomAbove,
  presentLook,
  showLook,
  watchLook,
} from "./layout.js";
import { Tabs } from "./panels.js";

/** @typedef {import("../types.js").Drawing} Drawing */

/**
 * @typedef {object} PlotTab
 * @property {string} name
 * @property {string} label
 * @property {string} word of the glossary, or ""
 * @property {boolean} figure whether it is of a trace, or else a panel of its own
 */

const STEP = 24; // px by which an arrow key moves the border

/** Plots of a graph besides the figures. Pure. @param {Pick<Drawing, "nodes">} drawing @returns {("segments" | "training")[]} */
export const othersOf = ({ nodes }) => [
  ...(nodes.some(({ cut }) => cut) ? [/** @type {const} */ ("segments")] : []),
  ...(nodes.some(({ isParameter }) => isParameter) ? [/** @type {const} */ ("training")] : []),
];

/** The plot of a graph for which none was chosen: a figure, which is live, but its segments if it has cuts, and its training
 * if that is what the lesson is about or if it has been trained; an address that names a figure has it. Pure.
 * @param {Pick<Drawing, "nodes" | "figure" | "trains">} drawing @param {string} usual the figure that no address names */
export const firstPlot = (drawing, usual) =>
  (drawing.figure === usual &&
    othersOf(drawing).find((name) => name !== "training" || drawing.trains)) ||
  "figure";

/** The figures that a graph has. Pure. @param {Record<string, string>} figures titles by name @param {string[]} lacks */
export const availableFigures = (figures, lacks) =>
  Object.fromEntries(Object.entries(figures).filter(([name]) => !lacks.includes(name)));

export class Dock {
  /** @param {PlotTab[]} all @param {(figure: string) => void} choose */
  constructor(all, choose) {
    this.all = all;
    this.titles = Object.fromEntries(
      all.filter(({ figure }) => figure).map(({ name, label }) => [name, label]),
    );
    this.figures = this.titles; // without those for which the graph lacks what they are about
    this.chooseFigure = choose;
    this.plot = "figure"; // or the name of a tab that is none
    this.chosen = false; // by the user, in this document
    this.figure = Object.keys(this.titles)[0];
    /** @type {string[]} */
    this.others = [];
    /** @type {string | undefined} */
    this.graph = undefined;
    /** @type {string | null} key of the open lesson */
    this.lesson = null;
    this.asks = false; // whether the lesson's numbers are hidden
    this.tabs = new Tabs("Plots", (name) => this.press(name));
    this.fold = html("button", {
      type: "button",
      class: "fold",
      click: () => changeLook({ folded: !presentLook().folded }),
    });
    this.border = html("div", {
      class: "border",
      role: "separator",
      tabindex: "0",
      "aria-orientation": "horizontal",
      "aria-label": "Height of the plots",
    });
    this.second = /** @type {HTMLSelectElement} */ (
      html("select", {
        class: "second",
        "aria-label": "Second plot",
        title: "A second plot beside the first",
        change: () => changeLook({ second: this.second.value || null }),
      })
    );
    // Streamlit's own shortcuts (r, c) would answer these keys too.
    this.second.addEventListener("keydown", (event) => event.stopPropagation());
    this.host = html(
      "div",
      { class: "workbench plots" },
      this.border,
      this.tabs.root,
      this.second,
      this.fold,
    );
    this.listen();
    this.stop = watchLook(() => this.show());
    this.resized = () => showLook();
    addEventListener("resize", this.resized);
  }

  listen() {
    const { border } = this;
    border.addEventListener("pointerdown", (event) => {
      border.setPointerCapture(event.pointerId);
      const [from, height] = [event.clientY, heightNow()];
      const move = (/** @type {PointerEvent} */ { clientY }) => this.grow(height + from - clientY);
      border.addEventListener("pointermove", move);
      border.addEventListener(
        "lostpointercapture",
        () => border.removeEventListener("pointermove", move),
        { once: true },
      );
    });
    border.addEventListener("dblclick", () => changeLook({ folded: !presentLook().folded }));
    border.addEventListener("keydown", (event) => {
      event.stopPropagation();
      const step = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
      if (event.key === "Enter") changeLook({ folded: !presentLook().folded });
      else if (step) this.grow(heightNow() + step);
      else return;
      event.preventDefault();
    });
  }

  /** @param {number} height px; less than the least folds it */
  grow(height) {
    if (height < LEAST / 2) return changeLook({ folded: true });
    changeLook({
      folded: false,
      dock: heightOf(
        { ...presentLook(), folded: false, dock: Math.max(height, LEAST) },
        innerHeight,
      ),
    });
  }

  /** @param {Drawing} drawing @param {boolean} unsure whether a figure that was chosen has still to come */
  receive(drawing, unsure) {
    this.figures = availableFigures(this.titles, drawing.lacks ?? []);
    const usual = Object.keys(this.figures)[0];
    if (!unsure)
      this.figure = drawing.figure && drawing.figure in this.figures ? drawing.figure : usual;
    const compares = this.others.includes("twins");
    const lesson = drawing.lesson?.key ?? null;
    const asks = lesson !== null && Boolean(drawing.asking?.hiding);
    const twins = Boolean(drawing.twins) && !asks; // while the lesson asks there is nothing to compare
    this.others = [...(twins ? ["twins"] : []), ...othersOf(drawing)];
    if (drawing.graph !== this.graph) this.chosen = false;
    this.graph = drawing.graph;
    if (!this.chosen) this.plot = firstPlot({ ...drawing, figure: this.figure }, usual);
    if (twins && !compares) [this.plot, this.chosen] = ["twins", true]; // just pinned, or just answered
    if (!twins && this.plot === "twins")
      [this.plot, this.chosen] = [firstPlot({ ...drawing, figure: this.figure }, usual), false];
    // While the lesson asks, its figure is hidden, and the graph has the room.
    if (lesson !== this.lesson || !lesson || asks !== this.asks)
      foldUntilAsked(
        lesson !== null && (asks || (this.plot === "figure" && this.figure === usual)),
      );
    [this.lesson, this.asks] = [lesson, asks];
    leaveRoomAbove((drawing.lesson?.variants.length ?? 0) > 1, Boolean(drawing.exercises));
    this.show();
  }

  /** @param {string} name */
  press(name) {
    const { folded } = presentLook();
    const isFigure = name in this.figures;
    this.chosen = true;
    this.plot = isFigure ? "figure" : name;
    if (isFigure && name !== this.figure) this.chooseFigure((this.figure = name));
    if (folded) changeLook({ folded: false });
    else this.show();
  }

  show() {
    const { folded } = presentLook();
    const plot = this.plot === "figure" || this.others.includes(this.plot) ? this.plot : "figure";
    this.tabs.show(
      this.all
        .filter(({ name }) => name in this.figures || this.others.includes(name))
        .map(({ name, label, word }) => ({ name, label, word: word || undefined })),
      plot === "figure" ? this.figure : plot,
    );
    document.documentElement.dataset.avPlot = plot;
    this.offerSecond(plot === "figure" ? this.figure : "");
    this.fold.title = folded ? "Open the plots" : "Fold the plots";
    this.fold.setAttribute("aria-label", this.fold.title);
    this.fold.setAttribute("aria-expanded", String(!folded));
    this.border.setAttribute("aria-valuenow", String(heightNow()));
  }

  /** Offer the figures that are not the plot itself. @param {string} first */
  offerSecond(first) {
    const names = Object.keys(this.figures).filter((name) => name !== first);
    const { second } = presentLook();
    const chosen = second && names.includes(second) ? second : "";
    this.second.replaceChildren(
      ...[["", "+ Plot"], ...names.map((name) => [name, `+ ${this.figures[name]}`])].map(
        ([value, label]) => html("option", { value, selected: value === chosen }, label),
      ),
    );
    document.documentElement.dataset.avSecond = chosen;
  }

  close() {
    this.stop();
    removeEventListener("resize", this.resized);
  }
}

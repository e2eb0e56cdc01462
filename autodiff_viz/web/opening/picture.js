// @ts-check
// Draw the first view of the page before the lab's own code has come: the canvas with its numbers, and the rows above
// and below it, by the functions that draw them in the lab, and so in the same places. What is pressed meanwhile is
// kept for the lab, which takes the picture's place (`web/main.js`).

import { answerForm, write } from "../asking/form.js";
import { isOpen } from "../asking/questions.js";
import { BROWSER_STORAGE } from "../base/browser_storage.js";
import { html } from "../base/dom.js";
import { BARE, runIn } from "../base/host.js";
import { TERM_CSS } from "../base/term.js";
import { keepPlace, noteVisit } from "../base/visits.js";
import { welcome } from "../canvas/popovers/welcome.js";
import { legend } from "../canvas/draw/reads.js";
import {
  measureCanvas,
  openStage,
  paint,
  setView,
  sizeOf,
  wholeView,
} from "../canvas/draw/stage.js";
import { readDrawing } from "../canvas/state/read_drawing.js";
import { folding } from "../canvas/state/fold.js";
import { turning } from "../canvas/state/downwards.js";
import { viewOf } from "../canvas/state/geometry.js";
import { Dock } from "../dock/dock.js";
import { fromFragment, showLook } from "../dock/layout.js";
import { Panels, PHONE, Tabs } from "../dock/panels.js";
import { transportParts } from "../explain/transport.js";
import { lessonBrief } from "../lesson/brief.js";
import { exerciseLine } from "../lesson/exercise.js";

/** @typedef {import("../types.js").Drawing} Drawing */
/**
 * What was done to the picture: a node was selected, a key pressed on the canvas, an edit made, Play pressed, the formula
 * pressed, or the tab of a panel.
 *
 * @typedef {{ node: string } | { key: KeyboardEventInit } | { edit: import("../connection/edit_sender.js").NewEdit }
 *   | { play: true } | { formula: true } | { panel: import("../dock/panels.js").Panel }} Done
 */

const FITS = 3; // texts of another size take other room, until none changes; the lab comes there as its parts come

/** @typedef {Record<"editor" | "workbench" | "asking" | "formula" | "sliders", string>} Styles by place, as Places has them */

/** Draw the picture in the shell of the page. The lab calls `autodiff_viz_picture`, which ends it and tells what was done to it.
 * @param {Styles} css @param {import("../dock/dock.js").PlotTab[]} tabs of the plots */
export default function showPicture(css, tabs) {
  const place = document.getElementById("av-first-canvas");
  const data = document.getElementById("av-opening")?.textContent;
  if (!place || !data) return;
  runIn({ ...BARE, storage: BROWSER_STORAGE });
  const end = drawPicture(place, JSON.parse(data), css, tabs);
  Object.assign(globalThis, { autodiff_viz_picture: end });
}

/** @param {HTMLElement} place @param {any} word Python's first message @param {Styles} css
 * @param {import("../dock/dock.js").PlotTab[]} tabs @returns {() => Done[]} */
function drawPicture(place, { full, rev }, css, tabs) {
  const drawing = readDrawing({ ...full, key: "", ack: 0, rev });
  if (drawing.lesson) noteVisit(drawing.lesson.key, drawing.asking?.summary);
  showLook();
  /** @type {Done[]} */
  const done = [];
  const stage = openStage();
  const editor = likeAnEditor(drawing, stage, done);
  const [panels, dock] = [besideCanvas(drawing), plotsBelow(editor, tabs)];
  const { wanted } = panels;
  put(placeOf("panels"), css.workbench, panels.host);
  put(placeOf("plots"), css.workbench, dock.host);
  const formula = linesOf(drawing);
  put(placeOf("formula"), css.formula, formula);
  put(placeOf("sliders"), css.sliders, roomOfSliders(drawing));
  stage.host.append(legend());
  welcome(editor);
  const { bar, play } = transportParts();
  play.addEventListener("click", editor.startPlay);
  editor.root.append(
    html("div", { class: "strip" }), // its tools come with the lab
    lessonBrief(editor),
    graphsOf(editor),
    exerciseLine(editor, () => {}),
    stage.host,
    html(
      "div",
      { class: "bar hands", style: "visibility: hidden" },
      html("button", { class: "tool" }),
    ),
    html("div", { class: "bench" }, bar),
  );
  const asked = question(editor);
  if (asked && drawing.lesson && !matchMedia(PHONE).matches)
    put(placeOf("asking"), css.asking, html("div", { class: "seat" }, asked));
  else if (asked) stage.host.before(asked);
  put(place, css.editor, editor.root);
  for (const watch of editor.watchers) watch();

  measureCanvas(stage);
  const [turn, whole, size] = [turning(), folding()(drawing), sizeOf(stage)];
  const seen = turn(whole, size);
  paint(stage, seen, false);
  const { place: linked } = fromFragment(location.hash);
  const fit = () => {
    if (!size.w) return;
    if (linked) return setView(stage, viewOf(linked, size));
    for (let time = 0; time < FITS; time++) setView(stage, wholeView(stage, seen, true));
  };
  fit();
  const ending = keepPresses(stage.host, formula, done);
  const { signal } = ending;
  document.fonts.ready.then(() => signal.aborted || fit()); // in the font before, a greeting may take two lines
  addEventListener("pagehide", () => keepPlace(location.search), { signal });
  if (drawing.selected) stage.cards.get(drawing.selected)?.root.classList.add("selected");

  return () => {
    for (const part of [panels, dock]) part.close();
    ending.abort();
    return [...done, ...(panels.wanted === wanted ? [] : [{ panel: panels.wanted }])];
  };
}

/** What the rows around the canvas read of an editor, and tell it.
 * @param {Drawing} drawing @param {import("../canvas/draw/stage.js").Stage} stage @param {Done[]} done
 * @returns {import("../canvas/editor.js").Editor} */
function likeAnEditor(drawing, stage, done) {
  const known = {
    drawing,
    shown: drawing,
    stage,
    root: html("div", { class: "workspace" }),
    watchers: [],
    send: (/** @type {import("../connection/edit_sender.js").NewEdit} */ edit) =>
      void done.push({ edit }),
    startPlay: () => void done.push({ play: true }),
  };
  return /** @type {any} */ (known);
}

/** The sliders' names, in rows as high as they will be. @param {Drawing} drawing */
const roomOfSliders = ({ sliders }) =>
  html(
    "div",
    { class: "sliders" },
    ...(sliders?.rows ?? []).map((/** @type {{ name: string }} */ { name }) =>
      html("div", { class: "row" }, html("span", { class: "name" }, name)),
    ),
  );

/** Say on the root element which panels are open, which places everything. @param {Drawing} drawing */
function besideCanvas({ lesson, tour, sliders, asking }) {
  const panels = new Panels();
  panels.receive(
    lesson ? `${lesson.key} ${lesson.variant}` : null,
    Boolean(tour),
    sliders?.rows?.length ?? 0,
    Boolean(asking?.hiding),
  );
  return panels;
}

/** The formula in one colour: its words are looked up by the lab. @param {Drawing} drawing */
function linesOf({ formula }) {
  const lines = String(formula?.text ?? "").split("\n");
  const mirror = lines.map((text, i) => html("div", { class: "line", "data-number": i + 1 }, text));
  const sheet = html("div", { class: "sheet" }, html("div", { class: "mirror" }, ...mirror));
  return html(
    "div",
    { class: "formula" },
    html("div", { class: "box" }, sheet),
    html("div", { class: "foot" }),
  );
}

/** Say on the root element how high the plots are.
 * @param {import("../canvas/editor.js").Editor} editor @param {import("../dock/dock.js").PlotTab[]} tabs */
function plotsBelow(editor, tabs) {
  const dock = new Dock(tabs, (figure) => editor.send({ kind: "figure", figure }));
  dock.receive(editor.drawing, false);
  return dock;
}

/** The graphs of the open lesson. @param {import("../canvas/editor.js").Editor} editor */
function graphsOf(editor) {
  const { lesson } = editor.drawing;
  const tabs = new Tabs("Graphs of the lesson", (name) => {
    if (lesson) editor.send({ kind: "variant", lesson: lesson.key, variant: Number(name) });
  });
  const several = lesson && lesson.variants.length > 1;
  if (several)
    tabs.show(
      lesson.variants.map((label, i) => ({ name: String(i), label })),
      String(lesson.variant),
    );
  return html("div", { class: "variants", hidden: !several }, tabs.root);
}

/** The question that is asked. @param {import("../canvas/editor.js").Editor} editor */
function question(editor) {
  const { items = [] } = editor.drawing.asking ?? {};
  const at = items.findIndex(isOpen);
  if (at < 0) return null;
  const many = items.length > 1;
  const which = html(
    "button",
    { type: "button", class: "tool which" },
    many ? `${at + 1} of ${items.length}` : "Question",
  );
  const says = html("p", { class: "asking-says" });
  write(says, items[at].says);
  const form = html("div", { class: "asking-form" }, answerForm(editor, items[at], at));
  const next = html("div", { class: "asking-next" });
  return html("section", { class: many ? "asking many" : "asking" }, which, says, form, next);
}

/** @param {string} name */
const placeOf = (name) =>
  /** @type {HTMLElement | null} */ (
    document.querySelector(`#av-first .av-place[data-place="${name}"]`)
  );

/** @param {HTMLElement | null} place @param {string} style @param {HTMLElement} root */
const put = (place, style, root) =>
  place?.attachShadow({ mode: "open" }).append(html("style", {}, `${style}\n${TERM_CSS}`), root);

/** Keep the nodes that are pressed and the keys that follow, and a press on the formula.
 * @param {HTMLElement} canvas @param {HTMLElement} formula @param {Done[]} done @returns {AbortController} ends it */
function keepPresses(canvas, formula, done) {
  const ending = new AbortController();
  const { signal } = ending;
  let on = false; // whether the canvas was pressed last, which then would have the focus
  document.addEventListener(
    "click",
    (event) => {
      const path = event.composedPath();
      on = path.includes(canvas);
      const card = path.find((at) => at instanceof SVGElement && at.dataset.id);
      if (on && card instanceof SVGElement) done.push({ node: card.dataset.id ?? "" });
      if (path.includes(formula)) done.push({ formula: true });
    },
    { signal, capture: true },
  );
  document.addEventListener(
    "keydown",
    ({ key, code, ctrlKey, metaKey, shiftKey, altKey }) => {
      if (on) done.push({ key: { key, code, ctrlKey, metaKey, shiftKey, altKey } });
    },
    { signal, capture: true },
  );
  return ending;
}

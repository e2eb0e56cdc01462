// @ts-check
// Prepare a talk: say what is too small for the last row, and begin.

import { html } from "../base/dom.js";
import { dispatch, listen } from "../base/events.js";
import { arrange } from "../canvas/actions/arrange.js";
import { collapse } from "../canvas/actions/groups.js";
import { isHiding, toggleHiding } from "../canvas/actions/hiding.js";
import { closePopover } from "../canvas/popovers/popover.js";
import { folded } from "../canvas/state/fold.js";
import { bounds, padded } from "../canvas/state/geometry.js";
import { readDrawing } from "../canvas/state/read_drawing.js";
import { takesNoGradient } from "../canvas/state/sizes.js";
import { stackTabs } from "../canvas/state/tabs.js";
import { cardsWithoutRoom, roomSays, shortSteps } from "./course.js";
import { openNotes, presenterOf } from "./presenter.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */

/** Begin a talk at once. @param {Editor} editor @param {{ hidden: boolean }} how */
export const enterStage = (editor, how) => presenterOf(editor).enter(how);

const WINDOWS = [
  { w: 1280, h: 720 },
  { w: 1920, h: 1080 },
];

/** @param {Editor} editor */
export function openPrepare(editor) {
  closePopover(editor);
  const presenter = presenterOf(editor);
  const hidden = /** @type {HTMLInputElement} */ (html("input", { type: "checkbox" }));
  const begin = (/** @type {boolean} */ full) => {
    closePopover(editor);
    presenter.enter({ hidden: hidden.checked, full });
  };
  const start = button("Start", () => begin(true), "main");
  const room = html("div", { class: "stage-room", role: "status" });
  const others = html("div", { class: "stage-steps", role: "status", hidden: true });
  const keydown = (/** @type {any} */ event) => {
    event.stopPropagation(); // keys must not reach the canvas
    if (event.key === "Escape") closePopover(editor);
  };
  const root = html(
    "div",
    { class: "popover text-dialog prepare", role: "dialog", "aria-label": "Present", keydown },
    html("b", {}, "Present"),
    html(
      "p",
      {},
      "The graph fills the screen. \u2192 and Page \u2193 go on, Esc leaves, ? lists the keys.",
    ),
    room,
    others,
    html(
      "label",
      { class: "check-row" },
      hidden,
      "Begin with what comes back hidden  (H shows it)",
    ),
    html(
      "div",
      { class: "row" },
      button("In this window", () => begin(false)),
      button("Notes", () => openNotes(presenter.named())),
      start,
    ),
  );
  const tell = () => {
    if (root.isConnected) return fillRoom(editor, room);
    editor.watchers = editor.watchers.filter((other) => other !== tell);
  };
  editor.stage.host.append(root);
  editor.watchers = [...editor.watchers, tell];
  tell();
  start.focus();
  const { talk } = editor.drawing;
  if (!talk || talk.steps.length < 2) return;
  listen(
    "shared",
    ({ of, shared }) => of === "prepare" && fillSteps(others, talk.steps, shared.steps ?? []),
    () => !root.isConnected,
  );
  dispatch("wants-share", { of: "prepare", parameters: { steps: "1" } });
}

/** Say which steps of the talk do not fit. @param {HTMLElement} others @param {string[]} titles @param {(object | null)[]} drawn by step */
function fillSteps(others, titles, drawn) {
  const judged = drawn.map((sent, at) => {
    const { nodes } = sent ? folded(stackTabs(readDrawing(sent))) : { nodes: [] };
    const content = bounds(nodes);
    const says = WINDOWS.map((window) =>
      roomSays(
        cardsWithoutRoom(nodes, content && padded(content, PAD), window),
        nodes.length,
        nodes.length > MANY,
      ),
    );
    return { title: titles[at] ?? "", says };
  });
  const names = WINDOWS.map(({ w, h }) => `${w} \u00d7 ${h}`);
  const short = shortSteps(judged, names);
  others.hidden = false;
  others.replaceChildren(
    html("b", {}, short.length ? "Steps that are too small" : "All steps fit."),
    ...short.map(({ title, says }) =>
      html("p", { class: "short" }, html("b", {}, title), ` ${says}`),
    ),
  );
}

const PAD = 20; // px around the cards, for names and chips
const MANY = 12; // cards, of which some may be put into a group

/** Say for each size of a projector what does not fit, and offer what helps. @param {Editor} editor @param {HTMLElement} room */
function fillRoom(editor, room) {
  const { seen, shown, stage } = editor;
  const open = shown.groups.filter(({ collapsed, nodes }) => !collapsed && nodes.length > 1);
  const rows = WINDOWS.map((window) => {
    const says = roomSays(
      cardsWithoutRoom(seen.nodes, stage.content, window),
      seen.nodes.length,
      open.length > 0,
    );
    return { size: `${window.w} \u00d7 ${window.h}`, says };
  });
  const short = rows.some(({ says }) => says);
  const largest = open.sort((a, b) => b.nodes.length - a.nodes.length)[0];
  const offers = [
    short &&
      largest &&
      button(`Collapse ${largest.name}`, () => collapse(editor, largest.name, true)),
    short &&
      shown.groups.some(({ collapsed }) => collapsed) &&
      button("Arrange", () => arrange(editor)),
    short &&
      !isHiding(editor) &&
      shown.nodes.some(takesNoGradient) &&
      button("Hide what takes no gradient", () => toggleHiding(editor)),
  ];
  const lines = rows.map(({ size, says }) =>
    html(
      "p",
      { class: says ? "short" : "fits" },
      html("b", {}, size),
      ` ${says || "All of it can be read from the last row."}`,
    ),
  );
  const text = rows.map(({ says }) => says).join() + largest?.name + offers.filter(Boolean).length;
  if (room.dataset.says === text) return;
  room.dataset.says = text;
  room.replaceChildren(...lines, html("div", { class: "row offers" }, ...offers));
}

/** @param {string} word @param {() => void} click @param {string} [kind] */
const button = (word, click, kind = "") =>
  html("button", { type: "button", class: `tool ${kind}`, click }, word);

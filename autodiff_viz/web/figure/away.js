// @ts-check
// Take the place of what changes a graph in a figure that lives without a server: the figure says what needs
// the lab, with a link to it. `IN_PLACE` of standalone/page.py lists the modules that this one stands for.

import { html } from "../base/dom.js";
import { dispatch } from "../base/events.js";
import { showStatus } from "../canvas/draw/stage.js";
import { pan } from "../canvas/gestures/pan_zoom.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("../types.js").Drawing} Drawing */
/** @typedef {import("../types.js").Point} Point */

/** Say that something needs the lab. @param {string} what */
export const needsLab = (what) => void dispatch("needs-lab", { what });
const change = () => needsLab("Changing the graph");

// Fields, menus and commands of the canvas.

export const editConstant = change;
export const editName = change;
export const editRule = change;
export const editValue = change;
export const openBranches = change;
export const openPalette = change;
export const openRegion = change;
export const removeWire = change;
export const renameGroup = change;
export const stepBranches = change;

/** Select the members of a region. @param {Editor} editor @param {string} name */
export function selectRegion(editor, name) {
  const frame = [...editor.shown.regions, ...editor.shown.groups].find((one) => one.name === name);
  editor.select(frame?.nodes ?? []);
  return frame?.nodes[0] ?? "";
}

/** Collapse or expand a group. @param {Editor} editor @param {string} group @param {boolean} on */
export const collapse = (editor, group, on) => editor.send({ kind: "collapse", group, on });

/** Flip between the two graphs that are compared. @param {Editor} editor */
export const flip = (editor) => editor.drawing.twins && editor.send({ kind: "flip" });

/** Show all that is asked for. @param {Editor} editor */
export const stopAsking = (editor) => editor.send({ kind: "stop_asking" });
export const removeQuestion = stopAsking;
export const openAsk = () => {};

/** Copy a text. @param {Editor} editor @param {string} what @param {string} text */
export const copy = (editor, what, text) =>
  navigator.clipboard.writeText(text).then(
    () => showStatus(editor.stage, `${what} copied.`),
    () => showStatus(editor.stage, text),
  );

/** No node is dragged. @param {Drawing} drawing */
export const withMoves = (drawing) => drawing;

/** Forward mode is not in the file. */
export const isForward = () => false;
export const toggleForward = change;

// Gestures: what would move a node or a wire moves the view.

/** @param {Editor} editor @param {string} _id @param {Point} start */
export const dragNodes = (editor, _id, start) => pan(editor, start);
export const dragCopies = dragNodes;
/** @param {Editor} editor @param {Point} start */
export const dragBox = (editor, start) => pan(editor, start);
/** @returns {import("../canvas/gestures/gestures.js").Gesture} */
export const dragWire = () => ({ move: () => {}, end: change });

// What the page expects of an edit before it is answered; here every edit is answered at once.

/** @param {Drawing} drawing */
export const predict = (drawing) => drawing;
export const withPositions = predict;
/** @type {Set<string>} */
export const BESIDE = new Set();
export const NO_MATTER = BESIDE;
export const dragFrame = () => false;
export const groundOf = () => null;
export const endDragFrame = () => {};

// The panel's fields and its row of rules.

export class Field {
  constructor() {
    this.root = html("span");
  }
  show() {}
  follow() {}
}

export class Rules {
  constructor() {
    this.root = html("span", { hidden: true });
  }
  show() {}
}

// What the browser keeps for a page that is lost.

export class SessionStore {
  constructor() {
    this.search = "";
  }
  keep() {}
  open() {
    return [];
  }
  resume() {
    return false;
  }
  close() {}
}

// Answers in an address, and results of a tour: a figure has neither.

export const answersThatCame = () => ({ root: html("p", { hidden: true }), follow: () => {} });
export const keepResult = () => {};
export const resultsOf = () => "";

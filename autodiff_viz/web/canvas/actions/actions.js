// @ts-check
// List the actions of the canvas, one record each, from which toolbars, menus, keys and the cheat sheet are
// made.

import { answerFocused } from "../../asking/answer.js";
import { askOrAnswer, isAsking } from "../../asking/ask.js";
import { RULES } from "../../base/constants.js";
import { nextTheme } from "../../dock/layout.js";
import { BY_HAND } from "../../dock/panels.js";
import { showStatus } from "../draw/stage.js";
import {
  afterAnswers,
  answeredItems,
  chooseFile,
  isOnPaper,
  isWithAnswers,
  newGraph,
  openTextField,
  openTour,
  pressDownload,
  takeFormula,
  takeLink,
  takePicture,
  togglePaper,
  toggleWithAnswers,
} from "../files/import_export.js";
import { duplicate } from "../gestures/drag.js";
import { isSelecting, toggleSelecting } from "../gestures/touch.js";
import { branchesKey, branchesOf, stepBranches } from "../popovers/branches.js";
import { differentiate } from "../popovers/differentiate.js";
import { editRule } from "../popovers/fields.js";
import { stepHistory, toggleHistory } from "../popovers/history.js";
import { openPalette } from "../popovers/palette.js";
import { withPart } from "../../later.js";
import { arrange, nudge, unfold } from "./arrange.js";
import { copyByButton } from "./clipboard.js";
import {
  bendOf,
  compareWithout,
  segmentsEndHere,
  hasAllNumbers,
  isForward,
  isPinned,
  makeOutput,
  mutedOn,
  outputOn,
  regionOf,
  remove,
  removeWire,
  rulesOn,
  saveTwins,
  toggleCheckpoint,
  toggleCut,
  toggleForward,
  toggleMute,
  togglePin,
  toggleRule,
} from "./commands.js";
import {
  groupOf,
  hasNamesakes,
  toggleCollapse,
  toggleGroup,
  toggleNamesakes,
  touchesGroup,
} from "./groups.js";
import { editFirstConstant, rename, showDetails, takeWire } from "./keyboard.js";
import { arrows, placedAmong, READING, wayOf } from "./reading.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("./reading.js").Action} Action */
/** @typedef {import("./reading.js").Place} Place */

/** @param {Editor} editor */
const hasNodes = (editor) => editor.selection.size > 0;
/** @param {Editor} editor */
const isSingle = (editor) => editor.single !== null;
/** @param {Editor} editor */
const isWire = (editor) =>
  editor.selection.size === 0 && editor.stage.strands.has(editor.wire ?? "");

/** Actions that put a rule on the selected nodes, one for each kind that has a key. @type {Record<string, Action>} */
const RULE_ACTIONS = Object.fromEntries(
  Object.entries(RULES)
    .filter(([, { key }]) => key)
    .map(([rule, { action, key, label }]) => [
      rule,
      {
        onSelection: true,
        rule: true,
        label: action,
        keys: [key],
        word: label,
        places: { top: "nodes" },
        guide: "Bend the gradient",
        when: hasNodes,
        on: (editor) => rulesOn(editor, rule),
        do: (editor) => toggleRule(editor, rule),
      },
    ]),
);

/** @type {Record<string, Action>} */
export const ACTIONS = {
  add: {
    label: "Add a node",
    keys: ["a", "/"],
    word: "Add",
    places: { graph: "add" },
    guide: "Add and wire",
    says: "Find an op; drag it onto the canvas or a wire",
    hand: "or double-click",
    do: (editor) => openPalette(editor),
  },
  wire: {
    label: "Wire from the node: arrows, then Enter",
    keys: ["w"],
    guide: "Add and wire",
    do: (editor, { node }) => takeWire(editor, node),
  },
  edit: {
    onSelection: true,
    label: "Edit a constant or an input's value",
    keys: ["e"],
    guide: "Add and wire",
    hand: "or click a number",
    do: editFirstConstant,
  },
  rename: {
    onSelection: true,
    label: "Rename the node",
    keys: ["F2"],
    guide: "Add and wire",
    hand: "or double-click",
    do: (editor, { region }) => rename(editor, region),
  },

  details: {
    onSelection: true,
    label: "Details",
    keys: ["i"],
    word: "details",
    places: { top: "details" },
    guide: "Walk by keyboard",
    says: "Go to the details of the selected node",
    when: isSingle,
    do: showDetails,
  },
  ...RULE_ACTIONS,
  checkpoint: {
    onSelection: true,
    label: "Checkpoint",
    keys: ["c"],
    word: "checkpoint",
    places: { top: "nodes" },
    guide: "Bend the gradient",
    when: hasNodes,
    on: (editor) => Boolean(regionOf(editor)),
    do: toggleCheckpoint,
  },
  group: {
    onSelection: true,
    label: "Group, or take the group apart",
    keys: ["g"],
    word: "group",
    places: { top: "nodes" },
    guide: "Select and change",
    when: hasNodes,
    on: (editor) => Boolean(groupOf(editor)),
    do: toggleGroup,
  },
  mute: {
    onSelection: true,
    label: "Mute: return the first input",
    keys: ["m"],
    places: { more: "nodes" },
    guide: "Bend the gradient",
    when: hasNodes,
    on: mutedOn,
    do: toggleMute,
  },
  cut_after: {
    onSelection: true,
    label: "Cut after it: a segment ends here",
    keys: ["k"],
    places: { more: "nodes" },
    guide: "Bend the gradient",
    when: hasNodes,
    on: segmentsEndHere,
    do: toggleCut,
  },
  output: {
    onSelection: true,
    label: "Make it the output",
    keys: ["o"],
    word: "output",
    places: { top: "nodes" },
    guide: "Bend the gradient",
    when: isSingle,
    on: outputOn,
    do: makeOutput,
  },
  delete: {
    onSelection: true,
    label: "Delete",
    keys: ["Delete"],
    also: ["Backspace"],
    places: { top: "nodes" },
    guide: "Select and change",
    when: hasNodes,
    do: (editor, { region }) => remove(editor, region),
  },
  removeWire: {
    label: "Remove the wire",
    hint: "Delete",
    icon: "delete",
    word: "remove",
    places: { top: "wire" },
    when: isWire,
    do: removeWire,
  },
  rule: {
    onSelection: true,
    label: "Change the function of the rule",
    keys: ["t"],
    guide: "Bend the gradient",
    hand: "or click the mark",
    do: (editor) => editRule(editor, editor.single),
  },

  differentiate: {
    onSelection: true,
    label: "Differentiate by ...",
    keys: ["d"],
    places: { more: "nodes" },
    guide: "Add and wire",
    says: "Differentiate by a node: grad",
    when: ({ selection }) => selection.size > 0 && selection.size <= 2,
    do: (editor) => differentiate(editor),
  },
  select: {
    label: "Select several",
    hint: "Shift",
    places: { graph: "add" },
    on: isSelecting,
    do: toggleSelecting,
  },
  all: READING.all,
  none: READING.none,
  duplicate: {
    onSelection: true,
    label: "Duplicate",
    keys: ["Ctrl+D"],
    places: { more: "nodes" },
    guide: "Select and change",
    do: (editor) => duplicate(editor),
  },
  copy: {
    label: "Copy as formula text",
    keys: ["Ctrl+C"],
    byBrowser: true,
    places: { more: "nodes" },
    guide: "Select and change",
    says: "Copy, cut, paste, as formula text",
    do: (editor) => copyByButton(editor, "copy"),
  },
  cut: {
    label: "Cut",
    keys: ["Ctrl+X"],
    byBrowser: true,
    places: { more: "nodes" },
    besides: "copy",
    do: (editor) => copyByButton(editor, "cut"),
  },
  paste: { label: "Paste", keys: ["Ctrl+V"], byBrowser: true, besides: "copy" },
  fitSelection: READING.fitSelection,
  fold: {
    label: "Collapse or open the group",
    keys: ["Shift+G"],
    places: { more: "nodes" },
    guide: "Select and change",
    hand: "or its triangle",
    says: "Collapse a group to one card, or open it",
    when: touchesGroup,
    do: toggleCollapse,
  },
  foldAll: {
    label: "Collapse or open all groups of this name",
    keys: ["Alt+G"],
    places: { more: "nodes" },
    guide: "Select and change",
    says: "All groups of one name, as those of a loop",
    when: hasNamesakes,
    do: toggleNamesakes,
  },
  branches: {
    label: "Branches: make them, or choose how many",
    keys: ["Shift+B"],
    places: { more: "nodes" },
    guide: "Select and change",
    hand: "or click k",
    says: "Make branches, or choose how many",
    do: branchesKey,
  },
  moreOf: {
    label: "One branch more",
    keys: ["]"],
    places: { more: "nodes" },
    guide: "Select and change",
    hand: "or + and \u2212",
    says: "One branch more, one less",
    when: branchesOf,
    do: (editor) => stepBranches(editor, 1),
  },
  fewer: {
    label: "One branch less",
    keys: ["["],
    places: { more: "nodes" },
    besides: "moreOf",
    when: branchesOf,
    do: (editor) => stepBranches(editor, -1),
  },
  unfold: {
    label: "Take the parameter out of its layer",
    hint: "drag",
    places: { more: "nodes" },
    when: (editor) => editor.node(editor.single)?.tab,
    do: (editor) => unfold(editor),
  },
  without: {
    label: "Compare: without this",
    places: { more: "nodes" },
    when: bendOf,
    do: (editor) => compareWithout(editor),
  },
  arrangeChosen: {
    label: "Arrange these nodes",
    hint: "l",
    places: { more: "nodes" },
    when: ({ selection }) => selection.size > 1,
    do: arrange,
  },
  nudge: {
    label: "Move a little",
    keys: arrows("Alt+"),
    guide: "Select and change",
    hand: "Alt + drag",
    says: "Move a little; drag a copy away",
    do: (editor, _, key) => nudge(editor, wayOf(key)),
  },

  play: READING.play,

  present: { ...READING.present, says: "Large type; present the graph, step by step" },

  stage: {
    label: "Present ...",
    keys: ["Shift+L"],
    places: { look: "type" },
    besides: "present",
    do: (editor) => withPart(editor, "present", ({ openPrepare }) => openPrepare(editor)),
  },
  theme: {
    label: "Next theme: light, dark, contrast, system",
    places: { look: "type" },
    do: ({ stage }) => showStatus(stage, `Theme: ${nextTheme()}`),
  },

  pin: {
    label: "Compare: pin the graph as A",
    keys: ["Shift+V"],
    icon: "pin",
    word: "compare",
    places: { view: "compare", look: "modes" },
    guide: "Compare two graphs",
    says: "Pin the graph as it is as A and go on as B; or unpin",
    on: isPinned,
    do: togglePin,
  },
  forward: {
    label: "Forward mode: tangents in place of cotangents",
    keys: ["j"],
    word: "forward",
    places: { view: "compare", look: "modes" },
    guide: "See",
    says: "Show tangents, in place of cotangents",
    when: hasAllNumbers,
    on: isForward,
    do: toggleForward,
  },
  flip: READING.flip,

  ask: {
    label: "Ask: hide numbers, and answer",
    keys: ["q"],
    word: "ask",
    places: { view: "compare", look: "modes" },
    guide: "Play the pass",
    says: "Ask about a number, or go to the question",
    on: isAsking,
    do: askOrAnswer,
  },
  undo: {
    label: "Undo",
    keys: ["Ctrl+Z"],
    places: { bar: "steps" },
    guide: "Select and change",
    says: "Undo, redo",
    undoes: "undo",
    do: (editor) => stepHistory(editor, "undo"),
  },
  redo: {
    label: "Redo",
    keys: ["Ctrl+Shift+Z"],
    also: ["Ctrl+Y"],
    places: { bar: "steps" },
    besides: "undo",
    undoes: "redo",
    do: (editor) => stepHistory(editor, "redo"),
  },
  history: {
    label: "History",
    keys: ["h"],
    places: { bar: "steps" },
    guide: "Select and change",
    do: toggleHistory,
  },
  find: {
    label: "Find a node",
    keys: ["Ctrl+F"],
    places: { bar: "help" },
    guide: "See",
    inside: true,
    says: "Find a node by name or op",
    do: (editor) => withPart(editor, "find", ({ openFind }) => openFind(editor)),
  },
  hide: READING.hide,
  arrange: {
    label: "Arrange all nodes, or those selected",
    keys: ["l"],
    places: { view: "arrange" },
    guide: "Select and change",
    do: arrange,
  },

  walk: READING.walk,
  extend: READING.extend,
  enter: {
    ...READING.enter,
    needs: ({ node, region, wire }) => node ?? region ?? wire,
    do: (editor, focus, key) =>
      void (
        (key === "Enter" && answerFocused(editor, focus.node, focus.wire)) ||
        (focus.wire ? null : READING.enter.do?.(editor, focus, key))
      ),
  },
  wireBefore: READING.wireBefore,
  wireAfter: READING.wireAfter,
  onward: READING.onward,

  farther: READING.farther,
  fit: READING.fit,
  nearer: READING.nearer,
  help: {
    label: "Keys and gestures",
    keys: ["?"],
    places: { bar: "help", look: "help" },
    guide: "See",
    says: "Open and close this sheet",
    do: (editor) =>
      withPart(editor, "help", ({ guideOf, toggleHelp }) => toggleHelp(editor, guideOf(ACTIONS))),
  },

  fresh: { label: "New graph", icon: "add", places: { file: "open" }, do: newGraph },
  open: {
    label: "Open a file ...",
    keys: ["Ctrl+O"],
    places: { file: "open" },
    guide: "Bring and take",
    do: chooseFile,
  },
  openText: {
    label: "Open a link or text ...",
    icon: "paste",
    places: { file: "open" },
    do: openTextField,
  },
  tour: {
    label: "Tour: steps with words ...",
    icon: "tour",
    places: { file: "open" },
    do: openTour,
  },
  png: {
    label: "Picture as PNG",
    icon: "picture",
    places: { file: "pictures" },
    do: (editor) => takePicture(editor, "png"),
  },
  svg: {
    label: "Picture as SVG",
    icon: "picture",
    places: { file: "pictures" },
    do: (editor) => takePicture(editor, "svg"),
  },
  paper: {
    label: "Pictures on white",
    places: { file: "pictures" },
    on: isOnPaper,
    do: togglePaper,
  },
  answered: {
    label: "Pictures with my answers",
    places: { file: "pictures" },
    when: (editor) => answeredItems(editor).length > 0,
    on: isWithAnswers,
    do: toggleWithAnswers,
  },
  figure: {
    label: "Save as interactive figure",
    icon: "play",
    places: { file: "pictures" },
    do: (editor) => pressDownload(editor, "download_figure"),
  },
  handout: {
    label: "Handout to print",
    icon: "file",
    places: { file: "pictures" },
    do: (editor) => pressDownload(editor, "download_handout"),
  },
  json: {
    label: "Graph as JSON",
    keys: ["Ctrl+S"],
    icon: "save",
    places: { file: "graph" },
    guide: "Bring and take",
    do: (editor) => pressDownload(editor, "download_json"),
  },
  python: {
    label: "Graph as a JAX file",
    icon: "save",
    places: { file: "graph" },
    do: (editor) => pressDownload(editor, "download_python"),
  },
  torch: {
    label: "Graph as a PyTorch file",
    icon: "save",
    places: { file: "graph" },
    waits: afterAnswers,
    do: (editor) => pressDownload(editor, "download_torch"),
  },
  notebook: {
    label: "Jupyter notebook",
    icon: "save",
    places: { file: "graph" },
    waits: afterAnswers,
    do: (editor) => pressDownload(editor, "download_notebook"),
  },
  marimo: {
    label: "marimo notebook",
    icon: "save",
    places: { file: "graph" },
    waits: afterAnswers,
    do: (editor) => pressDownload(editor, "download_marimo"),
  },
  report: {
    label: "Report for an issue",
    icon: "save",
    places: { file: "graph" },
    waits: afterAnswers,
    do: (editor) => pressDownload(editor, "download_report"),
  },
  twins: {
    label: "A, B and their difference",
    icon: "save",
    places: { file: "graph" },
    when: isPinned,
    do: saveTwins,
  },
  share: {
    label: "Share ...",
    places: { bar: "share", file: "copies" },
    inMenu: () => matchMedia(BY_HAND).matches, // where the bar has no room for it
    says: "Links, a QR code, and the code of a frame",
    do: (editor) => withPart(editor, "share", ({ openShare }) => openShare(editor)),
  },
  link: { label: "Copy the link", places: { file: "copies" }, do: takeLink },
  formula: { label: "Copy the formula", icon: "copy", places: { file: "copies" }, do: takeFormula },
};

/** The actions of a toolbar or menu, by group. @param {Place} place @returns {[id: string, action: Action][][]} */
export const placed = (place) => placedAmong(ACTIONS, place);

// @ts-check
// Describe the graph in words for screen readers: a list in reading order, updated when idle, and a line
// about every edit that Python has answered.

import { shared } from "../../base/constants.js";
import { html, keep, setText } from "../../base/dom.js";
import { listen } from "../../base/events.js";
import { titleOf } from "../state/fold.js";
import { drawingAt } from "../state/moved.js";
import { HIDDEN } from "../state/read_drawing.js";
import { grouped } from "../state/reachability.js";
import { describeNode } from "./cards.js";
import { showStatus } from "./stage.js";

// The words.

/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").Wire} Wire */
/** @typedef {import("../../types.js").Region} Region */

const COLUMN = 64; // px; nodes closer than this are in one column

/** Nodes from left to right, each column from the top.
 * @template {{ x: number, y: number }} T @param {T[]} nodes @returns {T[]} */
export const inOrder = (nodes) =>
  [...nodes].sort(
    (a, b) => Math.round(a.x / COLUMN) - Math.round(b.x / COLUMN) || a.y - b.y || a.x - b.x,
  );

/** A slot in words: "slot condition", "the first input". @param {string} label */
export const spokenLabel = (label) => (label.endsWith("input") ? `the ${label}` : `slot ${label}`);

/** Text of a wire: its source, its target, its contribution.
 * @param {Wire} wire @param {GraphNode | undefined} to */
export function spokenWire(wire, to) {
  const label = to?.slots[wire.slot]?.label ?? String(wire.slot);
  const back = wire.reverse?.passed ?? wire.passed;
  const forth = wire.reverse && wire.passed ? `passes on a tangent of ${wire.passed}, ` : "";
  const known = back ? `passes back ${back}` : "passes nothing back yet";
  const passed = forth + (wire.hidden ? `what it passes back is ${HIDDEN}` : known);
  return `wire from ${titleOf(wire.from)} to ${spokenLabel(label)} of ${titleOf(wire.to)}, ${wire.alternative ? "backward only, " : ""}${passed}`;
}

/** Write what a screen reader says of a focused wire. @param {Editor} editor @param {Element} root @param {Wire} wire */
export function labelWire(editor, root, wire) {
  const keys = editor.isFixed ? "Left" : "Delete removes it, left";
  root.setAttribute(
    "aria-label",
    `${spokenWire(wire, editor.node(wire.to))}. ${keys} and right go to its ends.`,
  );
}

/** Text of a region and its nodes. @param {Region} region */
export const spokenRegion = ({ name, nodes, badge, problem }) =>
  [
    `checkpoint region ${name}: ${nodes.join(", ")}`,
    badge && `runs ${badge.replace(/^[x×]/, "")} times`,
    problem,
  ]
    .filter(Boolean)
    .join(", ");

/** Text of a group and its nodes. @param {import("../../types.js").Group} group */
export const spokenGroup = ({ name, nodes, problem, branches, alone }) =>
  [
    branches
      ? `group of ${branches.length} ${branches.length === 1 ? "branch" : "branches"} ${name}: ${branches.join(", ")}`
      : `group ${name}: ${nodes.join(", ")}`,
    alone && `only ${alone} is trained`,
    problem,
  ]
    .filter(Boolean)
    .join(", ");

/** Wires at a node, incoming ones first, each side from the top: the order of `,` and `.`.
 * @param {Wire[]} wires @param {string} id */
export const wiresAt = (wires, id) => [
  ...wires.filter((wire) => wire.to === id).sort((a, b) => a.slot - b.slot),
  ...wires.filter((wire) => wire.from === id && wire.to !== id),
];

/** Lines of the list: nodes in reading order, each with its incoming wires and the nodes that it feeds.
 * @param {{ nodes: GraphNode[], wires: Wire[], regions: Region[], groups?: import("../../types.js").Group[] }} drawing @param {(node: GraphNode) => string} spoken
 * @returns {{ id: string, text: string, wires: string[] }[]} */
export function linesOf({ nodes, wires, regions, groups = [] }, spoken) {
  const into = grouped(wires, "to");
  const from = grouped(wires, "from");
  const lines = inOrder(nodes).map((node) => {
    const feeds = [...new Set((from.get(node.id) ?? []).map(({ to }) => to))];
    const reads = [...(into.get(node.id) ?? [])].sort((a, b) => a.slot - b.slot);
    return {
      id: node.id,
      text: `${spoken(node)}, ${feeds.length ? `feeds ${feeds.join(" and ")}` : "feeds nothing"}`,
      wires: reads.map((wire) => spokenWire(wire, node)),
    };
  });
  const framed = [
    ...regions.map((region) => ({ name: region.name, text: spokenRegion(region) })),
    ...groups.map((group) => ({ name: group.name, text: spokenGroup(group) })),
  ];
  return [...lines, ...framed.map(({ name, text }) => ({ id: `region ${name}`, text, wires: [] }))];
}

/** Text after Python has answered an edit: the edit's name and the value of the output, or for a change of rules
 * the cotangents that it has changed.
 * @param {Stepped} before @param {Stepped} after */
export function spokenStep(before, after) {
  const [was, is] = [before.history, after.history];
  if (!isStep(was, is) && was.redo === is.redo) return "";
  const back =
    is.redo && is.redo === was.undo && (is.redo !== was.redo || numberOf(is) < numberOf(was));
  const forth =
    is.undo && is.undo === was.redo && (is.undo !== was.undo || numberOf(is) > numberOf(was));
  const what = back ? `Undone: ${is.redo}` : forth ? `Redone: ${is.undo}` : is.undo;
  if (!what) return "";
  const ruled = changes(before, after, ({ rule, ruleFull }) => `${rule} ${ruleFull ?? ""}`);
  if (ruled.length) {
    const edit =
      back || forth ? what : `${ruled[0].rule.replace("_", " ")} on ${enumerated(ruled)}`;
    const changed = changes(
      before,
      after,
      ({ cotangent, cotangentFull }) => cotangentFull ?? cotangent,
    );
    return `${edit}: ${changed.length ? `cotangents of ${enumerated(changed)} changed` : "no cotangent changed"}`;
  }
  const output = after.nodes.find((node) => node.isOutput);
  return `${what}. ${output?.value ? `Output ${output.id} is ${output.value}` : ""}`.trim();
}

/** Number of the present step among all, also those that are no longer kept. @param {Steps} steps */
const numberOf = ({ at = 0, gone = 0 }) => at + gone;

/** Whether the present step is another one; two in a row may have one name. @param {Steps} was @param {Steps} is */
const isStep = (was, is) => was.undo !== is.undo || numberOf(was) !== numberOf(is);

/** Whether a new step has taken the loops and functions out of the formula.
 * @param {Steps} was @param {Steps} is */
export const isWrittenOut = (was, is) =>
  isStep(was, is) && !is.redo && Boolean(is.undo?.endsWith(shared.written_out));

/** Whether the last edit has set an input to data, of which its label says what was read.
 * @param {Steps} was @param {Steps} is */
export const isOfData = (was, is) =>
  isStep(was, is) &&
  was.redo !== is.undo &&
  Boolean(is.undo?.startsWith(shared.data_of)) &&
  !is.redo;

/**
 * @typedef {object} Steps
 * @property {string} [undo]
 * @property {string} [redo]
 * @property {number} [at]
 * @property {number} [gone]
 */
/** @typedef {{ history: Steps, nodes: GraphNode[] }} Stepped */

/** The nodes of both drawings that a look finds changed.
 * @param {Stepped} before @param {Stepped} after @param {(node: GraphNode) => string} look */
function changes(before, after, look) {
  const looks = new Map(before.nodes.map((node) => [node.id, look(node)]));
  return after.nodes.filter((node) => looks.has(node.id) && looks.get(node.id) !== look(node));
}

const NAMED = 5; // nodes that are named before the others are counted

/** @param {GraphNode[]} nodes */
const enumerated = (nodes) =>
  nodes
    .slice(0, NAMED)
    .map(({ id }) => id)
    .join(", ") + (nodes.length > NAMED ? ` and ${nodes.length - NAMED} more` : "");

/** @typedef {import("../editor.js").Editor} Editor */
/**
 * @typedef {object} Line
 * @property {HTMLElement} root
 * @property {HTMLElement} text
 * @property {HTMLElement} wires
 * @property {string} said
 */

const WRITTEN = "The copies now differ, so the formula writes the loop out. Undo brings it back.";
const LATER = 400; // ms without a change before the list is written

/** Keep the list of nodes and wires. @param {Editor} editor */
export function keepDescriptions(editor) {
  const list = html("ul", { "aria-label": "Nodes and wires" });
  editor.stage.host.append(html("div", { class: "unseen" }, list));
  /** @type {Map<string, Line>} */
  const lines = new Map();
  let [written, row, timer] = [editor.seen, editor.row, 0];
  const isWritten = () => (written === editor.seen && row === editor.row) || editor.dragged;
  const write = () => {
    if (isWritten()) return;
    [written, row] = [editor.seen, editor.row];
    list.setAttribute(
      "aria-label",
      `Nodes and wires: ${written.nodes.length} nodes, ${written.wires.length} wires`,
    );
    const items = linesOf(drawingAt(written, row), describeNode);
    keep(list, lines, items, ({ id }) => id, makeLine, writeLine);
    items.forEach(({ id }, i) => {
      const { root } = /** @type {Line} */ (lines.get(id));
      if (list.children[i] !== root) list.insertBefore(root, list.children[i]);
    });
  };
  const later = () => {
    if (isWritten()) return;
    clearTimeout(timer);
    timer = window.setTimeout(write, LATER);
  };
  editor.watchers.push(later);
  // A slider may stay where it was moved to, in a figure.
  listen("numbers", later, () => !list.isConnected && editor.drawing.rev >= 0);
}

/** Tell what every edit came to that Python has answered. @param {Editor} editor */
export function tellSteps(editor) {
  const answer = html("div", { "aria-live": "polite", class: "told" });
  editor.stage.host.querySelector(".unseen")?.append(answer);
  let { drawing } = editor;
  editor.watchers.push(() => {
    if (editor.drawing === drawing) return;
    const what = drawing.rev < 0 ? "" : spokenStep(drawing, editor.drawing);
    if (drawing.rev >= 0 && isWrittenOut(drawing.history, editor.drawing.history))
      showStatus(editor.stage, WRITTEN);
    if (drawing.rev >= 0 && isOfData(drawing.history, editor.drawing.history))
      showStatus(editor.stage, editor.drawing.history.undo ?? "");
    drawing = editor.drawing;
    if (what) answer.textContent = what;
  });
}

/** @returns {Line} */
function makeLine() {
  const [text, wires] = [html("span"), html("ul")];
  return { root: html("li", {}, text), text, wires, said: "" };
}

/** @param {Line} line @param {{ text: string, wires: string[] }} item */
function writeLine(line, { text, wires }) {
  setText(line.text, text);
  const said = wires.join("\n");
  if (said === line.said) return;
  line.said = said;
  line.wires.replaceChildren(...wires.map((wire) => html("li", {}, wire)));
  if (wires.length) line.root.append(line.wires);
  else line.wires.remove();
}

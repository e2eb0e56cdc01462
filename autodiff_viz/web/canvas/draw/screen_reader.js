// @ts-check
// Describe the graph in words for screen readers: a list in reading order, updated when idle.

import { html, keep, putInOrder, setText } from "../../base/dom.js";
import { listen } from "../../base/events.js";
import { titleOf } from "../state/fold.js";
import { drawingAt } from "../state/moved.js";
import { HIDDEN } from "../state/read_drawing.js";
import { grouped } from "../state/reachability.js";
import { describeNode } from "./cards.js";
import { spokenRuns } from "./runs.js";

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
export const spokenRegion = ({ name, nodes, badge, dropped, problem }) =>
  [`checkpoint region ${name}: ${nodes.join(", ")}`, spokenRuns({ runs: badge, dropped }), problem]
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

/** @typedef {import("../editor.js").Editor} Editor */
/**
 * @typedef {object} Line
 * @property {HTMLElement} root
 * @property {HTMLElement} text
 * @property {HTMLElement} wires
 * @property {string} said
 */

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
    putInOrder(
      list,
      items.flatMap(({ id }) => lines.get(id)?.root ?? []),
    );
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

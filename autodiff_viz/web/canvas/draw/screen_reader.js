// @ts-check
// Describe the graph in words for screen readers: a list in reading order, updated when idle, and the line
// of spoken_steps.js about every edit that Python has answered.

import { html, keep, setText } from "../../base/dom.js";
import { titleOf } from "../state/fold.js";
import { HIDDEN } from "../state/read_drawing.js";
import { grouped } from "../state/reachability.js";
import { describeNode } from "./cards.js";
import { spokenRuns } from "./runs.js";
import { told } from "./spoken_steps.js";

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

/** @param {Editor} editor */
export function keepDescriptions(editor) {
  const list = html("ul", { "aria-label": "Nodes and wires" });
  const answer = html("div", { "aria-live": "polite", class: "told" });
  editor.stage.host.append(html("div", { class: "unseen" }, list, answer));
  /** @type {Map<string, Line>} */
  const lines = new Map();
  let [written, drawing, timer] = [editor.seen, editor.drawing, 0];
  const write = () => {
    if (written === editor.seen || editor.dragged) return;
    written = editor.seen;
    list.setAttribute(
      "aria-label",
      `Nodes and wires: ${written.nodes.length} nodes, ${written.wires.length} wires`,
    );
    const items = linesOf(written, describeNode);
    keep(list, lines, items, ({ id }) => id, makeLine, writeLine);
    items.forEach(({ id }, i) => {
      const { root } = /** @type {Line} */ (lines.get(id));
      if (list.children[i] !== root) list.insertBefore(root, list.children[i]);
    });
  };
  editor.watchers.push(() => {
    if (editor.drawing !== drawing) {
      const what = drawing.rev < 0 ? "" : told(editor, drawing);
      drawing = editor.drawing;
      if (what) answer.textContent = what;
    }
    if (written === editor.seen || editor.dragged) return;
    clearTimeout(timer);
    timer = window.setTimeout(write, LATER);
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

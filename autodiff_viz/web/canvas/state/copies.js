// @ts-check
// Copy nodes: write them as formula text for the clipboard, and predict what duplicate and paste make. Pure.

import { shared } from "../../base/constants.js";
import { framesOf, isGroup, nested } from "./frames.js";
import { bounds, rounded, tenths } from "./geometry.js";
import { inOrder } from "./reachability.js";
import { stackTabs, unfolded } from "./tabs.js";

// Formula text of selected nodes. It is a formula anywhere; pasted on a canvas, it gives the same nodes with
// their positions.

/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").Frame} Frame */

const INDENT = "    ";
const LONG = 0.8 * shared.limits.line; // characters of a line of positions, after which a new line begins

/** The text of the named nodes, with the regions and groups that lie wholly among them. `missing` are nodes whose
 * own line is too long to be sent to the browser.
 * @param {Drawing} drawing @param {Iterable<string>} names @returns {{ text: string, missing: string[] }} */
export function pieceText(drawing, names) {
  const chosen = new Set(names);
  const nodes = inOrder(
    drawing.nodes.filter(({ id }) => chosen.has(id)),
    drawing.wires,
  );
  const missing = nodes.filter((node) => lineOf(node) === undefined).map(({ id }) => id);
  const frames = framesOf(drawing).filter(
    (frame) => frame.nodes.length && frame.nodes.every((id) => chosen.has(id)),
  );
  const lines = blocks(
    nodes,
    nested(frames).map(({ frame }) => frame),
  );
  const output = nodes.find(({ isOutput }) => isOutput)?.id;
  if (output && nodes.at(-1)?.id !== output) lines.push(`return ${output}`);
  return { text: [...lines, ...positions(nodes), ""].join("\n"), missing };
}

/** @param {GraphNode} node */
const lineOf = ({ text, literal }) => text ?? literal;

/** Lines in their blocks; a block that is left and entered again is written in several pieces.
 * @param {GraphNode[]} nodes @param {Frame[]} outerFirst @returns {string[]} */
function blocks(nodes, outerFirst) {
  const inside = new Map(outerFirst.map((region) => [region, new Set(region.nodes)]));
  const begun = new Set();
  const lines = [];
  /** @type {Frame[]} */
  let current = [];
  for (const node of nodes) {
    const chain = outerFirst.filter((region) => inside.get(region)?.has(node.id));
    const same = chain.findIndex((region, depth) => region !== current[depth]);
    for (let depth = same < 0 ? chain.length : same; depth < chain.length; depth += 1) {
      lines.push(INDENT.repeat(depth) + headOf(chain[depth], begun.has(chain[depth])));
      begun.add(chain[depth]);
    }
    current = chain;
    lines.push(`${INDENT.repeat(chain.length)}${node.id} = ${lineOf(node) ?? "..."}`);
  }
  return lines;
}

/** The line that begins the block of a frame.
 * @param {Frame} frame @param {boolean} [begun] before, higher up in the text */
export const headOf = (frame, begun = false) =>
  isGroup(frame)
    ? `with ${frame.branches ? "branches" : "group"}("${frame.name}"):`
    : (!begun && frame.head) || `with checkpoint("${frame.name}"):`;

/** The comment in which the language keeps positions.
 * @param {GraphNode[]} nodes @returns {string[]} */
function positions(nodes) {
  const lines = [];
  for (const { id, x, y } of nodes) {
    const entry = `${id} ${Math.round(x)} ${Math.round(y)}`;
    if (lines.length && lines[lines.length - 1].length < LONG)
      lines[lines.length - 1] += `, ${entry}`;
    else lines.push(`# positions: ${entry}`);
  }
  return lines;
}

/** @typedef {import("../../types.js").Point} Point */

/** The names of the copies, by name of the original, as `graph/subgraph.py` gives them.
 * @param {string[]} taken @param {string[]} names @returns {Map<string, string>} */
export function copyNames(taken, names) {
  const used = new Set(taken);
  return new Map(
    names.map((name) => {
      const stem = name.replace(/_\d+$/, "") || name;
      let k = 1;
      while (used.has(`${stem}_${k}`)) k += 1;
      used.add(`${stem}_${k}`);
      return /** @type {[string, string]} */ ([name, `${stem}_${k}`]);
    }),
  );
}

/** The drawing with copies of the named nodes, `by` away. The copies have the originals' inputs and no consumers.
 * @param {Drawing} drawing @param {string[]} names @param {Point} by @returns {Drawing} */
export function withCopies(drawing, names, by) {
  const chosen = new Set(names);
  const collapsed = (drawing.groups ?? [])
    .filter((group) => group.collapsed)
    .map(({ name }) => name);
  return copied(
    drawing,
    drawing.nodes.filter(({ id }) => chosen.has(id)),
    by,
    collapsed,
  );
}

/** The regions and groups that lie wholly among the nodes. @param {Drawing} drawing @param {Set<string>} chosen */
const framesAmong = (drawing, chosen) =>
  framesOf(drawing).filter(({ nodes }) => nodes.every((name) => chosen.has(name)));

/** @param {Drawing} drawing @param {GraphNode[]} originals @param {Point} by
 * @param {string[]} collapsed groups of which the copies are collapsed @returns {Drawing} */
function copied(drawing, originals, [right, down], collapsed) {
  const chosen = new Set(originals.map(({ id }) => id));
  const nameOf = copyNames(
    drawing.nodes.map(({ id }) => id),
    originals.map(({ id }) => id),
  );
  const nodes = originals.map((node) => {
    const id = /** @type {string} */ (nameOf.get(node.id));
    const symbol = node.isInput ? id : node.symbol;
    return {
      ...node,
      id,
      symbol,
      x: tenths(node.x + right),
      y: tenths(node.y + down),
      isOutput: false,
      connected: false,
      problem: null,
    };
  });
  const wires = drawing.wires
    .filter(({ to }) => chosen.has(to))
    .map((wire) => ({
      ...wire,
      from: nameOf.get(wire.from) ?? wire.from,
      to: /** @type {string} */ (nameOf.get(wire.to)),
      width: 0,
      sign: 0,
      passed: "",
      passedFull: "",
      number: undefined,
      via: [],
    }));
  const frames = framesAmong(drawing, chosen);
  const titleOf = copyNames(
    framesOf(drawing).map(({ name }) => name),
    frames.map(({ name }) => name),
  );
  const renamed = (/** @type {string[]} */ names) => names.map((name) => nameOf.get(name) ?? name);
  const framed = (/** @type {Frame} */ { name, nodes: held }) => ({
    name: titleOf.get(name) ?? "",
    nodes: renamed(held),
    problem: null,
  });
  const regions = frames.flatMap((frame) =>
    isGroup(frame)
      ? []
      : [
          {
            ...frame,
            ...framed(frame),
            saved: renamed(frame.saved ?? []),
            badge: null,
            dropped: null,
            fault: null,
          },
        ],
  );
  const groups = frames.flatMap((frame) =>
    isGroup(frame)
      ? [{ ...frame, ...framed(frame), collapsed: collapsed.includes(frame.name), sums: [] }]
      : [],
  );
  return {
    ...drawing,
    nodes: [...drawing.nodes, ...nodes],
    wires: [...drawing.wires, ...wires],
    regions: [...drawing.regions, ...regions],
    groups: [...(drawing.groups ?? []), ...groups],
  };
}

const CLEAR = shared.clear; // px around pasted nodes

/** The smallest move, down or up, after which no box covers a taken one, as canvas/arrange.py computes it.
 * @param {import("../../types.js").Box[]} boxes @param {import("../../types.js").Box[]} taken @returns {number} px down */
function clearing(boxes, taken) {
  const near = boxes.flatMap(({ x, y, w, h }) =>
    taken
      .filter((other) => other.x - CLEAR < x + w && x < other.x + other.w + CLEAR)
      .map((other) => [other.y - CLEAR - (y + h), other.y + other.h + CLEAR - y]),
  ); // open intervals that the move must avoid
  const free = [0, ...near.flat()].filter(
    (by) => !near.some(([high, low]) => high < by && by < low),
  );
  return free.sort((a, b) => Math.abs(a) - Math.abs(b) || b - a)[0];
}

/** The drawing with pasted text inserted around `at`, if the nodes that it was copied from are still there and
 * unchanged; otherwise the drawing itself, since only Python can read the text.
 * @param {Drawing} drawing @param {{ text: string, at: Point, collapsed?: string[] }} paste @returns {Drawing} */
export function withPaste(drawing, { text, at, collapsed = [] }) {
  // Its tabs are those of the piece alone: there a parameter may have one consumer, and here several.
  const pasted = originals(drawing, text).map(unfolded);
  const inside = new Set(pasted.map(({ id }) => id));
  const wires = drawing.wires.filter(({ from, to }) => inside.has(from) && inside.has(to));
  const { nodes: sources } = stackTabs({ ...drawing, nodes: pasted, wires });
  const box = bounds(sources);
  if (!box || !sameFrames(drawing, sources, text)) return drawing;
  const by = /** @type {Point} */ ([
    rounded(at[0] - box.x - box.w / 2),
    rounded(at[1] - box.y - box.h / 2),
  ]);
  by[1] += clearing(
    sources.map(({ x, y, w, h }) => ({ x: x + by[0], y: y + by[1], w, h })),
    drawing.nodes,
  );
  return copied(drawing, sources, by, collapsed);
}

/** Whether the blocks of a text still are the frames of these nodes.
 * @param {Drawing} drawing
 * @param {GraphNode[]} sources @param {string} text */
function sameFrames(drawing, sources, text) {
  /** @type {Map<string, { head: string, nodes: string[] }>} by name */
  const blocks = new Map();
  /** @type {{ name: string, indent: number }[]} */
  let open = [];
  for (const [, { length: indent }, line] of text.matchAll(/^( *)(\S.*)$/gm)) {
    if (line.startsWith("#")) continue;
    open = open.filter((block) => block.indent < indent);
    const name = /^with \w+\("(.*?)"/.exec(line)?.[1];
    if (name === undefined)
      for (const block of open) blocks.get(block.name)?.nodes.push(line.split(" ")[0]);
    else {
      open.push({ name, indent });
      if (!blocks.has(name)) blocks.set(name, { head: line, nodes: [] });
    }
  }
  const frames = framesAmong(drawing, new Set(sources.map(({ id }) => id)));
  return (
    frames.length === blocks.size &&
    frames.every((frame) => {
      const block = blocks.get(frame.name);
      return (
        block?.head === headOf(frame) &&
        block.nodes.sort().join() === [...frame.nodes].sort().join()
      );
    })
  );
}

/** The nodes that a text was copied from, by the positions in it; [] unless all are there, unchanged.
 * @param {Drawing} drawing @param {string} text @returns {GraphNode[]} */
function originals({ nodes }, text) {
  const byName = new Map(nodes.map((node) => [node.id, node]));
  const places = new Map(
    [...text.matchAll(/^# positions: (.*)$/gm)].flatMap(([, line]) =>
      line
        .split(", ")
        .map((entry) => entry.split(" "))
        .map(([name, x, y]) => [name, [Number(x), Number(y)]]),
    ),
  );
  const lines = [...text.matchAll(/^ *(\w+) = (.*)$/gm)];
  const unchanged = lines.flatMap(([, name, line]) => {
    const [node, place] = [byName.get(name), places.get(name)];
    return node && place && (node.text ?? node.literal) === line
      ? [{ ...node, x: place[0], y: place[1] }]
      : [];
  });
  return unchanged.length === lines.length ? unchanged : [];
}

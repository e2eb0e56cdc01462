// @ts-check
// Write selected nodes as formula text, for the clipboard. The text is a formula anywhere; pasted on a
// canvas, it gives the same nodes with their positions. Pure.

import { isGroup, framesOf, nested } from "./frames.js";
import { inOrder } from "./loops.js";
import { shared } from "../../../web/constants.js";

/** @typedef {import("../types.js").Drawing} Drawing */
/** @typedef {import("../types.js").GraphNode} GraphNode */
/** @typedef {import("../types.js").Frame} Frame */

const INDENT = "    ";
const LONG = 0.8 * shared.limits.line; // characters of a line of positions, after which a new line begins

/** The text of the named nodes, with the regions and groups that lie wholly among them. `missing` are nodes whose
 * own line is too long to be sent to the browser.
 * @param {Drawing} drawing @param {Iterable<string>} names @returns {{ text: string, missing: string[] }} */
export function pieceText(drawing, names) {
  const chosen = new Set(names);
  const nodes = inOrder(drawing.nodes.filter(({ id }) => chosen.has(id)), drawing.wires);
  const missing = nodes.filter((node) => lineOf(node) === undefined).map(({ id }) => id);
  const frames = framesOf(drawing).filter((frame) => frame.nodes.length && frame.nodes.every((id) => chosen.has(id)));
  const lines = blocks(nodes, nested(frames).map(({ frame }) => frame));
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
  isGroup(frame) ? `with ${frame.branches ? "branches" : "group"}("${frame.name}"):` : (!begun && frame.head) || `with checkpoint("${frame.name}"):`;

/** The comment in which the language keeps positions.
 * @param {GraphNode[]} nodes @returns {string[]} */
function positions(nodes) {
  const lines = [];
  for (const { id, x, y } of nodes) {
    const entry = `${id} ${Math.round(x)} ${Math.round(y)}`;
    if (lines.length && lines[lines.length - 1].length < LONG) lines[lines.length - 1] += `, ${entry}`;
    else lines.push(`# positions: ${entry}`);
  }
  return lines;
}

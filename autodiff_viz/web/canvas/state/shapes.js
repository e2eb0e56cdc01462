// @ts-check
// Check the shapes of wires in the browser: broadcasting and matrix products. A wire that cannot be judged
// here is allowed, and Python decides. Pure.

import { RULES } from "../../base/constants.js";

/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").Slot} Slot */
/** @typedef {import("../../types.js").PaletteOp} PaletteOp */
/** @typedef {number[]} Dims */

const NO_VALUE = new Set(["", "–"]);

/** The shape of a node's value; null if it has no value yet.
 * @param {GraphNode | undefined} node @returns {Dims | null} */
export const dimsOf = (node) => (!node || NO_VALUE.has(node.value) ? null : (node.dims ?? null));

/** @param {Dims} dims */
export const dimsText = (dims) =>
  dims.length === 0 ? "a scalar" : dims.length === 1 ? `a vector of ${dims[0]}` : dims.join("×");

/** The reason why a wire is not allowed, in words; "" if there is none.
 * @param {Drawing} drawing @param {Map<string, PaletteOp>} ops @param {string} from
 * @param {{ to: string, slot: number }} end
 * @param {{ to: string, slot: number } | null} [unplugged] the slot that this wire leaves */
export function reasonAgainst(drawing, ops, from, { to, slot }, unplugged = null) {
  const byId = new Map(drawing.nodes.map((node) => [node.id, node]));
  const node = byId.get(to);
  if (!node || node.muted || (RULES[node.rule]?.alternative && slot === node.slots.length - 1))
    return ""; // left to Python
  const source = dimsOf(byId.get(from));
  const shapes = node.slots.map((held, i) => {
    if (i === slot) return source;
    if (unplugged && unplugged.to === to && unplugged.slot === i) return null;
    return held.wired ? dimsOf(byId.get(sourceOf(drawing, to, i))) : constantDims(held);
  });
  const own = RULES[node.rule]?.alternative ? shapes.slice(0, -1) : shapes;
  return source === null ? "" : misfit(ops.get(node.op)?.fits, node.op, own, slot);
}

/** The reason why a wire cannot go into a node that its source depends on. @param {string} from @param {string} to */
export const loopReason = (from, to) =>
  from === to
    ? `A node cannot feed itself: ${from}.`
    : `Not wired: ${to} already feeds ${from}, so this wire would close a loop.`;

/** The reason why an op cannot take a value of this shape in its first slot; "" if it can.
 * @param {PaletteOp} entry @param {Dims | null} dims */
export const opRefuses = ({ fits, op, slots }, dims) =>
  slots.length === 0
    ? `${op} reads nothing.`
    : dims === null
      ? ""
      : misfit(fits, op, [dims, ...slots.slice(1).map(() => null)], 0);

/** @param {string | undefined} fits @param {string} op @param {(Dims | null)[]} shapes null where unknown
 * @param {number} slot of the new wire, whose shape is known */
function misfit(fits, op, shapes, slot) {
  if (fits === "matmul") return misfitOfProduct(op, shapes[0], shapes[1]);
  if (fits !== "broadcast") return "";
  const mine = /** @type {Dims} */ (shapes[slot]);
  const other = shapes.find((dims, i) => i !== slot && dims && !broadcasts(mine, dims));
  return other
    ? `${op} cannot combine ${dimsText(mine)} with ${dimsText(other)}: sizes must be equal, or 1, from the last one on.`
    : "";
}

/** @param {Dims} a @param {Dims} b */
export function broadcasts(a, b) {
  const shared = Math.min(a.length, b.length);
  for (let i = 1; i <= shared; i++) {
    const [m, n] = [a[a.length - i], b[b.length - i]];
    if (m !== n && m !== 1 && n !== 1) return false;
  }
  return true;
}

/** @param {string} op @param {Dims | null} a @param {Dims | null} b */
function misfitOfProduct(op, a, b) {
  if (a?.length === 0 || b?.length === 0) return `${op} takes vectors and matrices, not a scalar.`;
  if (!a || !b) return "";
  const [inner, outer] = [a[a.length - 1], b[Math.max(b.length - 2, 0)]];
  if (inner !== outer)
    return `${op} cannot multiply ${dimsText(a)} by ${dimsText(b)}: the inner sizes ${inner} and ${outer} differ.`;
  return broadcasts(a.slice(0, -2), b.slice(0, -2))
    ? ""
    : `${op} cannot multiply ${dimsText(a)} by ${dimsText(b)}: their leading sizes differ.`;
}

/** The shape of a constant, if it is a number. @param {Slot} slot @returns {Dims | null} */
function constantDims({ constant, constantFull }) {
  const text = constantFull ?? constant;
  return text !== null && text.trim() !== "" && Number.isFinite(Number(text)) ? [] : null;
}

/** @param {Drawing} drawing @param {string} to @param {number} slot */
const sourceOf = ({ wires }, to, slot) =>
  wires.find((wire) => wire.to === to && wire.slot === slot)?.from ?? "";

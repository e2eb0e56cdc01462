// @ts-check
// Find what can be differentiated by what: a node by those that its value is a function of. Pure.

/** @typedef {import("../types.js").Drawing} Drawing */
/** @typedef {import("../types.js").GraphNode} GraphNode */
/** @typedef {{ of: string, by: string, says: string }} Choice */

const GRAD = "grad"; // its first slot is the output that it differentiates, whose value it does not read

/** The nodes that a node's value is a function of, nearest first; without itself. A grad node's is one of its x and of what
 * the nodes between x and z read beside; it runs these nodes again and reads none of them, as graph/structure/grad_nodes.py says.
 * @param {Drawing} drawing @param {string} id @returns {string[]} */
export function readsOf({ nodes, wires }, id) {
  const grads = new Set(nodes.filter(({ op }) => op === GRAD).map((node) => node.id));
  /** @type {Map<string, Map<number, string>>} */
  const slots = new Map();
  for (const { from, to, slot } of wires) slots.set(to, (slots.get(to) ?? new Map()).set(slot, from));
  /** @type {Map<string, Set<string>>} */
  const known = new Map();
  /** @returns {Set<string>} */
  const read = (/** @type {string} */ name) => {
    const held = known.get(name) ?? new Set(grads.has(name) ? besides(name) : (slots.get(name)?.values() ?? []));
    known.set(name, held);
    return held;
  };
  /** @returns {Set<string>} */
  const above = (/** @type {string} */ name) => {
    const found = new Set([name]);
    for (const one of found) for (const before of read(one)) found.add(before);
    return found;
  };
  /** @returns {string[]} */
  const besides = (/** @type {string} */ name) => {
    const [z, x] = [slots.get(name)?.get(0), slots.get(name)?.get(1)];
    if (x === undefined || z === undefined) return x === undefined ? [] : [x];
    const between = new Set([...above(z)].filter((one) => above(one).has(x)));
    return [x, ...[...between].filter((one) => one !== x).flatMap((one) => [...read(one)]).filter((one) => !between.has(one))];
  };
  return [...above(id)].slice(1);
}

/** The gradients that a selected node suggests: its own by what it depends on, inputs first; for a node that depends on
 * nothing, that of the output by it.
 * @param {Drawing} drawing @param {string} id @returns {Choice[]} */
export function choicesFor(drawing, id) {
  const byId = new Map(drawing.nodes.map((node) => [node.id, node]));
  const found = readsOf(drawing, id).flatMap((name) => byId.get(name) ?? []);
  if (found.length) return [...found].sort((a, b) => rank(a) - rank(b)).map((node) => ({ of: id, by: node.id, says: said(node) }));
  const output = drawing.nodes.find(({ isOutput }) => isOutput);
  return output && output.id !== id && readsOf(drawing, output.id).includes(id) ? [{ of: output.id, by: id, says: "" }] : [];
}

/** Of two nodes, which is differentiated by which; null if neither depends on the other.
 * @param {Drawing} drawing @param {string[]} ids @returns {{ of: string, by: string } | null} */
export function pairOf(drawing, ids) {
  if (ids.length !== 2) return null;
  const [a, b] = ids;
  if (readsOf(drawing, a).includes(b)) return { of: a, by: b };
  return readsOf(drawing, b).includes(a) ? { of: b, by: a } : null;
}

/** @param {GraphNode} node */
const rank = ({ isParameter, isInput }) => (isParameter ? 0 : isInput ? 1 : 2);

/** @param {GraphNode} node */
const said = ({ isParameter, isInput, symbol }) => (isParameter ? "parameter" : isInput ? "input" : symbol);

// @ts-check
// Find what nodes depend on: ancestors and descendants, what a node can be differentiated by, and loops.
// Pure.

// What can be differentiated by what: a node by those that its value is a function of.

/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/**
 * @typedef {object} Choice
 * @property {string} of
 * @property {string} by
 * @property {string} says
 */

const GRAD = "grad"; // its first slot is the output that it differentiates, whose value it does not read

/** The nodes that a node's value is a function of, nearest first; without itself. A grad node's is one of its x and of what
 * the nodes between x and z read beside; it runs these nodes again and reads none of them, as graph/grad_nodes.py says. What
 * depends on x behind a stop alone is read.
 * @param {Drawing} drawing @param {string} id @returns {string[]} */
export function readsOf({ nodes, wires }, id) {
  const grads = new Set(nodes.filter(({ op }) => op === GRAD).map((node) => node.id));
  const stops = new Set(nodes.filter(({ rule }) => rule === "stop").map((node) => node.id));
  /** @type {Map<string, Map<number, string>>} */
  const slots = new Map();
  for (const { from, to, slot } of wires)
    slots.set(to, (slots.get(to) ?? new Map()).set(slot, from));
  /** @type {Map<string, Set<string>>} */
  const known = new Map();
  /** @returns {Set<string>} */
  const read = (/** @type {string} */ name) => {
    const held =
      known.get(name) ??
      new Set(grads.has(name) ? besides(name) : (slots.get(name)?.values() ?? []));
    known.set(name, held);
    return held;
  };
  /** @returns {Set<string>} */
  const above = (/** @type {string} */ name, behindStops = true) => {
    const ancestors = new Set([name]);
    for (const one of ancestors)
      if (behindStops || !stops.has(one)) for (const before of read(one)) ancestors.add(before);
    return ancestors;
  };
  /** @returns {string[]} */
  const besides = (/** @type {string} */ name) => {
    const [z, x] = [slots.get(name)?.get(0), slots.get(name)?.get(1)];
    if (x === undefined || z === undefined) return x === undefined ? [] : [x];
    const between = new Set([...above(z)].filter((one) => above(one, false).has(x)));
    return [
      x,
      ...[...between]
        .filter((one) => one !== x)
        .flatMap((one) => [...read(one)])
        .filter((one) => !between.has(one)),
    ];
  };
  return [...above(id)].slice(1);
}

/** The gradients that a selected node suggests: its own by what it depends on, inputs first; for a node that depends on
 * nothing, that of the output by it.
 * @param {Drawing} drawing @param {string} id @returns {Choice[]} */
export function choicesFor(drawing, id) {
  const byId = new Map(drawing.nodes.map((node) => [node.id, node]));
  const inputs = readsOf(drawing, id).flatMap((name) => byId.get(name) ?? []);
  if (inputs.length)
    return [...inputs]
      .sort((a, b) => rank(a) - rank(b))
      .map(({ id: by, isParameter, isInput, symbol }) => ({
        of: id,
        by,
        says: isParameter ? "parameter" : isInput ? "input" : symbol,
      }));
  const output = drawing.nodes.find(({ isOutput }) => isOutput);
  return output && output.id !== id && readsOf(drawing, output.id).includes(id)
    ? [{ of: output.id, by: id, says: "" }]
    : [];
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

// Wires that would close a loop, and along which path.

/** @typedef {{ from: string, to: string }} Link */

/** Every node that depends on `start`, itself included: a wire from one of them to `start` would close a loop.
 * @param {Link[]} wires @param {string} start @returns {Set<string>} */
export function downstream(wires, start) {
  const next = grouped(wires, "from");
  const reached = new Set([start]);
  for (const name of reached) for (const wire of next.get(name) ?? []) reached.add(wire.to);
  return reached;
}

/** Every node that `end` depends on, itself included.
 * @param {Link[]} wires @param {string} end @returns {Set<string>} */
export const upstream = (wires, end) =>
  downstream(
    wires.map(({ from, to }) => ({ from: to, to: from })),
    end,
  );

/** The nodes in topological order, stable as in graph/order.py.
 * @template {{ id: string }} N @param {N[]} nodes @param {(Link & { slot: number })[]} wires @returns {N[]} */
export function inOrder(nodes, wires) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const into = grouped(
    [...wires].sort((a, b) => a.slot - b.slot),
    "to",
  );
  /** @type {Set<N>} */
  const done = new Set();
  for (const root of nodes) {
    const path = [root];
    const open = new Set(path);
    for (let node = path.at(-1); node; node = path.at(-1)) {
      const next = (into.get(node.id) ?? [])
        .map(({ from }) => byId.get(from))
        .find((source) => source && !done.has(source) && !open.has(source));
      if (next) (path.push(next), open.add(next));
      else (done.add(node), path.pop());
    }
  }
  return [...done];
}

/** The wires of a shortest path between two nodes; none if there is no path or the nodes are the same.
 * @template {Link} T @param {T[]} wires @param {string} from @param {string} to @returns {T[]} */
export function shortestPath(wires, from, to) {
  const next = grouped(wires, "from");
  /** @type {Map<string, T | null>} */
  const came = new Map([[from, null]]);
  for (const name of came.keys()) {
    if (name === to) break;
    for (const wire of next.get(name) ?? []) if (!came.has(wire.to)) came.set(wire.to, wire);
  }
  const way = [];
  for (let wire = came.get(to); wire; wire = came.get(wire.from)) way.unshift(wire);
  return way;
}

/** Wires, grouped by the node at one of their ends.
 * @template {Link} T @param {T[]} wires @param {"from" | "to"} end @returns {Map<string, T[]>} */
export function grouped(wires, end) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const wire of wires) {
    const group = groups.get(wire[end]);
    if (group) group.push(wire);
    else groups.set(wire[end], [wire]);
  }
  return groups;
}

/**
 * @typedef {object} Wire
 * @property {string} from
 * @property {string} to
 * @property {number} slot
 */

/** The nodes, their ancestors and their descendants, and the wires between them, by `to:slot`.
 * @param {Wire[]} wires @param {string[]} ids @returns {{ nodes: Set<string>, wires: Set<string> }} */
export function lineage(wires, ids) {
  const into = grouped(wires, "to");
  const out = grouped(wires, "from");
  /** @type {Set<string>} */
  const along = new Set();
  const up = reached(ids, into, "from", along);
  const down = reached(ids, out, "to", along);
  return { nodes: new Set([...up, ...down]), wires: along };
}

/** @param {string[]} start @param {Map<string, Wire[]>} steps @param {"from" | "to"} end @param {Set<string>} along */
function reached(start, steps, end, along) {
  const names = new Set(start);
  for (const name of names) {
    for (const wire of steps.get(name) ?? []) {
      along.add(`${wire.to}:${wire.slot}`);
      names.add(wire[end]);
    }
  }
  return names;
}

// @ts-check
// Find which wires would close a loop, and along which path. Pure.

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
export const upstream = (wires, end) => downstream(wires.map(({ from, to }) => ({ from: to, to: from })), end);

/** The nodes in topological order, stable as in graph/structure/order.py.
 * @template {{ id: string }} N @param {N[]} nodes @param {(Link & { slot: number })[]} wires @returns {N[]} */
export function inOrder(nodes, wires) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const into = grouped([...wires].sort((a, b) => a.slot - b.slot), "to");
  /** @type {Set<N>} */
  const done = new Set();
  for (const root of nodes) {
    const path = [root];
    const open = new Set(path);
    for (let node = path.at(-1); node; node = path.at(-1)) {
      const next = (into.get(node.id) ?? []).map(({ from }) => byId.get(from)).find((source) => source && !done.has(source) && !open.has(source));
      if (next) path.push(next), open.add(next);
      else done.add(node), path.pop();
    }
  }
  return [...done];
}

/** The wires of a shortest path between two nodes; none if there is no path or the nodes are the same.
 * @template {Link} T @param {T[]} wires @param {string} from @param {string} to @returns {T[]} */
export function wayBetween(wires, from, to) {
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

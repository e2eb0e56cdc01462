// @ts-check
// Find the nodes that were added, removed or moved between two drawings, and graphs that take another's place. Pure.

/**
 * @typedef {object} Placed
 * @property {string} id
 * @property {number} x
 * @property {number} y
 */

/** Whether fewer than half of the nodes stay, so that one graph has taken the place of the other. A node stays if its name and
 * its op do; of one that its author has not named the wires count too. As `replaces` in language/parse.py.
 * @param {Graph} before @param {Graph} after @returns {boolean} */
export function replaces(before, after) {
  const same = (/** @type {{ id: string, op: string }} */ { id, op }, /** @type {number} */ i) =>
    before.nodes[i]?.id === id && before.nodes[i].op === op;
  if (after.nodes.length === before.nodes.length && after.nodes.every(same)) return false; // as at each move of a slider
  const [were, are] = [marks(before), marks(after)];
  let stay = 0;
  for (const mark of are) if (were.has(mark)) stay += 1;
  return 2 * stay < Math.max(before.nodes.length, after.nodes.length);
}

/** @typedef {Pick<import("../../types.js").Drawing, "nodes" | "wires">} Graph */

/** What stays of each node. @param {Graph} graph */
function marks({ nodes, wires }) {
  /** @type {Map<string, string>} */
  const feeds = new Map();
  for (const { from, to, slot } of wires) feeds.set(to, `${feeds.get(to) ?? ""} ${slot} ${from}`);
  return new Set(
    nodes.map(({ id, op }) => {
      const isNamed = id.slice(0, id.lastIndexOf("_")) !== op;
      return `${id} ${op}${isNamed ? "" : (feeds.get(id) ?? "")}`;
    }),
  );
}

/** New nodes, whether others have gone or moved, and whether most nodes are new.
 * @param {Placed[]} before @param {Placed[]} after @returns {{ came: string[], moved: boolean, most: boolean }} */
export function diffNodes(before, after) {
  const old = new Map(before.map((node) => [node.id, node]));
  const came = after.filter(({ id }) => !old.has(id)).map(({ id }) => id);
  const stayed = after.length - came.length;
  const moved =
    stayed < before.length ||
    after.some(({ id, x, y }) => {
      const was = old.get(id);
      return was !== undefined && (was.x !== x || was.y !== y);
    });
  return { came, moved, most: came.length > stayed };
}

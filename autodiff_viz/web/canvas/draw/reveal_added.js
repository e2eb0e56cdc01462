// @ts-check
// Find nodes that were added, removed or moved between two drawings, and move the view to show the added
// ones.

import { visibleCard } from "../state/fold.js";
import { bounds, padded, viewShowing } from "../state/geometry.js";
import { isLarge, leastReadScale, showsWhole, sizeOf, wholeView } from "./stage.js";

// The view that shows added nodes, and the output with them.

const ROUND = 24; // px of the world around them

/** A small graph is shown whole, unless the user has chosen a view. There the output comes into view after a paste alone:
 * a copy lands beside its original, at which the user looks. Where the numbers of both could not be read, the output is left out.
 * @param {import("./stage.js").Stage} stage @param {import("../../types.js").Drawing} seen @param {string[]} names
 * @param {string} choice of the view @param {boolean} pasted @returns {import("../../types.js").Viewport | null} */
export function viewAfterEdit(stage, seen, names, choice, pasted) {
  const whole = choice === "own" || isLarge(seen) ? null : wholeView(stage, seen, true);
  if (whole) return showsWhole(stage, whole) ? null : whole;
  const output = pasted ? seen.nodes.filter(({ isOutput }) => isOutput).map(({ id }) => id) : [];
  const both = viewWith(stage, seen, [...names, ...output]);
  const isRead = both !== null && both.k >= Math.min(leastReadScale(stage), stage.view.k);
  return isRead ? both : viewWith(stage, seen, names);
}

/** The present view, moved as little as can be to show nodes. @param {import("./stage.js").Stage} stage
 * @param {import("../../types.js").Drawing} seen @param {string[]} names */
function viewWith(stage, seen, names) {
  const ids = new Set(names.map((name) => visibleCard(seen, name)));
  const box = bounds(seen.nodes.filter(({ id }) => ids.has(id)));
  return box && viewShowing(stage.view, padded(box, ROUND), sizeOf(stage));
}

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

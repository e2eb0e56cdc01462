// @ts-check
// Animate nodes that something other than a drag has moved. The drawing has its final positions at once; the
// browser only animates the way there, and a press ends the animation.

import { framesOf } from "../state/frames.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").GraphNode} GraphNode */

const MS = 220;
const MOST = 400; // nodes that are animated; with more, none are
const FAR = 2; // px; shorter moves are not animated

/** Old positions, by name, of the nodes that moved between two drawings. Pure.
 * @param {GraphNode[]} before @param {GraphNode[]} after @returns {Map<string, [number, number]>} */
export function oldPositions(before, after) {
  if (
    before.length === after.length &&
    after.every(({ id, x, y }, i) => before[i].id === id && before[i].x === x && before[i].y === y)
  )
    return new Map();
  const old = new Map(before.map((node) => [node.id, node]));
  /** @type {Map<string, [number, number]>} */
  const moved = new Map();
  for (const { id, x, y } of after) {
    const was = old.get(id);
    if (was && Math.hypot(was.x - x, was.y - y) > FAR) moved.set(id, [was.x, was.y]);
  }
  return moved;
}

/** @param {Editor} editor */
export function animateMoves(editor) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {{ nodes: GraphNode[], graph: string | undefined, dragged: boolean }} */
  let last = { nodes: [], graph: undefined, dragged: false };
  /** @type {Animation[]} */
  let playing = [];
  const stop = () => {
    for (const animation of playing) animation.cancel();
    playing = [];
  };
  editor.stage.host.addEventListener("pointerdown", stop, true);
  editor.watchers.push(() => {
    const { seen: shown, dragged } = editor;
    const before = last;
    if (before.nodes === shown.nodes && before.dragged === Boolean(dragged)) return;
    last = { nodes: shown.nodes, graph: shown.graph, dragged: Boolean(dragged) };
    if (dragged || before.dragged || before.graph !== shown.graph || still.matches) return;
    const moved = oldPositions(before.nodes, shown.nodes);
    if (!moved.size || moved.size > MOST) return;
    stop();
    playing = play(editor, moved);
  });
}

/** Where what hangs between nodes begins, as an offset from its place: by the mean of their shifts; null if none has
 * moved. Pure.
 * @param {Map<string, [number, number]>} moved @param {Map<string, { x: number, y: number }>} places @param {string[]} ids
 * @returns {[number, number] | null} */
export function meanShift(moved, places, ids) {
  if (!ids.some((id) => moved.has(id))) return null;
  const sum = [0, 0];
  for (const id of ids) {
    const [was, is] = [moved.get(id), places.get(id)];
    if (was && is) [sum[0], sum[1]] = [sum[0] + was[0] - is.x, sum[1] + was[1] - is.y];
  }
  return [sum[0] / ids.length, sum[1] / ids.length];
}

/** Move nodes to their places, and wires and frames with them. Nothing is hidden meanwhile, which would blink.
 * @param {Editor} editor @param {Map<string, [number, number]>} moved @returns {Animation[]} */
function play({ stage, seen: shown }, moved) {
  const timing = { duration: MS, easing: "ease-out" };
  const places = new Map(shown.nodes.map((node) => [node.id, node]));
  const glides = [...moved].flatMap(([id, [x, y]]) => {
    const to = places.get(id);
    const root = stage.cards.get(id)?.root;
    return root && to
      ? [
          root.animate(
            { transform: [`translate(${x}px, ${y}px)`, `translate(${to.x}px, ${to.y}px)`] },
            timing,
          ),
        ]
      : [];
  });
  const follow = (/** @type {Element[]} */ elements, /** @type {string[]} */ ids) => {
    const by = meanShift(moved, places, ids);
    return by
      ? elements.map((element) =>
          element.animate({ translate: [`${by[0]}px ${by[1]}px`, "0 0"] }, timing),
        )
      : [];
  };
  const wires = [...stage.strands.values()].flatMap(({ wire, root, number }) =>
    wire ? follow([root, number], [wire.from, wire.to]) : [],
  );
  const drawn = [stage.layers.regions, stage.layers.tabs].flatMap((layer) => [
    ...layer.querySelectorAll("[data-region]"),
  ]);
  const frames = framesOf(shown).flatMap(({ name, nodes }) =>
    follow(
      drawn.filter((element) => element.getAttribute("data-region") === name),
      nodes,
    ),
  );
  return [...glides, ...wires, ...frames];
}

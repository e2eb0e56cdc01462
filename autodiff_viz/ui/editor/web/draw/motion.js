// @ts-check
// Animation of nodes that something other than a drag has moved. The drawing has its final positions at once;
// the browser only animates the way there, and a press ends the animation.

import { framesOf } from "../state/frames.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../types.js").GraphNode} GraphNode */

const MS = 220;
const MOST = 400; // nodes that are animated; with more, none are
const FAR = 2; // px; shorter moves are not animated

/** Old positions, by name, of the nodes that moved between two drawings. Pure.
 * @param {GraphNode[]} before @param {GraphNode[]} after @returns {Map<string, [number, number]>} */
export function shifts(before, after) {
  if (before.length === after.length && after.every(({ id, x, y }, i) => before[i].id === id && before[i].x === x && before[i].y === y)) return new Map();
  const old = new Map(before.map((node) => [node.id, node]));
  /** @type {Map<string, [number, number]>} */
  const found = new Map();
  for (const { id, x, y } of after) {
    const was = old.get(id);
    if (was && Math.hypot(was.x - x, was.y - y) > FAR) found.set(id, [was.x, was.y]);
  }
  return found;
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
    const moved = shifts(before.nodes, shown.nodes);
    if (!moved.size || moved.size > MOST) return;
    stop();
    playing = play(editor, moved);
  });
}

/** @param {Editor} editor @param {Map<string, [number, number]>} moved @returns {Animation[]} */
function play({ stage, seen: shown }, moved) {
  const timing = { duration: MS, easing: "ease-out" };
  const places = new Map(shown.nodes.map(({ id, x, y }) => [id, [x, y]]));
  const glides = [...moved].flatMap(([id, [x, y]]) => {
    const [right, down] = places.get(id) ?? [x, y];
    const root = stage.cards.get(id)?.root;
    return root ? [root.animate({ transform: [`translate(${x}px, ${y}px)`, `translate(${right}px, ${down}px)`] }, timing)] : [];
  });
  const wires = [...stage.strands.values()].filter(({ wire }) => wire && (moved.has(wire.from) || moved.has(wire.to)));
  const around = framesOf(shown).some(({ nodes }) => nodes.some((id) => moved.has(id)));
  const fading = [...wires.flatMap(({ root, number }) => [root, number]), ...(around ? [stage.layers.regions, stage.layers.tabs] : [])];
  return [...glides, ...fading.map((element) => element.animate({ opacity: [0, 0, 1] }, timing))];
}

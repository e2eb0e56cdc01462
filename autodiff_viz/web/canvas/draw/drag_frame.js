// @ts-check
// Redraw the frame of a drag: only the dragged nodes and their wires. While a drag goes on they lie on leaves
// (layers) of their own; that of the nodes is shifted as one picture, and the other leaves are not touched.

import { svg } from "../../base/dom.js";
import { folded, visibleCard } from "../state/fold.js";
import { framesOf } from "../state/frames.js";
import { withMoves } from "../state/membership.js";
import { padded } from "../state/geometry.js";
import { withPositions } from "../state/predict.js";
import { stackTabs } from "../state/tabs.js";
import { drawRegions } from "./regions.js";
import { updateStrand, wireId } from "./wires.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("./stage.js").Stage} Stage */
/**
 * What was drawn when the drag began.
 *
 * @typedef {object} Ground
 * @property {Drawing} drawing
 * @property {object} outbox
 * @property {Drawing} expected
 * @property {Map<string, Set<string>>} wires ids by node
 */

/** State that later frames of the drag build on. @param {Pick<Editor, "drawing" | "mail">} editor @param {Drawing} expected @returns {Ground} */
export function groundOf({ drawing, mail: { outbox } }, expected) {
  const seen = folded(expected);
  /** @type {Map<string, Set<string>>} */
  const wires = new Map(seen.nodes.map(({ id }) => [id, new Set()]));
  for (const wire of seen.wires)
    for (const end of [wire.from, wire.to]) wires.get(end)?.add(wireId(wire));
  return { drawing, outbox, expected, wires };
}

/** Whether nothing has changed since the drag began but the dragged nodes.
 * @param {Ground} ground @param {Pick<Editor, "drawing" | "mail">} editor */
export const isCurrent = (ground, { drawing, mail }) =>
  ground.drawing === drawing && ground.outbox === mail.outbox;

/** Draw the frame; false if something else has changed too. @param {Editor} editor */
export function dragFrame(editor) {
  const { dragged, ground, stage } = editor;
  if (!dragged || !ground || !isCurrent(ground, editor)) return false;
  editor.shown = stackTabs(withPositions(ground.expected, dragged));
  if (editor.memberMoves) editor.shown = withMoves(editor.shown, editor.memberMoves);
  const seen = editor.fold(editor.shown);
  editor.seen = seen;
  const nodes = new Map(seen.nodes.map((node) => [node.id, node]));
  const names = [...new Set(Object.keys(dragged).map((name) => visibleCard(seen, name)))].filter(
    (name) => nodes.has(name),
  );
  const touched = new Set(names.flatMap((name) => [...(ground.wires.get(name) ?? [])]));
  if (names.some((name) => stage.cards.get(name)?.node?.tab !== nodes.get(name)?.tab)) return false; // it has become a card, or a tab
  lift(stage, names, touched);
  const [drawn, moved] = [stage.cards.get(names[0])?.node, nodes.get(names[0])];
  if (drawn && moved)
    stage.moveHand(
      `translate(${(moved.x - drawn.x) * stage.drawn.k}px, ${(moved.y - drawn.y) * stage.drawn.k}px)`,
    );
  for (const wire of seen.wires) {
    const strand = touched.has(wireId(wire)) && stage.strands.get(wireId(wire));
    if (strand) updateStrand(strand, wire, nodes);
  }
  const frames = framesOf(seen);
  if (frames.length)
    drawRegions(
      stage.layers.regions,
      stage.layers.tabs,
      stage.regions,
      frames,
      seen.nodes,
      stage.level,
    );
  return true;
}

const ROOM = 3000; // px around the graph: while the wires stay within, their leaf keeps its size and only that leaf is painted

/** Move nodes and wires to the leaves of the drag.
 * @param {Stage} stage @param {string[]} names @param {Iterable<string>} wires */
function lift({ layers, cards, strands, lifted, content }, names, wires) {
  if (lifted.length) return;
  const take = (/** @type {Element | undefined} */ element, /** @type {Element} */ layer) => {
    if (!element?.parentNode) return; // for example a number that is not drawn yet
    element.classList.remove("culled");
    lifted.push({
      element,
      home: /** @type {Element} */ (element.parentNode),
      before: element.nextSibling,
    });
    layer.append(element);
  };
  for (const name of names) take(cards.get(name)?.root, layers.hand);
  for (const id of wires) {
    const { root, number, shape } = strands.get(id) ?? {};
    for (const part of [root, number, shape]) take(part ?? undefined, layers.strings);
  }
  const { x, y, w, h } = padded(content ?? { x: 0, y: 0, w: 0, h: 0 }, ROOM);
  layers.strings.prepend(svg("path", { class: "corners", d: `M${x} ${y}h1M${x + w} ${y + h}h1` }));
}

/** Move all elements back from the leaves of the drag. @param {Stage} stage */
export function endDragFrame(stage) {
  const { lifted } = stage;
  for (const { element, home, before } of lifted.reverse()) {
    if (element.isConnected)
      home.insertBefore(element, before?.parentNode === home ? before : null);
  }
  lifted.length = 0;
  stage.layers.strings.replaceChildren();
  stage.moveHand("none");
}

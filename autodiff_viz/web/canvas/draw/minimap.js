// @ts-check
// Draw the minimap: the whole graph in a corner, with a frame around the view; dragging there moves the view.
// It is there while a part of the graph is out of view, in a corner without nodes. While the view moves, only
// the frame changes.

import { html, svg } from "../../base/dom.js";
import { bounds, clearOf, padded } from "../state/geometry.js";
import { sizeOf } from "./stage.js";
import { sidesBeyond, boxesPath, freeCorner, visibleWorld } from "./viewport.js";

/** @typedef {import("../editor.js").Editor} Editor */

const SIZE = { wide: { w: 148, h: 96 }, narrow: { w: 96, h: 62 } }; // px
const NARROW = 480; // px, width of a canvas with a smaller map
const EDGE = 12; // px between the map and the canvas's edge
const MARGIN = 60; // world px around the graph
const EVERYWHERE = { x: -1e6, y: -1e6, w: 2e6, h: 2e6 }; // the outer edge never moves, so that the frame is only repainted

/** @param {Editor} editor */
export function openMinimap(editor) {
  const nodes = svg("path", { class: "map-nodes" });
  const chosen = svg("path", { class: "map-chosen" });
  const frame = svg("path", { class: "map-frame" });
  const picture = svg("svg", { class: "map-picture" }, nodes, chosen, frame);
  const root = html("div", { class: "minimap", "aria-hidden": "true" }, picture); // keyboard users have other means: arrows, f, +
  root.hidden = true;
  editor.stage.host.append(root);
  listen(editor, root, picture);
  /** @type {{ nodes: object[] | null, selection: object | null }} */
  const drawn = { nodes: null, selection: null };
  /** @type {import("./viewport.js").Corner | null} where it is */
  let corner = null;
  editor.watchers.push(() => {
    const { seen: shown, dragged, stage, selection } = editor;
    const size = sizeOf(stage);
    if (dragged) return;
    // No map where the whole graph is in view.
    const { view } = stage;
    const isNeeded = size.w > 0 && sidesBeyond(view, bounds(editor.seen.nodes), size, 0) !== "";
    const place = isNeeded ? placeOf(editor, size, corner) : null;
    corner = place?.corner ?? null;
    root.hidden = !place;
    if (!place) return;
    for (const [name, px] of Object.entries({
      left: place.x,
      top: place.y,
      width: place.w,
      height: place.h,
    }))
      root.style.setProperty(name, `${px}px`);
    if (drawn.nodes !== shown.nodes) {
      const { x, y, w, h } = padded(bounds(shown.nodes) ?? { x: 0, y: 0, w: 1, h: 1 }, MARGIN);
      picture.setAttribute("viewBox", `${x} ${y} ${w} ${h}`);
      nodes.setAttribute("d", boxesPath(shown.nodes));
    }
    if (drawn.nodes !== shown.nodes || drawn.selection !== selection) {
      chosen.setAttribute("d", boxesPath(editor.chosen));
    }
    [drawn.nodes, drawn.selection] = [shown.nodes, selection];
    frame.setAttribute("d", boxesPath([EVERYWHERE, visibleWorld(stage.view, size)]));
  });
}

/** The corner in which the map covers no node; null without one.
 * @param {Editor} editor @param {{ w: number, h: number }} size @param {import("./viewport.js").Corner | null} corner where it has been */
function placeOf({ stage, seen: shown }, size, corner) {
  const { top, bottom } = clearOf(size);
  const room = {
    x: EDGE,
    y: top - EDGE,
    w: size.w - 2 * EDGE,
    h: size.h - top - bottom + 2 * EDGE,
  };
  return freeCorner(
    room,
    size.w < NARROW ? SIZE.narrow : SIZE.wide,
    shown.nodes,
    stage.view,
    corner,
  );
}

/** @param {Editor} editor @param {HTMLElement} root @param {SVGGraphicsElement} picture */
function listen(editor, root, picture) {
  const go = (/** @type {PointerEvent} */ event) => {
    const matrix = /** @type {any} */ (picture).getScreenCTM()?.inverse();
    if (!matrix) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    const { w, h } = sizeOf(editor.stage);
    const { k } = editor.stage.view;
    editor.look({ x: w / 2 - x * k, y: h / 2 - y * k, k });
  };
  root.addEventListener("pointerdown", (event) => {
    root.setPointerCapture(event.pointerId);
    event.preventDefault();
    go(event);
  });
  root.addEventListener(
    "pointermove",
    (event) => root.hasPointerCapture(event.pointerId) && go(event),
  );
}

// @ts-check
// Move the view: pan and zoom, and show nodes that are pointed at elsewhere: not at all if they are in view,
// by the least amount at the same scale if they are not, and nearer only where they are too small to be
// recognised.

import { bounds, clamp, overlap, padded } from "../state/geometry.js";

// The drawing lies on its own pane (a compositor layer), which the browser transforms as a picture, without
// layout or paint. It is drawn at the new scale only when a zoom ends, since a new scale makes the browser
// lay out and paint every text again: 60 ms at 500 nodes, more than a frame at 30.

/** @typedef {import("./stage.js").Stage} Stage */
/** @typedef {import("../../types.js").Viewport} Viewport */

/** Return a function that transforms an element in every frame. The transform is held by a paused animation: with a
 * style the browser would layer the whole picture again at every step, 30 ms at 500 nodes.
 * @param {Element} element @returns {(transform: string) => void} */
export function makeTransform(element) {
  const animation = element.animate({ transform: ["none", "none"] }, { duration: 1, fill: "both" });
  animation.pause();
  let now = "none";
  return (transform) => {
    if (transform !== now)
      /** @type {KeyframeEffect} */ (animation.effect).setKeyframes({
        transform: [transform, transform],
      });
    now = transform;
  };
}

const GRID = 24; // world px between the dots at full scale
const EDGE = 160; // px by which the sheet of dots extends beyond the canvas to the left and the top
const REST_MS = 150;
const LIGHT = 12; // nodes; so many can be drawn again in every frame of a zoom, and stay sharp

/** Show the stage's view: at once, or transformed until `settle` draws it.
 * @param {Stage} stage @param {() => void} settle */
export function showView(stage, settle) {
  const { pane, view, drawn, glides } = stage;
  clearTimeout(glides.timer);
  if (drawn.k === view.k) glides.under = false;
  else if (!drawn.k || stage.weight <= LIGHT || stage.presents) return land(stage, settle);
  else glides.under = true;
  pane.classList.toggle("gliding", glides.under);
  stage.movePane(pictureTransform(drawn, view));
  stage.moveDots(dotsTransform(drawn.k, view));
  if (!glides.under) return settle();
  glides.timer = window.setTimeout(() => land(stage, settle), REST_MS);
}

/** @param {Stage} stage @param {() => void} settle */
function land(stage, settle) {
  const { dots, drawn, pane, view, worlds } = stage;
  stage.glides.under = false;
  pane.classList.remove("gliding");
  if (drawn.k !== view.k) dots.style.backgroundSize = `${spacing(view.k)}px ${spacing(view.k)}px`;
  stage.drawn = { x: view.x - Math.round(view.x), y: view.y - Math.round(view.y), k: view.k };
  const { x, y, k } = stage.drawn;
  for (const world of worlds) world.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
  stage.movePane(pictureTransform(stage.drawn, view));
  stage.moveDots(dotsTransform(view.k, view));
  settle();
}

/** The transform from a picture drawn for one view to another view: screen = world * k + (x, y). A pure translation
 * is rounded to whole pixels, so that text stays sharp.
 * @param {Viewport} drawn @param {Viewport} view */
export function pictureTransform(drawn, view) {
  const by = view.k / drawn.k;
  const [x, y] = [view.x - drawn.x * by, view.y - drawn.y * by];
  return by === 1
    ? `translate(${Math.round(x)}px, ${Math.round(y)}px)`
    : `translate(${x}px, ${y}px) scale(${by})`;
}

/** Px between the dots. @param {number} k */
const spacing = (k) => GRID * k * (k < 0.5 ? 4 : 1);

/** The transform of the sheet of dots, drawn for one scale, to a view. The scale is reduced by powers of two, at
 * which the dots coincide: they would grow otherwise.
 * @param {number} drawn its scale @param {Viewport} view */
export function dotsTransform(drawn, { x, y, k }) {
  const by = k / drawn / 2 ** Math.round(Math.log2(k / drawn));
  const step = spacing(drawn) * by;
  const [right, down] = [x, y].map((shift) => (((shift + EDGE) % step) + step) % step);
  return by === 1
    ? `translate(${Math.round(right)}px, ${Math.round(down)}px)`
    : `translate(${right}px, ${down}px) scale(${by})`;
}

// The limits of the view, and the path of the minimap. Numbers only.

/** @typedef {import("../../types.js").Box} Box */
/** @typedef {{ w: number, h: number }} Size */

const KEPT = 90; // px of the drawing that stay in view

/** The view, moved by the least amount that keeps part of the content in view.
 * @param {Viewport} view @param {Box | null} content @param {Size} size @returns {Viewport} */
export function viewKeptOn(view, content, size) {
  if (!content || !size.w || !size.h) return view;
  const x = withinMap(view.x, content.x * view.k, content.w * view.k, size.w);
  const y = withinMap(view.y, content.y * view.k, content.h * view.k, size.h);
  return x === view.x && y === view.y ? view : { ...view, x, y };
}

/** @param {number} shift @param {number} from @param {number} length @param {number} room */
function withinMap(shift, from, length, room) {
  const least = Math.min(KEPT, length, room / 2);
  return clamp(shift, least - from - length, room - least - from);
}

/** The part of the world that is in view. @param {Viewport} view @param {Size} size @returns {Box} */
export const visibleWorld = ({ x, y, k }, { w, h }) => ({
  x: -x / k,
  y: -y / k,
  w: w / k,
  h: h / k,
});

/** The sides on which content is out of view; bars cover `foot` px at the bottom.
 * @param {Viewport} view @param {Box | null} content @param {Size} size @param {number} foot @returns {string} */
export function sidesBeyond(view, content, size, foot) {
  if (!content) return "";
  const [left, top] = [content.x * view.k + view.x, content.y * view.k + view.y];
  const [right, bottom] = [left + content.w * view.k, top + content.h * view.k];
  const sides = [
    left < -8 && "left",
    right > size.w + 8 && "right",
    top < -8 && "top",
    bottom > size.h - foot && "bottom",
  ];
  return sides.filter(Boolean).join(" ");
}

/** All nodes as one path. @param {Box[]} nodes */
export const boxesPath = (nodes) =>
  nodes
    .map(
      ({ x, y, w, h }) =>
        `M${Math.round(x)} ${Math.round(y)}h${Math.round(w)}v${Math.round(h)}h${-Math.round(w)}z`,
    )
    .join("");

/** @typedef {"right bottom" | "left bottom" | "right top" | "left top"} Corner */
/** @type {Corner[]} best first */
const CORNERS = ["right bottom", "left bottom", "right top", "left top"];

/** The corner of `room` in which a box of this size covers none of the nodes: the one where it has been, if that is free.
 * @param {Box} room @param {Size} size px on the screen @param {Box[]} nodes of the world @param {Viewport} view
 * @param {Corner | null} been @returns {(Box & { corner: Corner }) | null} */
export function freeCorner(room, size, nodes, view, been) {
  const order = been ? [been, ...CORNERS.filter((corner) => corner !== been)] : CORNERS;
  for (const corner of order) {
    const x = corner.startsWith("left") ? room.x : room.x + room.w - size.w;
    const y = corner.endsWith("top") ? room.y : room.y + room.h - size.h;
    const under = {
      x: (x - view.x) / view.k,
      y: (y - view.y) / view.k,
      w: size.w / view.k,
      h: size.h / view.k,
    };
    if (room.h >= size.h && !nodes.some((node) => overlap(node, under)))
      return { x, y, ...size, corner };
  }
  return null;
}

/**
 * Px of the canvas that its bars cover.
 *
 * @typedef {object} Margins
 * @property {number} top
 * @property {number} bottom
 * @property {number} left
 * @property {number} right
 */

const ROUND = 12; // px of the world around a node

/** @param {Viewport} view @param {Box[]} boxes the first is shown where not all have room @param {Size} size of the canvas
 * @param {Margins} margins @param {number} least scale @param {Box} [cover] px that a popover covers, at the right edge or along the top
 * @returns {Viewport | null} null for the present view */
export function viewBringing(view, boxes, size, margins, least, cover) {
  const whole = bounds(boxes);
  if (!whole) return null;
  const [first] = boxes;
  const isHidden = (/** @type {Box} */ box) =>
    viewHolding(view, box, size, margins) || (cover && overlap(cover, onScreen(view, box)));
  if (view.k >= least && !isHidden(whole)) return null;
  const clear = cover ? beside(margins, cover, size) : margins;
  const room = {
    w: Math.max(size.w - clear.left - clear.right, 1),
    h: Math.max(size.h - clear.top - clear.bottom, 1),
  };
  const most = Math.min(room.w / (whole.w + 2 * ROUND), room.h / (whole.h + 2 * ROUND));
  const fits = most >= view.k;
  const box = padded(fits ? whole : first, ROUND);
  if (view.k < least) return centred(box, room, clear, fits ? Math.min(least, most) : least);
  return fits || boxes.every(isHidden) ? viewHolding(view, box, size, clear) : null;
}

/** @param {Viewport} view @param {Box} box @returns {Box} */
const onScreen = ({ x, y, k }, box) => ({
  x: box.x * k + x,
  y: box.y * k + y,
  w: box.w * k,
  h: box.h * k,
});

/** The margins with what a popover covers: the side that it stands at, or the top if it is as wide as the canvas.
 * @param {Margins} margins @param {Box} cover @param {Size} size @returns {Margins} */
const beside = (margins, { x, y, w, h }, size) =>
  w > size.w / 2
    ? { ...margins, top: Math.max(margins.top, y + h) }
    : { ...margins, right: Math.max(margins.right, size.w - x) };

/** The view at a scale, with a box in the middle of the room.
 * @param {Box} box @param {Size} room @param {Margins} margins @param {number} k */
const centred = (box, room, { left, top }, k) => ({
  x: left + room.w / 2 - (box.x + box.w / 2) * k,
  y: top + room.h / 2 - (box.y + box.h / 2) * k,
  k,
});

/** The view, moved by the least amount that shows a box; null if it does.
 * @param {Viewport} view @param {Box} box @param {Size} size @param {Margins} margins */
export function viewHolding(view, box, { w, h }, { top, bottom, left, right }) {
  const x = view.x + into(box.x * view.k + view.x, box.w * view.k, left, w - right);
  const y = view.y + into(box.y * view.k + view.y, box.h * view.k, top, h - bottom);
  return x === view.x && y === view.y ? null : { ...view, x, y };
}

/** The least shift that brings an interval between two limits, its start first.
 * @param {number} at @param {number} length @param {number} low @param {number} high */
const into = (at, length, low, high) =>
  at < low ? low - at : Math.max(Math.min(0, high - at - length), low - at);

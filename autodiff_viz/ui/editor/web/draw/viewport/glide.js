// @ts-check
// Pan and zoom. The drawing lies on its own pane (a compositor layer), which the browser transforms as a
// picture, without layout or paint. The drawing is drawn at the new scale only when a zoom ends, since a new
// scale makes the browser lay out and paint every text again: 60 ms at 500 nodes, more than a frame at 30.

/** @typedef {import("../stage.js").Stage} Stage */
/** @typedef {import("../../types.js").Viewport} Viewport */

/** Return a function that transforms an element in every frame. The transform is held by a paused animation: with a
 * style the browser would layer the whole picture again at every step, 30 ms at 500 nodes.
 * @param {Element} element @returns {(transform: string) => void} */
export function mover(element) {
  const animation = element.animate({ transform: ["none", "none"] }, { duration: 1, fill: "both" });
  animation.pause();
  let now = "none";
  return (transform) => {
    if (transform !== now) /** @type {KeyframeEffect} */ (animation.effect).setKeyframes({ transform: [transform, transform] });
    now = transform;
  };
}

const GRID = 24; // world px between the dots at full scale
const EDGE = 160; // px by which the sheet of dots extends beyond the canvas to the left and the top
const REST_MS = 150;
const LIGHT = 12; // nodes; so many can be drawn again in every frame of a zoom, and stay sharp

/** Show the stage's view: at once, or transformed until `settle` draws it.
 * @param {Stage} stage @param {() => void} settle */
export function glide(stage, settle) {
  const { pane, view, drawn, glides } = stage;
  clearTimeout(glides.timer);
  if (drawn.k === view.k) glides.under = false;
  else if (!drawn.k || stage.weight <= LIGHT) return land(stage, settle);
  else glides.under = true;
  pane.classList.toggle("gliding", glides.under);
  stage.movePane(stretched(drawn, view));
  stage.moveDots(strewn(drawn.k, view));
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
  stage.movePane(stretched(stage.drawn, view));
  stage.moveDots(strewn(view.k, view));
  settle();
}

/** The transform from a picture drawn for one view to another view: screen = world * k + (x, y). A pure translation
 * is rounded to whole pixels, so that text stays sharp.
 * @param {Viewport} drawn @param {Viewport} view */
export function stretched(drawn, view) {
  const by = view.k / drawn.k;
  const [x, y] = [view.x - drawn.x * by, view.y - drawn.y * by];
  return by === 1 ? `translate(${Math.round(x)}px, ${Math.round(y)}px)` : `translate(${x}px, ${y}px) scale(${by})`;
}

/** Px between the dots. @param {number} k */
const spacing = (k) => GRID * k * (k < 0.5 ? 4 : 1);

/** The transform of the sheet of dots, drawn for one scale, to a view. The scale is reduced by powers of two, at
 * which the dots coincide: they would grow otherwise.
 * @param {number} drawn its scale @param {Viewport} view */
export function strewn(drawn, { x, y, k }) {
  const by = k / drawn / 2 ** Math.round(Math.log2(k / drawn));
  const step = spacing(drawn) * by;
  const [right, down] = [x, y].map((shift) => (((shift + EDGE) % step) + step) % step);
  return by === 1 ? `translate(${Math.round(right)}px, ${Math.round(down)}px)` : `translate(${right}px, ${down}px) scale(${by})`;
}

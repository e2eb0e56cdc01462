// @ts-check
// Zooming a large graph. A new scale makes the browser lay out every text anew, 60 ms at 500 nodes: while the
// scale changes, the picture is stretched as it is, and drawn anew once the zoom rests.

/** @typedef {import("./stage.js").Stage} Stage */
/** @typedef {import("./types.js").Viewport} Viewport */

const MANY = 80; // nodes; with fewer, every step is drawn
const REST_MS = 150;

/** Show the stage's view: at once, or stretched for now. `settle` draws it. @param {Stage} stage @param {() => void} settle */
export function glide(stage, settle) {
  const { surface, view, drawn, glides } = stage;
  clearTimeout(glides.timer);
  if (stage.cards.size < MANY || (drawn.k === view.k && !glides.under)) return land(stage, settle);
  glides.under = true;
  surface.classList.add("gliding");
  surface.style.transform = stretched(drawn, view);
  glides.timer = window.setTimeout(() => land(stage, settle), REST_MS);
}

/** @param {Stage} stage @param {() => void} settle */
function land(stage, settle) {
  if (stage.glides.under) {
    stage.surface.classList.remove("gliding");
    stage.surface.style.transform = "";
  }
  stage.glides.under = false;
  stage.drawn = stage.view;
  settle();
}

/** What moves a picture drawn for one view to where another one has it: screen = world * k + (x, y).
 * @param {Viewport} drawn @param {Viewport} view */
export function stretched(drawn, view) {
  const by = view.k / drawn.k;
  return `translate(${view.x - drawn.x * by}px, ${view.y - drawn.y * by}px) scale(${by})`;
}

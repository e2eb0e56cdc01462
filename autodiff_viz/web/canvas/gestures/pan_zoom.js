// @ts-check
// Zoom by the wheel, about the pointer, as in React Flow and ComfyUI. Two fingers on a trackpad move the
// view, which are sent as a wheel too; so does Shift + wheel, sideways. In a window so small that the page
// scrolls, a wheel without Ctrl is the page's until the canvas has the focus.

import { pointOf, showStatus } from "../draw/stage.js";
import { clamp, zoomAt } from "../state/geometry.js";
import { host as place } from "../../base/host.js";

// Panning: by a drag of the canvas, and anywhere with the space bar or the middle button. A tap of the space
// bar, without a drag, plays the pass.

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {import("./gestures.js").Gesture} Gesture */

/** Whether a press pans, whatever is under the pointer. @param {Editor} editor @param {PointerEvent} event */
export const pansAnywhere = ({ stage }, event) =>
  Boolean(event.buttons & 4) || stage.host.classList.contains("hand");

/** @param {Editor} editor */
export function listenToPanning(editor) {
  const { host, surface } = editor.stage;
  let tapped = false; // whether nothing has been dragged since the space bar was pressed
  const hold = (/** @type {boolean} */ on) => host.classList.toggle("hand", on);
  host.addEventListener("keydown", (event) => {
    const focused = /** @type {ShadowRoot} */ (host.getRootNode()).activeElement;
    if (event.key !== " " || focused !== surface) return; // on a node or a button, space has another meaning
    event.preventDefault(); // or the page would scroll
    tapped ||= !event.repeat;
    hold(true);
  });
  host.addEventListener("pointerdown", () => (tapped = false), true);
  host.addEventListener("keyup", (event) => {
    if (event.key !== " ") return;
    if (tapped && host.classList.contains("hand")) editor.startPlay();
    tapped = false;
    hold(false);
  });
  surface.addEventListener("blur", () => hold(false));
}

/** @param {Editor} editor @param {Point} start @returns {Gesture} */
export function pan(editor, start) {
  const { view } = editor.stage;
  return {
    move: ([x, y]) => editor.look({ ...view, x: view.x + x - start[0], y: view.y + y - start[1] }),
    end: () => {},
  };
}

/** A pan that the browser may still take over to scroll the page; the view is then restored.
 * @param {Editor} editor @param {Point} start @returns {Gesture} */
export function swipe(editor, start) {
  const {
    choice,
    stage: { view },
  } = editor;
  const end = (/** @type {PointerEvent | null} */ event) => {
    if (event) return;
    editor.look(view);
    editor.choice = choice;
  };
  return { ...pan(editor, start), end };
}

/**
 * A wheel event.
 *
 * @typedef {object} Turn
 * @property {number} deltaX
 * @property {number} deltaY
 * @property {number} deltaMode
 * @property {boolean} ctrlKey
 * @property {boolean} metaKey
 * @property {boolean} shiftKey
 * @property {number} [wheelDeltaY]
 */

const NOTCH = 0.25; // zoom of one wheel step, at most, as a logarithm
const LINE = 16; // px
const TICK = 120; // `wheelDeltaY` of one step of a mouse's wheel
const FINGERS = -3; // `wheelDeltaY` of a trackpad, in units of `deltaY`
const QUIET_MS = 30_000; // ms between two hints

/** Whether two fingers on a trackpad made the event, as far as the browser shows it. @param {Turn} turn */
const isTrackpad = ({ deltaX, deltaY, deltaMode, wheelDeltaY = 0 }) =>
  deltaMode === 0 &&
  (deltaX !== 0 || (deltaY !== 0 && wheelDeltaY === FINGERS * deltaY && wheelDeltaY % TICK !== 0));

/** What a wheel event does: a factor of the zoom, or px by which the view moves. Pure.
 * @param {Turn} turn @returns {{ zoom: number } | { move: Point }} */
export function wheelAction(turn) {
  const unit = turn.deltaMode === 1 ? LINE : 1;
  const [across, down] = [turn.deltaX * unit, turn.deltaY * unit];
  const pinched = turn.ctrlKey || turn.metaKey;
  if (!pinched && turn.shiftKey) return { move: [-(across || down), 0] };
  if (!pinched && isTrackpad(turn)) return { move: [-across, -down] };
  const speed = turn.ctrlKey ? 0.01 : 0.002; // a pinch is sent as many small steps with ctrl
  return { zoom: Math.exp(-clamp(down * speed, -NOTCH, NOTCH)) };
}

/** @param {Editor} editor */
export function listenToWheel(editor) {
  const { stage } = editor;
  let advised = -QUIET_MS;
  stage.host.addEventListener(
    "wheel",
    (event) => {
      if (/** @type {Element} */ (event.target).closest(".popover")) return;
      if (
        !event.ctrlKey &&
        !event.metaKey &&
        place.size.scrolls() &&
        !(stage.host.matches(":focus-within") && document.hasFocus())
      ) {
        if (event.timeStamp - advised < QUIET_MS) return;
        advised = event.timeStamp;
        return showStatus(
          stage,
          "Ctrl + wheel zooms here. Click the canvas first, and the wheel alone does.",
        );
      }
      event.preventDefault();
      const done = wheelAction(/** @type {any} */ (event));
      const { view } = stage;
      if ("zoom" in done) editor.look(zoomAt(view, done.zoom, pointOf(stage, event)));
      else editor.look({ ...view, x: view.x + done.move[0], y: view.y + done.move[1] });
    },
    { passive: false },
  );
}

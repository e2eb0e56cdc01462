// @ts-check
// Pan the view: by a drag of the canvas, and anywhere with the space bar or the middle button. A tap of the
// space bar, without a drag, plays the pass.

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("./pointing.js").Gesture} Gesture */

/** Whether a press pans, whatever is under the pointer. @param {Editor} editor @param {PointerEvent} event */
export const pansAnywhere = ({ stage }, event) => Boolean(event.buttons & 4) || stage.host.classList.contains("hand");

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
  const { choice, stage: { view } } = editor;
  const end = (/** @type {PointerEvent | null} */ event) => {
    if (event) return;
    editor.look(view);
    editor.choice = choice;
  };
  return { ...pan(editor, start), end };
}

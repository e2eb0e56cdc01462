// @ts-check
// Report where in the text the caret is put and the pointer rests.

/** @typedef {import("./editor.js").Formula} Formula */
/** @typedef {"pressed" | "moved" | "typed" | "left"} How  the caret was put by a press, moved by keys, moved as the text changed, or is
 * gone with the focus */
/** @typedef {{ caret: (how: How) => void, hover: (at: { x: number, y: number } | null) => void }} Told */

/** @param {Formula} formula @param {Told} told */
export function listenToPointing({ area }, { caret, hover }) {
  let last = { text: "", start: -1, end: -1 };
  let frame = 0;
  const see = () => {
    if (/** @type {Document | ShadowRoot} */ (area.getRootNode()).activeElement !== area) return;
    const now = { text: area.value, start: area.selectionStart, end: area.selectionEnd };
    const [typed, moved] = [
      now.text !== last.text,
      now.start !== last.start || now.end !== last.end,
    ];
    last = now;
    if (typed || moved) caret(typed ? "typed" : "moved");
  };
  area.addEventListener("input", see);
  area.addEventListener("selectionchange", see);
  area.addEventListener("keyup", see); // some browsers tell the document alone of a changed selection
  area.addEventListener("focus", () => {
    last = { text: area.value, start: area.selectionStart, end: area.selectionEnd };
    caret("typed"); // to come here by Tab, or back from the search, selects nothing
  });
  area.addEventListener("click", () => {
    see();
    caret("pressed");
  });
  area.addEventListener("blur", () => caret("left"));
  area.addEventListener("pointermove", ({ pointerType, clientX: x, clientY: y, buttons }) => {
    if (pointerType === "touch") return;
    cancelAnimationFrame(frame); // once a frame: the place takes a layout
    frame = requestAnimationFrame(() => hover(buttons ? null : { x, y }));
  });
  area.addEventListener("pointerleave", () => {
    cancelAnimationFrame(frame);
    hover(null);
  });
}

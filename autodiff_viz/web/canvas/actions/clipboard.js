// @ts-check
// Copy, cut and paste. The clipboard holds formula text, so that it works between tabs and with any text.

import { isTable } from "../../base/data.js";
import { svg } from "../../base/dom.js";
import { centre, pointOf, showStatus } from "../draw/stage.js";
import { pieceText } from "../state/copies.js";
import { bounds, toWorld } from "../state/geometry.js";
import { selectedNodes } from "./arrange.js";
import { showCome } from "./bring.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Point} Point */

const AGAIN = 36; // px right and down, for a paste where the originals are
const BUSY = { w: 128, h: 80 }; // px of the placeholder of a paste
const STILL = 8; // px by which the pointer may have moved since the copy
const MIDDLE_PASTE_MS = 400; // X11 pastes on the middle button, which here moves the view

/** The last copy on this page.
 * @type {{ text: string, middle: Point, pointer: Point | null, times: number, collapsed: string[] }} */
const last = { text: "", middle: [0, 0], pointer: null, times: 0, collapsed: [] };

/** The browser sends clipboard events to the document, since no text field has the focus when the canvas has the
 * keys.
 * @param {Editor} editor */
export function listenToClipboard(editor) {
  const { host, surface } = editor.stage;
  /** @type {Point | null} */
  let pointer = null;
  let middle = -MIDDLE_PASTE_MS;
  surface.addEventListener("pointermove", (event) => (pointer = pointOf(editor.stage, event)));
  surface.addEventListener("pointerleave", () => (pointer = null));
  surface.addEventListener(
    "pointerup",
    (event) => event.button === 1 && (middle = event.timeStamp),
  );
  const listen = (
    /** @type {"copy" | "cut" | "paste"} */ kind,
    /** @type {(event: ClipboardEvent) => void} */ act,
  ) => document.addEventListener(kind, (event) => hasKeys(host) && act(event));

  for (const kind of /** @type {const} */ (["copy", "cut"])) {
    listen(kind, (event) => {
      const text = copied(editor, pointer);
      if (!text) return;
      event.clipboardData?.setData("text/plain", text);
      event.preventDefault();
      taken(editor, kind);
    });
  }
  listen("paste", (event) => {
    event.preventDefault();
    if (event.timeStamp - middle > MIDDLE_PASTE_MS)
      paste(editor, event.clipboardData?.getData("text/plain") ?? "", pointer);
  });
  watchPicked(editor);
}

/** Whether keys go to the canvas and not to a text field. @param {HTMLElement} host */
export function hasKeys(host) {
  const focused = /** @type {ShadowRoot} */ (host.getRootNode()).activeElement;
  return host.isConnected && host.contains(focused) && !focused?.closest("input, textarea");
}

/** The text of the selection; "" if there is nothing to copy. @param {Editor} editor @param {Point | null} pointer */
function copied(editor, pointer) {
  const nodes = selectedNodes(editor);
  const box = bounds(nodes);
  if (!box) return (showStatus(editor.stage, "Select the nodes to copy first."), "");
  const { text, missing } = pieceText(
    editor.shown,
    nodes.map(({ id }) => id),
  );
  if (missing.length)
    return (
      showStatus(
        editor.stage,
        `${missing[0]} holds too much to be copied here. Copy it in the formula.`,
      ),
      ""
    );
  Object.assign(last, {
    text,
    middle: [box.x + box.w / 2, box.y + box.h / 2],
    pointer,
    times: 0,
    collapsed: editor.shown.groups.filter((group) => group.collapsed).map(({ name }) => name),
  });
  return text;
}

/** @param {Editor} editor @param {"copy" | "cut"} kind */
function taken(editor, kind) {
  const nodes = selectedNodes(editor).map(({ id }) => id);
  const what = nodes.length === 1 ? nodes[0] : `${nodes.length} nodes`;
  if (kind === "cut") editor.send({ kind: "cut", nodes });
  showStatus(editor.stage, `${kind === "cut" ? "Cut" : "Copied"} ${what} as formula text`);
}

/** Copy or cut by a button. @param {Editor} editor @param {"copy" | "cut"} kind */
export function copyByButton(editor, kind) {
  const text = copied(editor, null);
  const refused = () =>
    showStatus(
      editor.stage,
      `The browser keeps buttons from the clipboard here. Press Ctrl + ${kind === "cut" ? "X" : "C"}.`,
    );
  if (!text) return;
  if (!navigator.clipboard) return refused(); // exists only for pages over https
  navigator.clipboard.writeText(text).then(() => taken(editor, kind), refused);
}

/** Paste around the pointer, else in the middle of the view; beside the originals if the pointer has not moved
 * since.
 * @param {Editor} editor @param {string} text @param {Point | null} pointer screen pixels */
function paste(editor, text, pointer) {
  if (!text.trim()) return showStatus(editor.stage, "The clipboard holds no text.");
  if (isTable(text)) return pasteTable(editor, text, pointer);
  const unmoved =
    pointer === last.pointer ||
    (pointer &&
      last.pointer &&
      Math.hypot(pointer[0] - last.pointer[0], pointer[1] - last.pointer[1]) < STILL);
  const again = text.replace(/\r\n/g, "\n") === last.text && unmoved;
  if (again) last.times += 1;
  const beside = /** @type {Point} */ ([
    last.middle[0] + AGAIN * last.times,
    last.middle[1] + AGAIN * last.times,
  ]);
  const at = again ? beside : pointer ? toWorld(editor.stage.view, pointer) : centre(editor.stage);
  const collapsed = text.replace(/\r\n/g, "\n") === last.text ? last.collapsed : [];
  const before = editor.shown.nodes.length;
  editor.send({
    kind: "paste",
    text,
    at: rounded(at),
    ...(collapsed.length && { collapsed }),
  });
  if (editor.shown.nodes.length === before) markBusy(editor, at);
}

/** Set the selected input to a pasted table; without one it becomes a new input.
 * @param {Editor} editor @param {string} text @param {Point | null} pointer */
function pasteTable(editor, text, pointer) {
  const chosen = editor.node(editor.single);
  const at = pointer ? toWorld(editor.stage.view, pointer) : centre(editor.stage);
  editor.send({
    kind: "data",
    node: chosen?.isInput ? chosen.id : null,
    at: rounded(at),
    text,
  });
}

/** @param {Point} at @returns {Point} */
const rounded = ([x, y]) => [Math.round(x), Math.round(y)];

/** Show a placeholder until Python answers, for text that only Python can read.
 * @param {Editor} editor @param {Point} at */
function markBusy(editor, [x, y]) {
  const mark = svg(
    "g",
    { class: "copies busy" },
    svg("rect", { x: x - BUSY.w / 2, y: y - BUSY.h / 2, width: BUSY.w, height: BUSY.h, rx: 10 }),
    svg("text", { x, y: y + 5 }, "pasting ..."),
  );
  editor.stage.layers.overlay.append(mark);
  const gone = () => {
    if (editor.pending.some(({ kind }) => kind === "paste")) return;
    mark.remove();
    editor.watchers = editor.watchers.filter((watch) => watch !== gone);
  };
  editor.watchers.push(gone);
}

/** Select the nodes that Python has inserted, and bring them into view. @param {Editor} editor */
function watchPicked(editor) {
  let seen = "";
  /** @type {string[] | undefined} */
  let before;
  editor.watchers.push(() => {
    const { picked, selected, history } = editor.drawing;
    if (picked === before) return;
    before = picked;
    const names = (picked ?? []).join(" ");
    if (names === seen) return;
    seen = names;
    if (!picked?.length) return;
    editor.selection = new Set(picked);
    editor.told = selected;
    const pasted = history.undo?.startsWith("Paste") ?? false;
    if (pasted) showStatus(editor.stage, history.undo ?? "");
    editor.refresh();
    showCome(editor, picked, pasted);
  });
}

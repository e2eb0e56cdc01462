// @ts-check
// The palette: search for an op and add it.

import { html } from "../../web/dom.js";
import { CARD, clamp, freeSpot, toScreen } from "./geometry.js";
import { search } from "./search.js";
import { centre, sizeOf } from "./stage.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./types.js").PaletteOp} PaletteOp */

/** Open the palette. A new node lands at `at` (world pixels), by default right of the selected node or in
 * the middle, with its first slot wired to `from`.
 * @param {Editor} editor @param {{ at?: Point, from?: string | null }} [where] */
export function openPalette(editor, { at, from = editor.single } = {}) {
  closePalette(editor);
  const field = /** @type {HTMLInputElement} */ (html("input", {
    type: "text", placeholder: "Search ops: sin, matmul, sum ...", "aria-label": "Search ops", role: "combobox",
    "aria-expanded": "true", "aria-controls": "ops", autocomplete: "off", spellcheck: "false",
  }));
  const list = html("div", { class: "ops", id: "ops", role: "listbox", "aria-label": "Ops" });
  const hint = html("div", { class: "hint" }, from ? `Its first slot will be wired to ${from}` : "Enter adds the marked op");
  const root = html("div", { class: "popover palette" }, field, list, hint);
  let marked = 0;

  const add = (/** @type {PaletteOp} */ { op, slots }) => {
    const beside = at ? /** @type {Point} */ ([at[0], at[1] - CARD.h / 2]) : besides(editor, from);
    const spot = freeSpot(editor.shown.nodes, beside, CARD);
    closePalette(editor);
    editor.send({ kind: "add", op, position: spot, wire: slots.length ? from : null });
    editor.stage.surface.focus();
  };
  const mark = (/** @type {number} */ index) => {
    const options = [...list.querySelectorAll("[role=option]")];
    marked = clamp(index, 0, Math.max(options.length - 1, 0));
    options.forEach((option, i) => option.setAttribute("aria-selected", String(i === marked)));
    options[marked]?.scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", options[marked]?.id ?? "");
  };
  const fill = () => {
    list.replaceChildren(...search(editor.palette, field.value).map(({ group, ops }) =>
      html("div", { role: "group", "aria-label": group }, html("div", { class: "group", "aria-hidden": "true" }, group),
        ...ops.map((op) => option(op, () => add(op))))));
    if (!list.children.length) list.append(html("div", { class: "none" }, `No op called “${field.value.trim()}”`));
    mark(0);
  };
  field.addEventListener("input", fill);
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") mark(marked + 1);
    else if (event.key === "ArrowUp") mark(marked - 1);
    else if (event.key === "Enter") /** @type {HTMLElement} */ (list.querySelectorAll("[role=option]")[marked])?.click();
    else if (event.key === "Escape") closePalette(editor);
    else return;
    event.preventDefault();
  });
  editor.stage.host.append(root);
  fill();
  place(editor, root, at);
  field.focus();
}

/** @param {Editor} editor @returns {boolean} whether one was open */
export function closePalette({ stage }) {
  const open = stage.host.querySelector(".popover");
  if (open?.contains(/** @type {ShadowRoot} */ (stage.host.getRootNode()).activeElement)) stage.surface.focus();
  open?.remove();
  return Boolean(open);
}

/** @param {PaletteOp} op @param {() => void} choose */
const option = (op, choose) =>
  html("div", { class: "op", role: "option", id: `op-${op.op}`, "data-op": op.op, click: choose },
    html("span", { class: "mark" }, op.symbol), html("span", { class: "what" }, html("b", {}, op.op), html("small", {}, op.doc)));

/** Right of the node that will feed the new one, else the middle of the view.
 * @param {Editor} editor @param {string | null} from @returns {Point} */
function besides(editor, from) {
  const node = editor.node(from);
  if (node) return [node.x + node.w + 72, node.y];
  const [x, y] = centre(editor.stage);
  return [x - CARD.w / 2, y - CARD.h / 2];
}

/** Beside the point where it was asked for, or over the Add button.
 * @param {Editor} editor @param {HTMLElement} root @param {Point | undefined} at */
function place({ stage }, root, at) {
  const size = sizeOf(stage);
  const [x, y] = at ? toScreen(stage.view, at) : [size.w / 2 - root.offsetWidth / 2, size.h];
  root.style.left = `${clamp(x, 8, Math.max(size.w - root.offsetWidth - 8, 8))}px`;
  root.style.top = `${clamp(y, 8, Math.max(size.h - root.offsetHeight - 64, 8))}px`;
}

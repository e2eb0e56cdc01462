// @ts-check
// Search an op in the palette, then choose it or drag it onto the canvas.

import { html } from "../../base/dom.js";
import { isMistyped, mistakesIn } from "../../base/likeness.js";
import { mayEdit } from "../../embed/gate.js";
import { centre, sizeOf } from "../draw/stage.js";
import { makeDraggable } from "../gestures/insert.js";
import { freshName, roomOfNew, sizeOfNew } from "../state/edits.js";
import { CARD, clamp, freeSpot, toScreen, toWorld } from "../state/geometry.js";
import { dimsOf, opRefuses } from "../state/shapes.js";
import { differentiate } from "./differentiate.js";
import { whenRefused } from "./notice.js";
import { closePopover, keepInside, whenClosed } from "./popover.js";

// The search. Pure.

/** @typedef {import("../../types.js").PaletteGroup} PaletteGroup */
/** @typedef {import("../../types.js").PaletteOp} PaletteOp */

/** Groups with the ops that match, best first, ops of equal rank in the palette's order; for an empty text, the
 * whole palette.
 * @param {PaletteGroup[]} palette @param {string} text @returns {PaletteGroup[]} */
export function search(palette, text) {
  const typed = text.trim().toLowerCase();
  const joined = close(typed);
  if (!typed) return palette;
  const matches = palette
    .flatMap((group) => group.ops)
    .map((op) => ({ op, rank: rankOf(op, joined, typed) }))
    .filter(({ rank }) => rank < Infinity)
    .sort((a, b) => a.rank - b.rank);
  return matches.length
    ? [{ group: "Best match first", ops: matches.map(({ op }) => op) }]
    : likely(palette, joined);
}

/** Groups with the ops that may be meant by a mistyped name, the likeliest first. @param {PaletteGroup[]} palette @param {string} joined @returns {PaletteGroup[]} */
function likely(palette, joined) {
  const near = palette
    .flatMap((group) => group.ops)
    .flatMap((op) => {
      const names = [op.op, ...(op.aliases ?? [])].map(close);
      const counts = names
        .filter((name) => isMistyped(joined, name))
        .map((name) => mistakesIn(joined, name));
      return counts.length ? [{ op, count: Math.min(...counts) }] : [];
    })
    .sort((a, b) => a.count - b.count);
  return near.length ? [{ group: "Nearest to what you typed", ops: near.map(({ op }) => op) }] : [];
}

/** Whether a text is to be read as an expression of the language and not as the name of an op: "x*y", "sin(x)",
 * "2.5". A hyphen inside a word belongs to a name: "max-pool".
 * @param {string} text */
export function isExpression(text) {
  const typed = text.trim().replace(/(?<=[a-z]\w+)-(?=[a-z]\w+$)/gi, "_");
  return /[\w)\]]\s*[-+*/@<>=^]|[\w)]\s*[([]|^-?\s*[\d.]|^-\s*\w/.test(typed);
}

/** The palette with only the wanted ops; a group without any is left out.
 * @param {PaletteGroup[]} palette @param {(op: PaletteOp) => boolean} wanted @returns {PaletteGroup[]} */
export const filterPalette = (palette, wanted) =>
  palette
    .map(({ group, ops }) => ({ group, ops: ops.filter(wanted) }))
    .filter(({ ops }) => ops.length);

/** The text without separators between words: "max pool" finds max_pool. @param {string} text */
const close = (text) => text.replace(/(?<=\w)[\s_-]+(?=\w)/g, "");

/** Rank of a match, lower is better: the name itself, another name or the symbol, the beginning of the name, the
 * beginning of another name, inside the name, a word of the description.
 * @param {PaletteOp} entry @param {string} joined @param {string} typed the same, with spaces */
function rankOf({ op, symbol, doc, aliases = [] }, joined, typed) {
  const name = close(op);
  if (name === joined) return 0;
  const others = [symbol.toLowerCase(), ...aliases].map(close);
  if (others.includes(joined)) return 1;
  if (name.startsWith(joined)) return 2;
  if (others.some((other) => other.startsWith(joined))) return 3;
  if (name.includes(joined)) return 4;
  return ` ${doc.toLowerCase()}`.includes(` ${typed}`) ? 5 : Infinity;
}

/** The tile that an arrow key goes to in a grid of rows: the next one, or the nearest one of the next row.
 * @param {string} key @param {number} at @param {{ x: number, y: number }[]} tiles @returns {number} */
export function nextInGrid(key, at, tiles) {
  if (key === "ArrowRight") return Math.min(at + 1, tiles.length - 1);
  if (key === "ArrowLeft") return Math.max(at - 1, 0);
  const [from, way] = [tiles[at], key === "ArrowDown" ? 1 : -1];
  const beyond = tiles.filter(({ y }) => way * (y - from.y) > 1);
  const row = Math.min(...beyond.map(({ y }) => way * y)); // the nearest row
  const best = beyond
    .filter(({ y }) => way * y - row < 1)
    .sort((a, b) => Math.abs(a.x - from.x) - Math.abs(b.x - from.x))[0];
  return best ? tiles.indexOf(best) : at;
}

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Point} Point */
/**
 * @typedef {object} Asked
 * @property {Point} [at] where, in world pixels
 * @property {string | null} [from] the node that the new one reads, by itself the selected one
 * @property {{ to: string, slot: number }} [to] the slot that it feeds
 * @property {() => void} [closed] is called as the palette goes
 * @property {Refused} [refused] an expression that Python refused
 */
/**
 * @typedef {object} Refused
 * @property {string} text
 * @property {string} reason
 * @property {import("../../types.js").Notice} notice
 */

const GRAD = "grad"; // op whose second wire is chosen in a list
const LOW = 480; // px of width; on a narrower canvas the palette is at the foot

/** @param {Editor} editor @param {Asked} [asked] */
export function openPalette(editor, asked = {}) {
  if (!mayEdit(editor, "add")) return;
  closePopover(editor);
  const { at, to, from = to ? null : editor.single } = asked;
  const field = /** @type {HTMLInputElement} */ (
    html("input", {
      type: "text",
      placeholder: "Search ops, or type x * sin(y)",
      "aria-label": "Search ops",
      role: "combobox",
      "aria-expanded": "true",
      "aria-controls": "ops",
      autocomplete: "off",
      spellcheck: "false",
    })
  );
  const list = html("div", { class: "ops", id: "ops", role: "listbox", "aria-label": "Ops" });
  const hint = html("div", { class: "hint" });
  const doc = html("div", { class: "told-op", "aria-hidden": "true" }); // of the marked tile, whose doc has no room
  const root = html("div", { class: "popover palette", tabindex: -1 }, field, list, doc, hint);
  const palette = asked.from
    ? filterPalette(editor.palette, (op) => !opRefuses(op, dimsOf(editor.node(from))))
    : editor.palette;
  let marked = 0;

  const choose = (/** @type {PaletteOp} */ op) => {
    const size = sizeOfNew(op);
    if (op.block) return addBlock(editor, op, from ?? null, at ?? null, to);
    if (op.op === GRAD && from && !to) {
      closePopover(editor);
      if (editor.single !== from) editor.select([from]);
      return differentiate(editor, at && [at[0], at[1] - size.h / 2]);
    }
    const corner = at
      ? /** @type {Point} */ ([to ? at[0] - size.w : at[0], at[1] - size.h / 2])
      : editor.seen.nodes.length
        ? besides(editor, from)
        : null; // the first node goes with the layout, as those of the formula that follows will
    add(editor, op, corner, op.slots.length ? from : null, to);
  };
  const put =
    (/** @type {PaletteOp} */ op) =>
    (/** @type {Point} */ corner, /** @type {import("../../types.js").Wire | null} */ wire) =>
      op.block
        ? addBlock(editor, op, wire?.from ?? from ?? null, corner, wire ?? to)
        : wire
          ? add(editor, op, corner, wire.from, wire)
          : add(editor, op, corner, op.slots.length ? asked.from : null, to);
  const mark = (/** @type {number} */ index) => {
    const options = [...list.querySelectorAll("[role=option]")];
    marked = clamp(index, 0, Math.max(options.length - 1, 0));
    options.forEach((option, i) => option.setAttribute("aria-selected", String(i === marked)));
    options[marked]?.scrollIntoView({ block: "nearest" });
    const tile = list.classList.contains("grid") && options[marked];
    doc.hidden = !tile;
    if (tile)
      doc.replaceChildren(
        html("code", {}, tile.querySelector("code")?.textContent ?? ""),
        " ",
        tile.querySelector("small")?.textContent ?? "",
      );
    field.setAttribute("aria-activedescendant", options[marked]?.id ?? "");
  };
  const fill = () => {
    const typed = field.value.trim();
    list.classList.toggle("grid", !typed); // all ops by group; what is found is a list with their docs
    list.replaceChildren(
      ...search(palette, typed).map(({ group, ops }) =>
        html(
          "div",
          { role: "group", "aria-label": group },
          html("div", { class: "group", "aria-hidden": "true" }, group),
          ...ops.map((op) => option(editor, op, () => choose(op), put(op))),
        ),
      ),
    );
    if (isExpression(typed)) list.prepend(expression(typed, () => write(editor, typed, asked)));
    const isNone = !list.children.length;
    if (isNone) list.append(html("div", { class: "none" }, noneOf(editor, typed, from)));
    hint.textContent = isNone
      ? ""
      : isExpression(typed)
        ? "Enter adds it as nodes"
        : hintOf(from, to);
    mark(0);
  };
  const error = html("div", { class: "none", role: "alert" });
  if (asked.refused) list.before(error);
  field.addEventListener("input", () => (error.remove(), fill()));
  root.addEventListener("keydown", (event) => {
    if (
      /^Arrow(Up|Down)$/.test(event.key) ||
      (/^Arrow(Left|Right)$/.test(event.key) && !field.value)
    ) {
      mark(
        nextInGrid(
          event.key,
          marked,
          [...list.querySelectorAll("[role=option]")].map((tile) => tile.getBoundingClientRect()),
        ),
      );
    } else if (event.key === "Enter")
      /** @type {HTMLElement} */ (list.querySelectorAll("[role=option]")[marked])?.click();
    else if (event.key === "Escape") closePopover(editor);
    else {
      if (event.key.length === 1) field.focus(); // typed characters go to the search field, wherever the focus is
      return event.stopPropagation(); // no key reaches the canvas
    }
    event.preventDefault();
    event.stopPropagation();
  });
  if (asked.closed) whenClosed(root, asked.closed);
  editor.stage.host.append(root);
  field.value = asked.refused?.text ?? "";
  error.textContent = asked.refused?.reason ?? "";
  fill();
  place(editor, root, at);
  const byFinger = matchMedia("(pointer: coarse)").matches; // the on-screen keyboard would hide the canvas
  (byFinger ? root : field).focus({ preventScroll: true });
  const { column, end_column: end } = asked.refused?.notice ?? {};
  if (typeof column === "number") field.setSelectionRange(column, end ?? column); // the place of the mistake
}

/** Send an expression; one that is refused is opened again, with the reason and its place marked.
 * @param {Editor} editor @param {string} text @param {Asked} asked */
function write(editor, text, asked) {
  const { at, to } = asked;
  closePopover(editor);
  editor.wire = null;
  editor.send({
    kind: "write",
    text,
    at: at ?? null,
    feeds: to ? { to: to.to, slot: to.slot } : null,
  });
  whenRefused(editor, (reason, notice) =>
    openPalette(editor, { ...asked, refused: { text, reason, notice } }),
  );
  editor.stage.surface.focus({ preventScroll: true });
}

/** The option that adds what is typed. @param {string} text @param {() => void} choose */
function expression(text, choose) {
  const row = html(
    "div",
    { class: "op", role: "option", id: "op-expression" },
    html("span", { class: "mark" }, "="),
    html(
      "span",
      { class: "what" },
      html("b", {}, `Add ${text}`),
      html("small", {}, "Names of nodes in it are wires from them"),
    ),
  );
  row.addEventListener("click", choose);
  return row;
}

/** @param {Editor} editor @param {PaletteOp} op @param {Point | null} corner where its card is to stand; null leaves it to the layout
 * @param {string | null | undefined} from @param {{ to: string, slot: number } | undefined} feeds */
function add(editor, op, corner, from, feeds) {
  const position = corner && freeSpot(editor.seen.nodes, corner, roomOfNew(op, editor.node(from)));
  const name = freshName(editor.shown, op.op);
  closePopover(editor);
  editor.selection = new Set([name]); // as Python will select it
  editor.wire = null;
  editor.send({
    kind: "add",
    op: op.op,
    position,
    wire: from ? { from, slot: 0 } : null,
    feeds: feeds ? { to: feeds.to, slot: feeds.slot } : null,
  });
  editor.stage.surface.focus({ preventScroll: true });
}

/** Add a group of layers with its parameters, whose shapes Python knows.
 * @param {Editor} editor @param {PaletteOp} op @param {string | null} from @param {Point | null} at
 * @param {{ to: string, slot: number } | undefined} feeds */
function addBlock(editor, op, from, at, feeds) {
  closePopover(editor);
  editor.wire = null;
  editor.send({
    kind: "block",
    block: op.op,
    from,
    at,
    feeds: feeds ? { to: feeds.to, slot: feeds.slot } : null,
  });
  editor.stage.surface.focus({ preventScroll: true });
}

/** @param {string | null} from @param {{ to: string, slot: number } | undefined} to */
const hintOf = (from, to) =>
  from
    ? `It will read ${from} · drag one onto the canvas or onto a wire`
    : to
      ? `It will feed ${to.to}`
      : "Enter adds the marked op · drag one onto the canvas or onto a wire";

/** @param {Editor} editor @param {string} typed @param {string | null} from */
function noneOf(editor, typed, from) {
  const known = typed && search(editor.palette, typed)[0]?.ops[0];
  return known ? opRefuses(known, dimsOf(editor.node(from))) : `No op called “${typed}”`;
}

/** @param {Editor} editor @param {PaletteOp} op @param {() => void} choose
 * @param {Parameters<typeof makeDraggable>[3]} put */
function option(editor, op, choose, put) {
  const row = html(
    "div",
    { class: "op", role: "option", id: `op-${op.op}`, "data-op": op.op, title: op.doc },
    html("span", { class: "mark" }, op.symbol),
    html(
      "span",
      { class: "what" },
      html(
        "span",
        { class: "name-line" },
        html("b", {}, op.op),
        html("code", {}, op.formula ?? ""),
      ),
      html("small", {}, op.doc),
    ),
  );
  makeDraggable(editor, row, op, put);
  row.addEventListener("click", choose);
  return row;
}

const MARGIN = 40; // px left of the first node of an empty canvas: graphs grow to the right

/** The place right of the node that will feed the new one, else the middle of the view; of an empty canvas at its left.
 * @param {Editor} editor @param {string | null} from @returns {Point} */
function besides(editor, from) {
  const node = editor.node(from);
  if (node) return [node.x + node.w + 72, node.y];
  const [x, y] = centre(editor.stage);
  const left = editor.seen.nodes.length
    ? x - CARD.w / 2
    : toWorld(editor.stage.view, [MARGIN, 0])[0];
  return [left, y - CARD.h / 2];
}

/** Place the palette beside the point of the request, or below the Add button; on a narrow screen at the foot.
 * @param {Editor} editor @param {HTMLElement} root @param {Point | undefined} at */
function place({ stage }, root, at) {
  const size = sizeOf(stage);
  root.classList.toggle("low", size.w < LOW);
  if (size.w < LOW) return;
  keepInside(stage.host, root, at ? toScreen(stage.view, at) : [0, 0]);
}

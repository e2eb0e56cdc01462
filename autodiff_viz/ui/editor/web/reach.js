// @ts-check
// The canvas without a mouse, beyond the keys of the actions: select by walking, step along the wires, take a
// wire in hand.

import { seenAs } from "./fold.js";
import { neighbour } from "./geometry.js";
import { dropWire, takeWire, wireKey } from "./keywire.js";
import { spokenWire, wiresAt } from "./reading.js";
import { revealing, say } from "./stage.js";
import { wireId } from "./wires.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./types.js").Wire} Wire */

/** @type {Record<string, Point>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Take a key that means something here. @param {Editor} editor @param {KeyboardEvent} event @returns {boolean} */
export function reachKey(editor, event) {
  if (wireKey(editor, event)) return true;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const target = /** @type {Element} */ (event.target);
  const [id, wire] = ["data-id", "data-wire"].map((name) => target.getAttribute(name));
  const region = target.closest(".tab")?.closest("[data-region]")?.getAttribute("data-region");
  if (event.shiftKey && ARROWS[event.key]) return extend(editor, id, ARROWS[event.key]);
  if (event.key === "w") return done(takeWire(editor, id));
  if (event.key === "," || event.key === ".") return stepAlong(editor, id, wire, event.key === "." ? 1 : -1);
  if (event.key === "i") return done(showDetails());
  if (wire && ARROWS[event.key]) return toEnd(editor, wire, ARROWS[event.key]);
  if (region && ["Delete", "Backspace"].includes(event.key)) return done(editor.send(editor.shown.groups.some(({ name }) => name === region) ? { kind: "ungroup", group: region } : { kind: "uncheckpoint", region }));
  return false;
}

/** @param {unknown} _ what a key has done @returns {true} */
const done = (_) => true;

/** Walk on and take the next node into the selection.
 * @param {Editor} editor @param {string | null} focused @param {Point} direction */
function extend(editor, focused, direction) {
  const here = editor.node(focused ?? seenAs(editor.seen, [...editor.selection].at(-1) ?? ""));
  const next = here && neighbour(editor.seen.nodes, here, direction);
  if (!here || !next) return true;
  editor.select([...editor.selection, here.id, next.id]);
  focusNode(editor, next.id);
  say(editor.stage, `${editor.selection.size} nodes selected`);
  return true;
}

/** @param {Editor} editor @param {string} id */
export function focusNode(editor, id) {
  const node = editor.node(id);
  if (!node) return;
  editor.stage.host.classList.add("by-keys");
  const view = revealing(editor.stage, node);
  if (view) editor.look(view);
  editor.stage.cards.get(id)?.root.focus({ preventScroll: true });
}

/** The wire before or after this one, at the node from which the wires were entered.
 * @param {Editor} editor @param {string | null} id @param {string | null} wire @param {1 | -1} step */
function stepAlong(editor, id, wire, step) {
  const at = seenAs(editor.seen, id ?? bases.get(editor) ?? editor.single ?? "");
  if (!at) return done(say(editor.stage, "Go to a node first: the keys , and . step through its wires."));
  bases.set(editor, at);
  const wires = wiresAt(editor.seen.wires, at);
  if (!wires.length) return done(say(editor.stage, `${at} has no wires.`));
  const now = wires.findIndex((other) => wireId(other) === wire);
  const next = now < 0 ? (step > 0 ? 0 : wires.length - 1) : (now + step + wires.length) % wires.length;
  return focusWire(editor, wires[next]);
}

/** Nodes from which the keyboard has gone on to a wire. @type {WeakMap<Editor, string>} */
const bases = new WeakMap();

/** @param {Editor} editor @param {Wire} wire */
function focusWire(editor, wire) {
  const { root } = editor.stage.strands.get(wireId(wire)) ?? {};
  if (!root) return true;
  editor.select([]);
  editor.wire = wireId(wire);
  const label = `${spokenWire(wire, editor.node(wire.to))}. Delete removes it, left and right go to its ends.`;
  for (const [name, value] of Object.entries({ tabindex: "-1", role: "button", "aria-label": label })) root.setAttribute(name, value);
  editor.stage.host.classList.add("by-keys");
  editor.refresh();
  root.focus({ preventScroll: true });
  return true;
}

/** @param {Editor} editor @param {string} id @param {Point} direction */
function toEnd(editor, id, [dx, dy]) {
  const wire = editor.stage.strands.get(id)?.wire;
  if (!wire) return true;
  const end = dx + dy < 0 ? wire.from : wire.to;
  editor.select([end]);
  focusNode(editor, end);
  return true;
}

/** A wire in hand is let go by a click, or when the focus leaves.
 * @param {Editor} editor */
export function listenToReach(editor) {
  const { host } = editor.stage;
  host.addEventListener("pointerdown", () => dropWire(editor));
  host.addEventListener("focusout", (event) => host.contains(/** @type {Node | null} */ (event.relatedTarget)) || dropWire(editor));
}

/** Go to what is said about the selected node beside the canvas; on a phone, below it. */
export function showDetails() {
  const panel = /** @type {HTMLElement | null} */ (document.querySelector(".st-key-inspector"));
  if (!panel) return;
  panel.setAttribute("tabindex", "-1");
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  panel.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "start" });
  panel.focus({ preventScroll: true });
}

// @ts-check
// Open popovers over the canvas, one at a time: closed by Escape, kept inside the canvas, with the keys of a
// menu.

import { html } from "../../base/dom.js";
import { listen } from "../../base/events.js";
import { clamp, overlap, toScreen } from "../state/geometry.js";

// The spot that covers as little as possible: above all not what the popover is about, and other cards only
// where there is no room elsewhere nearby. Pure.

/** @typedef {import("../../types.js").Box} Box */
/** @typedef {import("../../types.js").Point} Point */

const STEP = 12; // px between the spots that are tried
const AT_EDGE = 8; // px to the side of the canvas
const GAP = 10; // px around cards, in which their names and numbers of wires stand
const OWN = 40; // how much worse it is to cover what the popover is about than another card
const FAR = 12; // px² of a card that may be covered to be a px nearer

/** Px² that two boxes share. @param {Box} a @param {Box} b */
const shared = (a, b) =>
  Math.max(0, Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));

/** @param {Box} box @returns {Box} */
const around = ({ x, y, w, h }) => ({ x: x - GAP, y: y - GAP, w: w + 2 * GAP, h: h + 2 * GAP });

/** The top-left corner, in px of the canvas.
 * @param {{ w: number, h: number }} size of the popover @param {{ w: number, h: number }} canvas @param {Point} at where it would be without any card
 * @param {Box[]} own what it is about @param {Box[]} others @returns {Point} */
export function clearSpot({ w, h }, canvas, [x, y], own, others) {
  const [right, bottom] = [
    Math.max(canvas.w - w - AT_EDGE, AT_EDGE),
    Math.max(canvas.h - h - AT_EDGE, AT_EDGE),
  ];
  const [wanted, kept, beside] = [
    { x: Math.min(Math.max(x, AT_EDGE), right), y: Math.min(Math.max(y, AT_EDGE), bottom) },
    own.map(around),
    others.map(around),
  ];
  const cost = (/** @type {number} */ left, /** @type {number} */ top) => {
    const box = { x: left, y: top, w, h };
    const sum = (/** @type {Box[]} */ boxes) =>
      boxes.reduce((all, other) => all + shared(box, other), 0);
    return OWN * sum(kept) + sum(beside) + FAR * Math.hypot(left - wanted.x, top - wanted.y);
  };
  let best = { left: wanted.x, top: wanted.y, cost: cost(wanted.x, wanted.y) };
  for (const left of spots(right))
    for (const top of spots(bottom)) {
      const price = cost(left, top);
      if (price < best.cost) best = { left, top, cost: price };
    }
  return [best.left, best.top];
}

/** @param {number} last px @returns {number[]} */
const spots = (last) =>
  [...Array(Math.floor((last - AT_EDGE) / STEP) + 1).keys()]
    .map((i) => AT_EDGE + i * STEP)
    .concat(last);

/** @typedef {import("../editor.js").Editor} Editor */

const EDGE = 8; // px to the side of the canvas

/** Callbacks for when a popover is closed. @type {WeakMap<Element, () => void>} */
const leaving = new WeakMap();

/** @param {Element} root @param {() => void} closed */
export const whenClosed = (root, closed) => void leaving.set(root, closed);

/** @param {Editor} editor @returns {boolean} whether one was open */
export function closePopover({ stage }) {
  const open = stage.host.querySelector(".popover");
  if (open?.contains(/** @type {ShadowRoot} */ (stage.host.getRootNode()).activeElement))
    stage.surface.focus();
  open?.remove();
  if (open) leaving.get(open)?.();
  return Boolean(open);
}

/** Put a popover at a point of the screen, or as near to that point as the canvas has room.
 * @param {HTMLElement} host @param {HTMLElement} root @param {Point} at px @param {number} [foot] px to the canvas's own */
export function keepInside({ clientWidth: w, clientHeight: h }, root, [x, y], foot = EDGE) {
  root.style.left = `${clamp(x, EDGE, Math.max(w - root.offsetWidth - EDGE, EDGE))}px`;
  root.style.top = `${clamp(y, EDGE, Math.max(h - root.offsetHeight - foot, EDGE))}px`;
}

/** Open the settings of a part of the drawing. The popover follows that part, is filled again if the part, or
 * a number in it, has changed, and is closed when the part is removed.
 * @template T @param {Editor} editor @param {{
 *   label: string, kind?: string, find: () => T | undefined, look: (part: T) => unknown, fill: (part: T) => (Node | string)[],
 *   place?: (part: T) => Point | undefined, own?: (part: T) => Box[], first: string, shown?: (part: T) => void, closed?: () => void,
 * }} about  `place` and `own`, what is never covered, in world px; without a place it stands beside the graph; `first` is
 * the selector of what gets the focus */
export function openPopover(
  editor,
  { label, kind = "", find, look, fill, place, own = () => [], first, shown, closed },
) {
  closePopover(editor);
  const { host } = editor.stage;
  const root = html("div", {
    class: `popover region-pop ${kind}`.trim(),
    role: "dialog",
    "aria-label": label,
  });
  root.addEventListener("keydown", (event) => {
    event.stopPropagation(); // keys must not reach the canvas
    if (event.key === "Escape") (closePopover(editor), editor.refresh());
  });
  let [seen, stood] = ["", ""];
  const watch = () => {
    const part = root.isConnected ? find() : undefined;
    if (!part) {
      root.remove();
      editor.watchers = editor.watchers.filter((other) => other !== watch);
      return closed?.();
    }
    const next = JSON.stringify(look(part));
    if (next !== seen) refill(root, fill(part));
    seen = next;
    const at = place?.(part);
    const stands = JSON.stringify([
      at,
      editor.stage.view,
      host.clientWidth,
      host.clientHeight,
      root.offsetHeight,
    ]);
    if (!place) standBeside(host, root);
    else if (at && stands !== stood) standClear(editor, root, at, own(part)); // not at each number of a dragged slider
    stood = stands;
    shown?.(part);
  };
  host.append(root);
  if (!place) {
    root.popover = "manual"; // in the top layer it may stand outside the canvas
    root.showPopover();
    const resized = () =>
      root.isConnected ? standBeside(host, root) : removeEventListener("resize", resized);
    addEventListener("resize", resized);
  }
  editor.watchers = [...editor.watchers, watch];
  listen("numbers", watch, () => !root.isConnected); // of a dragged slider's position
  listen("play", watch, () => !root.isConnected); // of a step
  watch();
  /** @type {HTMLElement | null} */ (root.querySelector(first))?.focus();
}

const BESIDE = 300; // px of room to the right of the canvas in which a popover stands
const BELOW = 320; // px below it, the least on a phone

/** Put a popover in the top layer where it covers nothing of the graph: over the panels to the right of the canvas, or below it.
 * @param {HTMLElement} host @param {HTMLElement} root */
function standBeside(host, root) {
  const { right, top, bottom } = host.getBoundingClientRect();
  const isBeside = innerWidth - right >= BESIDE;
  const y = isBeside ? top : Math.min(bottom + EDGE, innerHeight - BELOW);
  Object.assign(root.style, {
    left: `${isBeside ? right + EDGE : EDGE}px`,
    top: `${Math.max(y, EDGE)}px`,
    width: `${Math.min(isBeside ? innerWidth - right - 2 * EDGE : innerWidth - 2 * EDGE, WIDEST)}px`,
    maxHeight: `${innerHeight - Math.max(y, EDGE) - EDGE}px`,
  });
}

const WIDEST = 460; // px

/** Put what is said near a point where it covers neither `own` nor, if there is room, a card or the legend.
 * @param {Editor} editor @param {HTMLElement} root @param {Point} at world px @param {Box[]} own world px */
export function standClear({ stage: { host, view }, seen }, root, at, own) {
  const canvas = { x: 0, y: 0, w: host.clientWidth, h: host.clientHeight };
  const boxOf = (/** @type {Box} */ { x, y, w, h }) => {
    const [left, top] = toScreen(view, [x, y]);
    return { x: left, y: top, w: w * view.k, h: h * view.k };
  };
  const onScreen = (/** @type {Box[]} */ boxes) =>
    boxes.map(boxOf).filter((box) => overlap(box, canvas));
  keepInside(
    host,
    root,
    clearSpot(
      { w: root.offsetWidth, h: root.offsetHeight },
      canvas,
      toScreen(view, at),
      onScreen(own),
      [...onScreen(seen.nodes), ...legendsOn(host)],
    ),
  );
}

/** Where legends are on the canvas. @param {HTMLElement} host @returns {Box[]} */
function legendsOn(host) {
  const { x: left, y: top } = host.getBoundingClientRect();
  return [...host.querySelectorAll(".flow-key")].map((one) => {
    const { x, y, width: w, height: h } = one.getBoundingClientRect();
    return { x: x - left, y: y - top, w, h };
  });
}

/** Replace the content; what had the focus in it, by its `data-field`, gets it again.
 * @param {HTMLElement} root @param {(Node | string)[]} content */
export function refill(root, content) {
  const had = /** @type {ShadowRoot} */ (root.getRootNode()).activeElement;
  const field = root.contains(had) && had?.getAttribute("data-field");
  root.replaceChildren(...content);
  const again = field && root.querySelector(`[data-field="${CSS.escape(field)}"]`);
  if (again) /** @type {HTMLElement} */ (again).focus({ preventScroll: true });
}

/** Keys of a menu: arrows, Home and End move through its buttons; Escape and Tab close it.
 * @param {Editor} editor @param {HTMLElement} root @param {KeyboardEvent} event */
export function walkMenu(editor, root, event) {
  event.stopPropagation(); // keys must not reach the canvas
  const buttons = /** @type {HTMLElement[]} */ ([...root.querySelectorAll("button")]);
  const at = buttons.findIndex((button) => button.matches(":focus"));
  const to = {
    ArrowDown: at + 1,
    ArrowRight: at + 1,
    ArrowUp: at - 1,
    ArrowLeft: at - 1,
    Home: 0,
    End: -1,
  }[event.key];
  if (event.key === "Escape" || event.key === "Tab") closePopover(editor);
  else if (to === undefined) return;
  else buttons.at(to % buttons.length)?.focus();
  event.preventDefault();
}

// @ts-check
// Highlight nodes and wires: what fits a wire in hand, what the formula or the search means, what a node depends
// on; and mark the canvas while its graph is older than the formula's text, or its numbers are late.

import { html } from "../../base/dom.js";
import { nodesOf, visibleCard, wiresOf } from "../state/fold.js";
import { lineage } from "../state/reachability.js";
import { wireId } from "./wires.js";

// While a wire is drawn: ports that fit, and the wires of a loop.

/** @typedef {import("./stage.js").Stage} Stage */
/** @typedef {import("../../types.js").Wire} Wire */
/**
 * @typedef {object} Port
 * @property {import("../../types.js").GraphNode} node
 * @property {number} slot
 * @property {string} against
 */

/** Selector of a port. A negative slot is an output: a collapsed group may have several.
 * @param {import("../../types.js").GraphNode} node @param {number} slot */
const markOf = ({ group }, slot) =>
  slot >= 0 ? `.slot[data-slot="${slot}"]` : group ? `.out[data-slot="${-1 - slot}"]` : ".out";

/** Highlight the ports that fit and fade the others, with cards that have no fitting port; a card that is drawn again meanwhile
 * has new ports, which are highlighted too. Returns a function that undoes this.
 * @param {Stage} stage @param {Port[]} ports @param {boolean} forward whether slots are sought, or outputs */
export function markPorts(stage, ports, forward) {
  const welcome = new Set(ports.filter(({ against }) => !against).map(({ node }) => node.id));
  const marksOf = (/** @type {Port} */ { node, slot }) =>
    stage.cards.get(node.id)?.root.querySelector(markOf(node, slot))?.classList;
  stage.markPorts = () => {
    for (const port of ports) marksOf(port)?.add(port.against ? "unfit" : "fit");
    for (const [id, { root }] of stage.cards) root.classList.toggle("refused", !welcome.has(id));
  };
  stage.markPorts();
  stage.host.classList.add("wiring", forward ? "seeks-slot" : "seeks-output");
  return () => {
    stage.markPorts = () => {};
    stage.host.classList.remove("wiring", "seeks-slot", "seeks-output");
    for (const port of ports) marksOf(port)?.remove("fit", "unfit");
    for (const { root } of stage.cards.values()) root.classList.remove("refused");
  };
}

/** Highlight the wires of a refused loop and the nodes at their ends; none ends the highlight.
 * @param {Stage} stage @param {Wire[]} loop */
export function lightLoop({ cards, strands, host }, loop) {
  host.classList.toggle("looping", loop.length > 0);
  const wires = new Set(loop.map(({ to, slot }) => `${to}:${slot}`));
  const nodes = new Set(loop.flatMap(({ from, to }) => [from, to]));
  for (const { root, wire } of strands.values())
    root.classList.toggle(
      "looped",
      wiresOf(wire).some(({ to, slot }) => wires.has(`${to}:${slot}`)),
    );
  for (const { root, node } of cards.values())
    root.classList.toggle(
      "looped",
      nodesOf(node).some((name) => nodes.has(name)),
    );
}

// A graph older than the formula's text, which cannot be read.

const STALE = "From the last good formula";

/** Dim the canvas, and say why; or take both away.
 * @param {HTMLElement} host @param {boolean} on */
export function markStale(host, on) {
  if (host.classList.contains("stale") === on) return;
  host.classList.toggle("stale", on);
  if (on) host.append(html("div", { class: "stale-line", role: "status" }, STALE));
  else host.querySelector(".stale-line")?.remove();
}

// Ancestors and descendants of the node under the focus, or under a pointer that has moved there: one that a
// click has left on a node highlights nothing until it moves again.

/** @typedef {import("../editor.js").Editor} Editor */

const REST_MS = 300; // the pointer passes over many nodes on its way
const STILL = 4; // px by which a pointer may move after a press and count as left there

/** @param {Editor} editor */
export function traceLineage(editor) {
  const { surface, host } = editor.stage;
  let timer = 0;
  /** @type {string | null} */
  let over = null;
  /** Where a press or a key has left the pointer. @type {{ x: number, y: number } | null} */
  let left = null;
  let at = { x: NaN, y: NaN }; // the browser repeats events of a pointer that rests while the page changes
  const rest = (/** @type {string | null} */ id, /** @type {number} */ wait) => {
    if (id === over) return;
    over = id;
    clearTimeout(timer);
    if (id === null) light(editor, null);
    else timer = window.setTimeout(() => light(editor, over), wait);
  };
  const idOf = (/** @type {Event} */ event) =>
    /** @type {Element} */ (event.target).closest?.("[data-id]")?.getAttribute("data-id") ?? null;
  const stay = () => {
    left = at;
    rest(null, 0);
  };
  surface.addEventListener("pointermove", (event) => {
    const { clientX: x, clientY: y } = event;
    if (x === at.x && y === at.y) return;
    at = { x, y };
    if (left && Math.hypot(x - left.x, y - left.y) <= STILL) return;
    left = null;
    if (event.pointerType !== "touch" && !event.buttons) rest(idOf(event), REST_MS);
  });
  surface.addEventListener("pointerleave", () => rest(null, 0));
  surface.addEventListener("pointerdown", ({ clientX: x, clientY: y }) => {
    at = { x, y };
    stay(); // a gesture begins
  });
  host.addEventListener("keydown", stay, true); // elements that a key opens must not appear faded
  surface.addEventListener(
    "focusin",
    (event) => host.classList.contains("by-keys") && rest(idOf(event), REST_MS),
  );
  surface.addEventListener("focusout", () => rest(null, 0));
}

/** @param {Editor} editor @param {string | null} id */
function light({ stage, shown, dragged }, id) {
  const related =
    id === null || dragged || !stage.cards.has(id)
      ? null
      : lineage(shown.wires, nodesOf(stage.cards.get(id)?.node));
  stage.host.classList.toggle("tracing", related !== null);
  if (!related) return; // highlights may stay, since they are visible only while tracing
  for (const { root, node } of stage.cards.values())
    root.classList.toggle(
      "lit",
      nodesOf(node).some((name) => related.nodes.has(name)),
    );
  for (const { root, number, wire } of stage.strands.values()) {
    const lit = wiresOf(wire).some((one) => related.wires.has(wireId(one)));
    for (const part of [root, number]) part.classList.toggle("lit", lit);
  }
}

// A line while an edit's numbers take long, with the usual reason: a first gradient of a deep net can take
// seconds to compile.

const AFTER = 1000; // ms; most answers come in a tenth of that, and a line that flashes does not help

export const WAITING = "Waiting for JAX: it compiles new ops and gradients once";

export class WaitingLine {
  /** @param {{ append: (line: HTMLElement) => void }} host @param {() => HTMLElement} make */
  constructor(
    host,
    make = () => html("div", { class: "stale-line waits", role: "status" }, WAITING),
  ) {
    this.host = host;
    this.make = make;
    /** While something is awaited. @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {HTMLElement | undefined} */
    this.line = undefined;
  }

  /** @param {boolean} on whether something is awaited */
  tell(on) {
    if (on === Boolean(this.timer)) return;
    clearTimeout(this.timer);
    this.line?.remove();
    this.timer = on ? setTimeout(() => this.show(), AFTER) : undefined;
  }

  show() {
    this.host.append((this.line = this.make()));
  }
}

export class PointedNodes {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    /** @type {Set<string>} */
    this.names = new Set();
    /** What has the classes. @type {Element[]} */
    this.marked = [];
    this.seen = editor.seen;
    editor.watchers.push(() => this.names.size && this.seen !== editor.seen && this.mark());
  }

  /** @param {Iterable<string>} names of nodes; those in a collapsed group are its card */
  show(names) {
    const wanted = new Set(names);
    if (wanted.size === this.names.size && [...wanted].every((name) => this.names.has(name)))
      return;
    this.names = wanted;
    this.mark();
  }

  mark() {
    const { stage, seen } = this.editor;
    for (const element of this.marked) element.classList.remove("pointed", "to-pointed");
    this.marked = [];
    this.seen = seen;
    const ids = new Set([...this.names].map((name) => visibleCard(seen, name)));
    for (const id of ids) this.give(stage.cards.get(id)?.root, "pointed");
    if (ids.size)
      for (const { root, wire } of stage.strands.values())
        if (wiresOf(wire).some(({ to }) => this.names.has(to))) this.give(root, "to-pointed");
  }

  /** @param {Element | undefined} element @param {string} name */
  give(element, name) {
    element?.classList.add(name);
    if (element) this.marked.push(element);
  }
}

// @ts-check
// Tables for the sliders, in an element of their own that shows nothing: asked for by the canvas, handed to
// it as they come. A question that is lost is asked again by the canvas.

import { hear, tell } from "../../web/news.js";

/** @typedef {(message: { key: string, edits: object[] }) => void} Post */

/** Questions on their way. */
class Desk {
  constructor() {
    this.key = "";
    this.last = 0;
    /** @type {Post} */
    this.post = () => {};
    /** Keys by input, not answered yet. @type {Map<string, string>} */
    this.waiting = new Map();
  }

  /** @param {{ key: string, ack: number }} word @param {Post} post */
  receive({ key, ack }, post) {
    this.post = post;
    if (key !== this.key) Object.assign(this, { key, last: ack });
    if (ack >= this.last) this.waiting.clear();
    this.last = Math.max(this.last, ack);
  }

  /** Only the last of several quick messages arrives, so each asks for all. @param {[string, string][]} inputs */
  ask(inputs) {
    for (const [input, key] of inputs) this.waiting.set(input, key);
    this.last += 1;
    this.post({ key: this.key, edits: [{ seq: this.last, kind: "want", inputs: [...this.waiting] }] });
  }
}

/** @type {WeakMap<Node, Desk>} */
const desks = new WeakMap();

/** @param {ParentNode & Node} parent */
function open(parent) {
  const desk = new Desk();
  desks.set(parent, desk);
  const ask = (/** @type {{ inputs: [string, string][], taken: boolean }} */ about) => {
    about.taken = true;
    desk.ask(about.inputs);
  };
  hear("want", ask, () => !parent.isConnected);
  return desk;
}

/** @param {{ data: any, parentElement: ParentNode & Node, setTriggerValue: (name: string, value: any) => void }} component */
export default function sweeps({ data, parentElement, setTriggerValue }) {
  const known = desks.get(parentElement);
  (known ?? open(parentElement)).receive(data, (message) => setTriggerValue("outbox", message));
  for (const table of data.tables) tell("sweep", table);
  if (!known) tell("sweeps-ready", {});
  return () => {};
}

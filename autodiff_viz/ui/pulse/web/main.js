// @ts-check
// Asks Python, after a while, to draw again what this stands in. Nothing is sent while Python wants none of it.

const NAME = "look";
const PATIENCE_MS = 3000; // until a question that was lost, or that a busy server has not answered, is asked again

/** @type {WeakMap<Node, number>} timers */
const timers = new WeakMap();

const isConnected = () =>
  (document.querySelector("[data-test-connection-state]")?.getAttribute("data-test-connection-state") ?? "CONNECTED") === "CONNECTED";

/** Called with every answer of Python's, which is told apart by its number.
 * @param {{ data: { after: number | null, number: number }, parentElement: ParentNode & Node,
 *   setTriggerValue: (name: string, value: any) => void }} component */
export default function pulse({ data, parentElement, setTriggerValue }) {
  clearTimeout(timers.get(parentElement));
  const ask = () => {
    if (!parentElement.isConnected) return;
    if (isConnected()) setTriggerValue(NAME, data.number);
    timers.set(parentElement, window.setTimeout(ask, PATIENCE_MS));
  };
  if (data.after !== null) timers.set(parentElement, window.setTimeout(ask, data.after));
  return () => {};
}

// @ts-check
// Asks Python, after a while, to draw again what this stands in. Nothing is sent while Python wants none of it.

const NAME = "look";
const PATIENCE_MS = 3000; // until a question that was lost, or that a busy server has not answered, is asked again

const AFTER_A_CLICK_MS = 15_000; // unless its answer comes sooner

/** @type {WeakMap<Node, number>} timers */
const timers = new WeakMap();

let clicked = -Infinity; // when anything was, since Python's last answer
document.addEventListener("click", () => (clicked = performance.now()), true);

/** Whether the visitor may be on the way to another page. Until the server has answered the address is the old one, and
 * Streamlit would take what is sent meanwhile for the wish to stay. */
const mayBeLeaving = () => performance.now() - clicked < AFTER_A_CLICK_MS;

const isConnected = () =>
  (document.querySelector("[data-test-connection-state]")?.getAttribute("data-test-connection-state") ?? "CONNECTED") === "CONNECTED";

/** Called with every answer of Python's, which is told apart by its number.
 * @param {{ data: { after: number | null, number: number }, parentElement: ParentNode & Node,
 *   setTriggerValue: (name: string, value: any) => void }} component */
export default function pulse({ data, parentElement, setTriggerValue }) {
  clearTimeout(timers.get(parentElement));
  clicked = -Infinity;
  const ask = () => {
    if (!parentElement.isConnected) return;
    if (isConnected() && !mayBeLeaving()) setTriggerValue(NAME, data.number);
    timers.set(parentElement, window.setTimeout(ask, PATIENCE_MS));
  };
  if (data.after !== null) timers.set(parentElement, window.setTimeout(ask, data.after));
  return () => {};
}

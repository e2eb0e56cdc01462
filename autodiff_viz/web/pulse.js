// @ts-check
// Ask Python, after a delay, to run the surrounding fragment again (timer component). Nothing is sent while
// Python requests no run.

const NAME = "look";
const PATIENCE_MS = 3000; // until a request is repeated that was lost or that a busy server has not answered

const AFTER_A_CLICK_MS = 15_000; // unless the answer comes sooner

/** @type {WeakMap<Node, number>} timers */
const timers = new WeakMap();

let clicked = -Infinity; // time of the last click since Python's last answer
document.addEventListener("click", () => (clicked = performance.now()), true);

const isConnected = () =>
  (document
    .querySelector("[data-test-connection-state]")
    ?.getAttribute("data-test-connection-state") ?? "CONNECTED") === "CONNECTED";

/** Called with every answer from Python, which is identified by its number.
 * @param {{ data: { after: number | null, number: number }, parentElement: ParentNode & Node,
 *   setTriggerValue: (name: string, value: any) => void }} component */
export default function pulse({ data, parentElement, setTriggerValue }) {
  clearTimeout(timers.get(parentElement));
  clicked = -Infinity;
  const ask = () => {
    if (!parentElement.isConnected) return;
    // The visitor may have followed a link. Until the server has answered, the address is the old one, and
    // Streamlit would take a message sent meanwhile as a request to stay.
    const mayBeLeaving = performance.now() - clicked < AFTER_A_CLICK_MS;
    if (isConnected() && !mayBeLeaving) setTriggerValue(NAME, data.number);
    timers.set(parentElement, window.setTimeout(ask, PATIENCE_MS));
  };
  if (data.after !== null) timers.set(parentElement, window.setTimeout(ask, data.after));
  return () => {};
}

// @ts-check
// Whether the page is connected to its server, as Streamlit says it on its own element.

const STATE = "data-test-connection-state";
const app = () => document.querySelector(`[${STATE}]`);

/** Whether what is posted now has a chance to arrive. */
export const isConnected = () => (app()?.getAttribute(STATE) ?? "CONNECTED") === "CONNECTED";

/** Whether the device says that it has no network, or Streamlit that it has no server. */
export const isOffline = () => navigator.onLine === false || !isConnected();

/** Call `changed` whenever the connection may have come or gone, and as a phone wakes up; `going` as the browser sets
 * out for another page, or for this one anew; `leaving` as the page is left or put to sleep.
 * @param {() => void} changed @param {() => void} going @param {() => void} leaving @returns {() => void} stops it */
export function watchNetwork(changed, going, leaving) {
  const watch = new MutationObserver(changed);
  const element = app();
  if (element) watch.observe(element, { attributes: true, attributeFilter: [STATE] });
  const seen = () => (document.visibilityState === "hidden" ? leaving() : changed());
  for (const kind of ["online", "offline"]) addEventListener(kind, changed);
  addEventListener("beforeunload", going);
  addEventListener("pagehide", leaving);
  document.addEventListener("visibilitychange", seen);
  return () => {
    watch.disconnect();
    for (const kind of ["online", "offline"]) removeEventListener(kind, changed);
    removeEventListener("beforeunload", going);
    removeEventListener("pagehide", leaving);
    document.removeEventListener("visibilitychange", seen);
  };
}

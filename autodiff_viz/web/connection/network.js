// @ts-check
// Watch the connection to the server, as Streamlit reports it on its own element, and say while there is none
// that edits are kept.

import { html, setText } from "../base/dom.js";

const STATE = "data-test-connection-state";
const app = () => document.querySelector(`[${STATE}]`);

let met = false; // whether there was a connection: before the first one nothing is missed

/** Whether a message sent now can arrive. */
export function isConnected() {
  const here = (app()?.getAttribute(STATE) ?? "CONNECTED") === "CONNECTED";
  if (here && app()) met = true;
  return here || !met;
}

/** Call `changed` whenever Streamlit's element says another state; it may come later than the lab.
 * @param {() => void} changed @returns {() => void} stops it */
function watchState(changed) {
  const watch = new MutationObserver(changed);
  const begin = () => {
    const element = app();
    if (element) watch.observe(element, { attributes: true, attributeFilter: [STATE] });
    return Boolean(element);
  };
  const wait = new MutationObserver(() => begin() && (wait.disconnect(), changed()));
  if (!begin()) wait.observe(document.body, { childList: true, subtree: true });
  return () => (watch.disconnect(), wait.disconnect());
}

/** Whether the device reports no network, or Streamlit no server. */
export const isOffline = () => navigator.onLine === false || !isConnected();

/** Call `returned` when the server can be reached again.
 * @param {() => void} returned @returns {() => void} stops it */
export function watchReturn(returned) {
  let before = isConnected();
  return watchState(() => {
    const now = isConnected();
    if (now && !before) returned();
    before = now;
  });
}

/** Call `changed` when the connection may have changed and when a phone wakes up, `going` when the browser begins to
 * leave or reload the page, `leaving` when the page is left or suspended.
 * @param {() => void} changed @param {() => void} going @param {() => void} leaving @returns {() => void} stops it */
export function watchNetwork(changed, going, leaving) {
  const unwatch = watchState(changed);
  const seen = () => (document.visibilityState === "hidden" ? leaving() : changed());
  for (const kind of ["online", "offline"]) addEventListener(kind, changed);
  addEventListener("beforeunload", going);
  addEventListener("pagehide", leaving);
  document.addEventListener("visibilitychange", seen);
  return () => {
    unwatch();
    for (const kind of ["online", "offline"]) removeEventListener(kind, changed);
    removeEventListener("beforeunload", going);
    removeEventListener("pagehide", leaving);
    document.removeEventListener("visibilitychange", seen);
  };
}

// The status line.

/** Text of the line. @param {number} count of the edits that wait @returns {string} */
export function offlineSays(count) {
  const what = count === 0 ? "What you do" : count === 1 ? "1 edit" : `${count} edits`;
  return `Offline. ${what} ${count > 1 ? "are" : "is"} kept and sent later.`;
}

/** @param {HTMLElement} host @param {number} count of the edits that wait */
export function showOffline(host, count) {
  const line = host.querySelector(".offline");
  document.documentElement.toggleAttribute("data-av-offline", isOffline()); // lab.css hides Streamlit's own message
  if (!isOffline()) return line?.remove();
  setText(
    line ?? host.appendChild(html("div", { class: "offline", role: "status" })),
    offlineSays(count),
  );
  if (!line) keepKeys(host);
}

/** Close Streamlit's own message as soon as it opens: it says the same in a dialog that takes the focus from the
 * canvas.
 * @param {HTMLElement} host */
function keepKeys(host) {
  const watch = new MutationObserver(() => {
    if (isConnected() || !host.isConnected) return watch.disconnect();
    const shut = document.querySelector('[data-testid="stDialog"] button[aria-label="Close"]');
    /** @type {HTMLElement | null} */ (shut)?.click();
  });
  watch.observe(document.body, { childList: true, subtree: true });
}

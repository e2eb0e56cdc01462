// @ts-check
// Run in the page that Streamlit draws: places among its elements (places.js), messages over the lab's own websocket or
// else by its component, the address bar, and its own word about the connection.

import { BROWSER_STORAGE } from "../base/browser_storage.js";
import { BARE } from "../base/host.js";
import { LabSocket, rereadAddress, showAddress } from "../connection/socket.js";
import { Places } from "../places.js";

const STATE = "data-test-connection-state"; // of Streamlit's own element
const app = () => document.querySelector(`[${STATE}]`);

let met = false; // whether there was a connection: before the first one nothing is missed

function isConnected() {
  const here = (app()?.getAttribute(STATE) ?? "CONNECTED") === "CONNECTED";
  if (here && app()) met = true;
  return here || !met;
}

/** Call `changed` whenever Streamlit's element says another state; it may come later than the lab.
 * @param {() => void} changed @returns {() => void} stops it */
function watch(changed) {
  const watcher = new MutationObserver(changed);
  const begin = () => {
    const element = app();
    if (element) watcher.observe(element, { attributes: true, attributeFilter: [STATE] });
    return Boolean(element);
  };
  const wait = new MutationObserver(() => begin() && (wait.disconnect(), changed()));
  if (!begin()) wait.observe(document.body, { childList: true, subtree: true });
  return () => (watcher.disconnect(), wait.disconnect());
}

/** Closes Streamlit's own message. @type {MutationObserver | null} */
let closing = null;

/** Close Streamlit's own message as soon as it opens: it says the same in a dialog that takes the focus from the
 * canvas.
 * @param {HTMLElement} element of the canvas @param {boolean} offline */
function told(element, offline) {
  document.documentElement.toggleAttribute("data-av-offline", offline); // lab.css hides it
  closing?.disconnect();
  if (!offline) return;
  closing = new MutationObserver(() => {
    if (isConnected() || !element.isConnected) return closing?.disconnect();
    const shut = document.querySelector('[data-testid="stDialog"] button[aria-label="Close"]');
    /** @type {HTMLElement | null} */ (shut)?.click();
  });
  closing.observe(document.body, { childList: true, subtree: true });
}

/** A channel over the lab's own websocket. When Streamlit's connection returns, it is to read the address bar.
 * @param {(answer: import("../base/host.js").Answer) => void} heard @param {() => void} lost
 * @returns {import("../base/host.js").Channel} */
export function overSocket(heard, lost) {
  const socket = new LabSocket(heard, lost);
  let before = isConnected();
  const unwatch = watch(() => {
    const now = isConnected();
    if (now && !before && socket.name) rereadAddress();
    before = now;
  });
  return {
    open: (session) => socket.open(session),
    send: (message) => socket.send(message),
    close: () => (unwatch(), socket.close()),
  };
}

/** @type {import("../base/host.js").Host} */
export const PAGE = {
  ...BARE,
  name: "page",
  storage: BROWSER_STORAGE,
  mount: (own, css, parts) => new Places(own, css, parts),
  openChannel: (heard, lost) => {
    const channel = overSocket(heard, lost);
    // In a frame of a host only Streamlit can tell the host the address.
    return window.parent === window ? channel : { ...channel, open: () => {} };
  },
  showAddress,
  setTheme: (theme) => /** @type {any} */ (globalThis).autodiff_viz_theme?.set(theme),
  reach: {
    ...BARE.reach,
    isConnected,
    isOffline: () => navigator.onLine === false || !isConnected(),
    watch,
    says: "Offline.",
    told,
  },
};

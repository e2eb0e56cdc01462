// @ts-check
// Show a status line while the page has no connection: it says that edits are kept.

import { html, setText } from "../../../web/dom.js";
import { isConnected, isOffline } from "../../../web/network.js";

/** Text of the line. @param {number} count of the edits that wait @returns {string} */
export function offlineSays(count) {
  const what = count === 0 ? "What you do" : count === 1 ? "1 edit" : `${count} edits`;
  return `Offline. ${what} ${count > 1 ? "are" : "is"} kept and sent later.`;
}

/** @param {HTMLElement} host @param {number} count of the edits that wait */
export function tellOffline(host, count) {
  const line = host.querySelector(".offline");
  if (!isOffline()) return line?.remove();
  setText(line ?? host.appendChild(html("div", { class: "offline", role: "status" })), offlineSays(count));
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

// @ts-check
// Watch whether Python can be reached, as the host says it, and say while it cannot that edits are kept.

import { html, setText } from "../base/dom.js";
import { host } from "../base/host.js";

/** Call `changed` when the connection may have changed and when a phone wakes up, `going` when the browser begins to
 * leave or reload the page, `leaving` when the page is left or suspended.
 * @param {() => void} changed @param {() => void} going @param {() => void} leaving @returns {() => void} stops it */
export function watchNetwork(changed, going, leaving) {
  const unwatch = host.reach.watch(changed);
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

/** Text of the line. @param {number} count of the edits that wait @param {string} [why] @returns {string} */
export function offlineSays(count, why = host.reach.says) {
  const what = count === 0 ? "What you do" : count === 1 ? "1 edit" : `${count} edits`;
  return `${why} ${what} ${count > 1 ? "are" : "is"} kept and sent later.`;
}

/** @param {HTMLElement} element of the canvas @param {number} count of the edits that wait */
export function showOffline(element, count) {
  const line = element.querySelector(".offline");
  const { isOffline, over, told } = host.reach;
  if (!isOffline()) line?.remove();
  else
    setText(
      line ?? element.appendChild(html("div", { class: "offline", role: "status" })),
      over() || offlineSays(count),
    );
  told(element, isOffline());
}

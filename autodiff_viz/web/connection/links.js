// @ts-check
// Follow the links of the page, and wait until the server has answered. Until then the address is that of the
// page that is left, and so is the query of every message: Streamlit would merge a message with the waiting
// request and draw that page. A run that was under way may still write this address anew, so the answer has
// come when the address names another page, not when it changes. Such a run may also be merged with the
// request, which is then lost: the request is repeated (at-least-once delivery).

import { keepPlace } from "../base/visits.js";

const LINKS = ".st-key-pages a";
const VIEW = "view"; // field of the address that names the page
const MOST_MS = 15_000; // after which the link is taken to have failed
const AGAIN_MS = 2_000; // until the first repetition; each further one waits twice as long (exponential backoff)

let until = 0;
/** @type {string | null} */
let from = null;

/** The page that an address names; null for the lab. Pure. @param {string} search */
const pageOf = (search) => new URLSearchParams(search).get(VIEW);

/** Watch the links of the page, which has just been opened. @returns {() => void} stops it */
export function watchLinks() {
  until = 0;
  let timer = 0;
  const clicked = (/** @type {MouseEvent} */ event) => {
    const link = /** @type {HTMLAnchorElement | null} */ (
      /** @type {Element} */ (event.target).closest?.(LINKS)
    );
    if (
      !link ||
      event.isTrusted === false ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey ||
      event.button
    )
      return;
    const page = pageOf(location.search);
    if (pageOf(link.search) === page) return;
    [until, from] = [performance.now() + MOST_MS, page];
    clearTimeout(timer);
    const again = (/** @type {number} */ wait) => {
      timer = Number(
        setTimeout(() => {
          if (!isLeaving()) return;
          follow(link.search);
          again(2 * wait);
        }, wait),
      );
    };
    again(AGAIN_MS);
  };
  // The page of lessons has a link back to where the visitor was.
  const left = () => pageOf(location.search) === null && keepPlace(location.search);
  document.addEventListener("click", clicked, true);
  addEventListener("pagehide", left);
  return () => {
    removeEventListener("pagehide", left);
    clearTimeout(timer);
    document.removeEventListener("click", clicked, true);
  };
}

/** Follow a link of the page again. @param {string} search its query */
function follow(search) {
  for (const link of document.querySelectorAll(LINKS)) {
    if (link instanceof HTMLAnchorElement && link.search === search) return link.click();
  }
}

/** Whether nothing may be sent, since the answer to a link is awaited. */
export const isLeaving = () => performance.now() < until && pageOf(location.search) === from;

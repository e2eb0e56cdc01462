// @ts-check
// Detection of navigation: the visitor has followed a link of the page and the server has not answered yet.
// Until then the address is the old one, and so is the query of every message: Streamlit would merge a
// message with the waiting request and draw the page that is being left.

const LINKS = ".st-key-pages a";
const MOST_MS = 15_000; // after which the link is taken to have failed

let until = 0;
let from = "";

/** Watch the links of the page, which has just been opened. @returns {() => void} stops it */
export function watchLinks() {
  until = 0;
  const clicked = (/** @type {MouseEvent} */ event) => {
    const link = /** @type {Element} */ (event.target).closest?.(LINKS);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    if (/** @type {HTMLAnchorElement} */ (link).search === location.search) return;
    [until, from] = [performance.now() + MOST_MS, location.search];
  };
  document.addEventListener("click", clicked, true);
  return () => document.removeEventListener("click", clicked, true);
}

/** Whether nothing may be sent, since the answer to a link is awaited. */
export const isLeaving = () => performance.now() < until && location.search === from;

// @ts-check
// Keep the focus in a lesson whose buttons Streamlit draws anew: what takes the place of a button gets its focus.

const LESSON = ".st-key-lesson";
const PLACES = /st-key-(part_onward|try_text_[\w-]+)/;

/** The selector of the place in a lesson that keeps the focus of what is in it; null elsewhere. Pure.
 * @param {Pick<Element, "className" | "parentElement"> | null} element */
export function placeOf(element) {
  for (let at = element; at; at = at.parentElement) {
    const found = PLACES.exec(String(at.className));
    if (found) return `.${found[0]}`;
  }
  return null;
}

/** @returns {() => void} ends it */
export function keepFocus() {
  const ending = new AbortController();
  const { signal } = ending;
  /** @type {string | null} */
  let place = null;
  /** What has the focus in it. @type {Element | null} */
  let held = null;
  const note = (/** @type {Event} */ { target }) => {
    held = target instanceof Element && target.closest(LESSON) ? target : null;
    place = placeOf(held);
  };
  document.addEventListener("focusin", note, { signal });
  document.addEventListener("pointerdown", note, { signal });
  const observer = new MutationObserver(() => {
    if (!place || held?.isConnected || document.activeElement !== document.body) return;
    const next = document.querySelector(`${LESSON} ${place} button:not(:disabled)`);
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
  });
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    ending.abort();
    observer.disconnect();
  };
}

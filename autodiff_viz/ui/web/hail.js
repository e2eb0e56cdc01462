// @ts-check
// One component asks another of the same page for something, without knowing where it is. Each has a script
// of its own, so they meet on the document.

/** Answer whoever asks for `name`, as long as `host` is on the page.
 * @param {string} name @param {Element} host @param {() => string} give */
export function answer(name, host, give) {
  const reply = (/** @type {Event} */ event) => {
    if (host.isConnected) /** @type {CustomEvent} */ (event).detail(give());
  };
  document.addEventListener(`autodiff-viz-${name}`, reply);
}

/** What the page answers; null when nobody does.
 * @param {string} name @returns {string | null} */
export function ask(name) {
  /** @type {string | null} */
  let found = null;
  const detail = (/** @type {string} */ text) => (found = text);
  document.dispatchEvent(new CustomEvent(`autodiff-viz-${name}`, { detail }));
  return found;
}

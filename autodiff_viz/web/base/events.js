// @ts-check
// Send events between canvas, formula and sliders (event bus): events on the document, by name, with a detail
// object. A listener may answer by changing the detail.

const NAME = "autodiff-viz-";

/** Dispatch an event and return its detail, which listeners may have changed.
 * @template {object} T @param {string} news @param {T} about @returns {T} */
export function tell(news, about) {
  document.dispatchEvent(new CustomEvent(NAME + news, { detail: about }));
  return about;
}

/** Listen until `gone()` returns true.
 * @param {string} news @param {(about: any) => void} told @param {() => boolean} gone */
export function hear(news, told, gone) {
  const listener = (/** @type {Event} */ event) => {
    if (gone()) document.removeEventListener(NAME + news, listener);
    else told(/** @type {CustomEvent} */ (event).detail);
  };
  document.addEventListener(NAME + news, listener);
}

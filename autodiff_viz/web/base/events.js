// @ts-check
// Send events between canvas, formula and sliders (event bus): events on the document, by name, with a detail
// object. A listener may answer by changing the detail.

const NAME = "autodiff-viz-";

/** Dispatch an event and return its detail, which listeners may have changed.
 * @template {object} T @param {string} type @param {T} about @returns {T} */
export function dispatch(type, about) {
  document.dispatchEvent(new CustomEvent(NAME + type, { detail: about }));
  return about;
}

/** Listen until `gone()` returns true.
 * @param {string} type @param {(about: any) => void} listener @param {() => boolean} gone */
export function listen(type, listener, gone) {
  const onEvent = (/** @type {Event} */ event) => {
    if (gone()) document.removeEventListener(NAME + type, onEvent);
    else listener(/** @type {CustomEvent} */ (event).detail);
  };
  document.addEventListener(NAME + type, onEvent);
}

// @ts-check
// What canvas, formula and sliders tell each other, without knowing who listens: an event on the document, named
// after the news, with what it is about. A listener may answer in it.

const NAME = "autodiff-viz-";

/** Tell, and give back what the listeners made of it. @template {object} T @param {string} news @param {T} about @returns {T} */
export function tell(news, about) {
  document.dispatchEvent(new CustomEvent(NAME + news, { detail: about }));
  return about;
}

/** Listen until `gone()` says that nobody is there any more.
 * @param {string} news @param {(about: any) => void} told @param {() => boolean} gone */
export function hear(news, told, gone) {
  const listener = (/** @type {Event} */ event) => {
    if (gone()) document.removeEventListener(NAME + news, listener);
    else told(/** @type {CustomEvent} */ (event).detail);
  };
  document.addEventListener(NAME + news, listener);
}

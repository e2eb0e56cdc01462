// @ts-check
// Equations that Python sends as MathML.

/** What each element shows. @type {WeakMap<Element, string>} */
const shown = new WeakMap();

/** Have an element show an equation. It is parsed as data: nothing in it is ever run.
 * @param {HTMLElement} element @param {string} [text] MathML; none for nothing */
export function setMath(element, text = "") {
  if ((shown.get(element) ?? "") === text) return;
  shown.set(element, text);
  const { documentElement } = new DOMParser().parseFromString(text, "application/xml");
  element.replaceChildren(...(text ? [document.importNode(documentElement, true)] : []));
}

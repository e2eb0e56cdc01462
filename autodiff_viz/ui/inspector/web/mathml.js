// @ts-check
// Display equations that Python sends as MathML.

/** The equation that each element shows. @type {WeakMap<Element, string>} */
const shown = new WeakMap();

/** Show an equation in an element. The text is parsed as data and never executed.
 * @param {HTMLElement} element @param {string} [text] MathML; none for nothing */
export function setMath(element, text = "") {
  if ((shown.get(element) ?? "") === text) return;
  shown.set(element, text);
  const { documentElement } = new DOMParser().parseFromString(text, "application/xml");
  element.replaceChildren(...(text ? [document.importNode(documentElement, true)] : []));
}

// @ts-check
// Create DOM elements, and reconcile lists of them by key.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean | null | undefined | EventListener>} Attributes */
/** @typedef {(Node | string | null | undefined | false)[]} Children */

/** Create an HTML element. Attributes that are null, undefined or false are left out; a function becomes an event
 * listener.
 * @param {string} tag @param {Attributes} [attributes] @param {Children} children @returns {HTMLElement} */
export const html = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

/** Create an SVG element, as `html` does.
 * @param {string} tag @param {Attributes} [attributes] @param {Children} children
 * @returns {SVGGraphicsElement} */
export const svg = (tag, attributes = {}, ...children) =>
  fill(
    /** @type {SVGGraphicsElement} */ (document.createElementNS(SVG, tag)),
    attributes,
    children,
  );

/** @template {Element} T @param {T} element @param {Attributes} attributes @param {Children} children */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, String(value));
  }
  element.append(
    ...children.filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** Set text only if it differs, to avoid a needless layout.
 * @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Put elements of `layer` in this order. Those that are in order stay untouched, so that one keeps its focus.
 * @param {Element} layer @param {Element[]} elements */
export function putInOrder(layer, elements) {
  const mine = new Set(elements);
  let at = layer.firstElementChild;
  for (const element of elements) {
    while (at && !mine.has(at)) at = at.nextElementSibling;
    if (at === element) at = at.nextElementSibling;
    else layer.insertBefore(element, at);
  }
}

/** Reconcile the elements in `layer` with items, by id: new items are made, missing ones removed, the others
 * updated.
 * @template T @template {{ root: Element }} E
 * @param {Element} layer @param {Map<string, E>} entries @param {T[]} items @param {(item: T) => string} idOf
 * @param {(item: T) => E} make @param {(entry: E, item: T) => void} update
 * @param {(entry: E) => void} [forget] */
export function keep(
  layer,
  entries,
  items,
  idOf,
  make,
  update,
  forget = ({ root }) => root.remove(),
) {
  const gone = new Set(entries.keys());
  for (const item of items) {
    const id = idOf(item);
    gone.delete(id);
    let entry = entries.get(id);
    if (!entry) {
      entry = make(item);
      entries.set(id, entry);
      layer.append(entry.root);
    }
    update(entry, item);
  }
  for (const id of gone) {
    forget(/** @type {E} */ (entries.get(id)));
    entries.delete(id);
  }
}

// @ts-check
// Give each toolbar one tab stop, with arrow keys between its buttons (roving tabindex).
// https://www.w3.org/WAI/ARIA/apg/patterns/toolbar/

/** The button that a key goes to, of `count` buttons; null if the key is not the toolbar's.
 * @param {string} key @param {number} at @param {number} count @returns {number | null} */
export function nextStop(key, at, count) {
  const steps = /** @type {Record<string, number>} */ ({ ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: count - 1 });
  return key in steps && count > 0 ? (steps[key] + count) % count : null;
}

/** Make a toolbar one tab stop: the button that had the focus last, else the first one that is offered.
 * @param {HTMLElement} bar */
export function rove(bar) {
  /** @type {HTMLButtonElement | null} */
  let stop = null;
  const offered = () => [...bar.querySelectorAll("button")].filter((button) => !button.hidden && !button.disabled);
  const mark = () => {
    const buttons = offered();
    if (!stop || !buttons.includes(stop)) stop = buttons[0] ?? null;
    for (const button of bar.querySelectorAll("button")) button.tabIndex = button === stop ? 0 : -1;
  };
  bar.addEventListener("focusin", (event) => {
    stop = /** @type {Element} */ (event.target).closest("button") ?? stop;
    mark();
  });
  bar.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const buttons = offered();
    const next = nextStop(event.key, buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target)), buttons.length);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation(); // on the canvas arrows walk from node to node
    buttons[next].focus();
  });
  // Which buttons are offered changes with the selection.
  new MutationObserver(mark).observe(bar, { childList: true, subtree: true, attributes: true, attributeFilter: ["hidden", "disabled"] });
  mark();
}

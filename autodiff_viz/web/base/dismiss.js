// @ts-check
// Close what is open over the page in the same ways everywhere: by Escape, by a press outside of it, and by the
// button that opened it.

const KEEPS = ".sliders, .transport"; // what is open follows their numbers

/** Whether a press closes what is open. Pure.
 * @param {EventTarget[]} path of the press @param {EventTarget} root what is open @param {EventTarget | undefined} opener its button */
export const isOutside = (path, root, opener) =>
  !path.includes(root) &&
  !(opener && path.includes(opener)) &&
  !path.some((part) => /** @type {Element} */ (part).matches?.(KEEPS));

/** Close what `openNow` gives back, wherever the press or the key is.
 * @param {() => Element | null} openNow @param {() => void} close @param {() => boolean} gone whether to listen no longer
 * @param {boolean} [hearsEscape] whether what is open has an answer of its own to Escape */
export function closeFromOutside(openNow, close, gone, hearsEscape = false) {
  const ending = new AbortController();
  /** @type {WeakMap<Element, EventTarget>} */
  const openers = new WeakMap();
  /** @param {string} kind @param {(event: any, root: Element | null) => void} answer */
  const listen = (kind, answer) =>
    document.addEventListener(
      kind,
      (event) => (gone() ? ending.abort() : answer(event, openNow())),
      { capture: true, signal: ending.signal },
    );
  listen("pointerdown", (event, root) => {
    if (root && isOutside(event.composedPath(), root, openers.get(root))) close();
  });
  listen("click", (event, root) => {
    const path = event.composedPath();
    const button = path.find((/** @type {Element} */ part) => part.tagName === "BUTTON");
    if (root && button && openers.get(root) === button) {
      event.stopPropagation(); // it would open it again
      close();
      return button.focus({ preventScroll: true });
    }
    // What it opens is there after its own listeners, or, if it computes first, not much later.
    setTimeout(() => {
      const now = openNow();
      if (now && now !== root && button && !now.contains(button)) openers.set(now, button);
    });
  });
  listen("keydown", (event, root) => {
    if (event.key !== "Escape" || event.isComposing || !root) return;
    if (hearsEscape && event.composedPath().includes(root)) return;
    event.stopPropagation();
    close();
    /** @type {HTMLElement | undefined} */ (openers.get(root))?.focus({ preventScroll: true });
  });
}

// @ts-check
// Handle clicks on exercises of lessons whose outcome is beside the graph: a plot, or the pass as it is
// played. Streamlit draws the exercises, and ui/panels/tries.py names them by what they ask for.

/** Call the function of an exercise's kind when it is clicked. @param {Record<string, () => void>} acts @returns {() => void} ends it */
export function listenToTries(acts) {
  const ending = new AbortController();
  document.addEventListener("click", ({ target }) => {
    const kind = Object.keys(acts).find((name) => target instanceof Element && target.closest(`[class*="st-key-do_${name}_"]`));
    if (kind) acts[kind]();
  }, { signal: ending.signal });
  return () => ending.abort();
}

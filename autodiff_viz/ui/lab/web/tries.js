// @ts-check
// Handle clicks on exercises of lessons whose outcome is beside the graph: a plot, the pass as it is played, or
// the numbers of a node. Streamlit draws them, and ui/panels/tries.py names them by what they do.

/** Call the function of a button's kind when it is clicked: "do_play" is the kind of "do_play_neuron_0".
 * @param {Record<string, () => void>} acts @returns {() => void} ends it */
export function listenToTries(acts) {
  const ending = new AbortController();
  document.addEventListener("click", ({ target }) => {
    const kind = Object.keys(acts).find((name) => target instanceof Element && target.closest(`[class*="st-key-${name}_"]`));
    if (kind) acts[kind]();
  }, { signal: ending.signal });
  return () => ending.abort();
}

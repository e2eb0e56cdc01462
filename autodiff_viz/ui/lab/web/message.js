// @ts-check
// Parse messages from Python, whose large fields are JSON texts. Pure.

/** @param {import("./types.js").Written} data @returns {import("./types.js").Word} */
export function read({ full, patch, tables, play, ...others }) {
  const parsed = (/** @type {string | undefined} */ text) => text && JSON.parse(text);
  return { ...others, full: parsed(full), patch: parsed(patch), play: parsed(play), tables: JSON.parse(tables) };
}

// @ts-check
// Write what the panel says while no single node is selected. Pure.

const SEE = "to see its derivative, its rule and its numbers.";
const NAMED = 4; // nodes in the sentence

/** @param {string[]} names of the selected nodes: none, or those of a group or of several nodes @returns {string} */
export function hintFor(names) {
  if (!names.length) return `Select a node ${SEE}`;
  const more = names.length > NAMED ? [`${names.length - NAMED + 1} more`] : [];
  const said = [...names.slice(0, more.length ? NAMED - 1 : NAMED), ...more];
  return `${said.slice(0, -1).join(", ")} and ${said.at(-1)} are selected. Select one of them ${SEE}`;
}

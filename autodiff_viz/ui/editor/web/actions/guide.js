// @ts-check
// List the cheat sheet as data: actions that have a key, by purpose, and gestures without a key.

/** @typedef {import("./actions.js").Action} Action */
/** @typedef {keyof typeof BY_HAND} Section */
/** @typedef {{ keys?: string[], hand?: string, does: string }} Line */

/** Gestures and their effects, by section. */
const BY_HAND = {
  "Add and wire": [
    ["Drag port to port", "Wire, either way: what fits glows"],
    ["Drag a port to nothing", "Find an op that fits there"],
    ["Pull a wire off its slot", "Plug it in elsewhere, or remove it"],
    ["Drop a node on a wire", "Put it in between"],
  ],
  "Bend the gradient": [
    ["Click a region's tab", "Its name, what it keeps; drag it to move all"],
    ["Drag a node in or out", "Join a region or a group, or leave it"],
  ],
  "Play the pass": [
    ["Space, \u2190 \u2192, End, Esc", "On the bar below: play or pause, step, finish the phase, stop"],
  ],
  "Compare two graphs": [["Compare: without ...", "Beside the node or in its menu: pin it as A, show B without a rule, mute or checkpoint"]],
  "Select and change": [
    ["Shift + click, Shift + drag", "Select several; with a finger, hold a node"],
  ],
  "Walk by keyboard": [
    ["Arrows in a toolbar", "Go from button to button; a toolbar is one stop of Tab"],
    ["Caret in the formula", "Select the nodes that its line makes"],
    ["Esc in the formula", "Leave it for the canvas; Ctrl + Enter applies the text at once"],
  ],
  See: [
    ["Drag the canvas", "Move the view; on a node too with Space or the middle button"],
    ["Rest on a node", "Light what it depends on and what depends on it"],
    ["Wheel, pinch", "Zoom; two fingers on a trackpad, or Shift + wheel, move the view"],
  ],
  "Bring and take": [["Drop a file, paste a link", "Open it in place of this graph; a PNG or SVG saved here holds its graph"]],
};

/** @param {Record<string, Action>} actions @returns {{ title: string, lines: Line[] }[]} */
export const guideOf = (actions) =>
  Object.entries(BY_HAND).map(([title, gestures]) => ({
    title,
    lines: [
      ...Object.entries(actions).filter(([, { guide }]) => guide === title).map(([id, { label, says = label, hand }]) =>
        ({ keys: keysAt(actions, id), hand, does: says })),
      ...gestures.map(([hand, does]) => ({ hand, does })),
    ],
  }));

/** The keys of an action and of the actions on its line. @param {Record<string, Action>} actions @param {string} id */
const keysAt = (actions, id) =>
  [actions[id], ...Object.values(actions).filter(({ besides }) => besides === id)].flatMap(({ keys = [] }) => keys);

const SIGNS = /** @type {Record<string, string>} */ ({ ArrowLeft: "←", ArrowUp: "↑", ArrowRight: "→", ArrowDown: "↓", Escape: "Esc" });

/** Keys as printed: arrows held with another key in two words, or omitted beside the bare ones.
 * @param {string[]} keys @returns {string[]} */
export function printed(keys) {
  const held = keys.filter((key) => /\+Arrow/.test(key));
  const others = keys.filter((key) => !held.includes(key));
  return held.length && !others.length ? [`${held[0].split("+")[0]} + arrows`] : others.map((key) => SIGNS[key] ?? key);
}

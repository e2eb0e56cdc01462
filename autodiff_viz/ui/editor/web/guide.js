// @ts-check
// All gestures and keys, by what one wants to do: the one table that the cheat sheet is made from. What is done
// by hand stands first; `keys` are pressed, and each is known to the keyboard (tests/web/guide.test.mjs).

import { NODE_ACTIONS, RULE_NAMES, VIEW_ACTIONS } from "./actions.js";
import { MORE_ACTIONS } from "./more.js";
import { FILE_ACTIONS } from "./take.js";

/** @typedef {{ keys?: string[], hand?: string, does: string }} Line */

/** @param {Record<string, { key?: string, label: string }>} actions @param {string[]} names @returns {Line[]} */
const lines = (actions, names) => names.map((name) => ({ keys: [actions[name].key ?? ""], does: actions[name].label }));

/** @type {{ title: string, lines: Line[] }[]} */
export const GUIDE = [
  {
    title: "Add and wire",
    lines: [
      { keys: ["a", "/"], hand: "or double-click", does: "Find an op; drag it onto the canvas or a wire" },
      { hand: "Drag port to port", does: "Wire, either way: what fits glows" },
      { hand: "Drag a port to nothing", does: "Find an op that fits there" },
      { hand: "Pull a wire off its slot", does: "Plug it in elsewhere, or remove it" },
      { hand: "Drop a node on a wire", does: "Put it in between" },
      { keys: ["w"], does: "Wire from the node: arrows, then Enter" },
      { keys: ["e"], hand: "or click a number", does: "Edit a constant or an input's value" },
      { keys: ["F2"], hand: "or double-click", does: "Rename the node" },
    ],
  },
  {
    title: "Bend the gradient",
    lines: [
      ...lines(NODE_ACTIONS, [...RULE_NAMES, "checkpoint", "mute", "cut_after", "output"]),
      { keys: ["t"], hand: "or click the mark", does: "Change the function of the rule" },
      { hand: "Click a region's tab", does: "Its name, what it keeps; drag it to move all" },
      { hand: "Drag a node in or out", does: "Join a region or a group, or leave it" },
    ],
  },
  {
    title: "Select and change",
    lines: [
      { hand: "Shift + click, Shift + drag", does: "Select several; with a finger, hold a node" },
      { keys: ["Ctrl+A", "Esc"], does: "Select all, nothing; Esc also gives up a drag" },
      ...lines(MORE_ACTIONS, ["duplicate"]),
      { keys: ["Ctrl+C", "Ctrl+X", "Ctrl+V"], does: "Copy, cut, paste, as formula text" },
      ...lines(NODE_ACTIONS, ["group"]),
      { keys: ["Shift+G"], hand: "or its triangle", does: "Collapse a group to one card, or open it" },
      { keys: ["Shift+B"], hand: "or click k", does: "Make branches, or choose how many and which to train" },
      { keys: ["]", "["], hand: "or + and \u2212", does: "One branch more, one less" },
      { hand: "Alt + drag, Alt + arrows", does: "Drag a copy away; move a little" },
      ...lines(NODE_ACTIONS, ["delete"]),
      ...lines(VIEW_ACTIONS, ["undo", "redo", "history", "arrange"]),
    ],
  },
  {
    title: "Walk by keyboard",
    lines: [
      { keys: ["←", "↑", "→", "↓"], does: "Go from node to node; with Shift, select on the way" },
      { keys: ["Enter"], does: "Select the node in focus" },
      { keys: [",", "."], does: "Step through the wires of the node; Delete removes one" },
      { keys: ["Tab"], does: "Go on to regions and toolbars" },
      { keys: ["i"], does: "Go to the details of the selected node" },
    ],
  },
  {
    title: "See",
    lines: [
      { hand: "Drag the canvas", does: "Move the view; on a node too with Space or the middle button" },
      { hand: "Rest on a node", does: "Light what it depends on and what depends on it" },
      { hand: "Two fingers, Ctrl + wheel", does: "Zoom" },
      ...lines(VIEW_ACTIONS, ["nearer", "farther", "fit"]),
      ...lines(MORE_ACTIONS, ["fitSelection"]),
      { keys: ["?"], does: "Open and close this sheet" },
    ],
  },
  {
    title: "Bring and take",
    lines: [...lines(FILE_ACTIONS, ["open", "json"]), { hand: "Drop a file, paste a link", does: "Open it in place of this graph" }],
  },
];

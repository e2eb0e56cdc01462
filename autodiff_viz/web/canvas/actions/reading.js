// @ts-check
// List the actions that change nothing: looking, walking, playing. The canvas of a figure that lives without a
// server has these alone.

import { host } from "../../base/host.js";
import { isLarge, toggleLarge } from "../../dock/layout.js";
import { zoomCentred } from "../draw/stage.js";
import { closeNotice } from "../popovers/notice.js";
import { closePopover } from "../popovers/popover.js";
import { flip } from "./commands.js";
import { isHiding, toggleHiding } from "./hiding.js";
import { activateFocused, extendSelection, stepAlong, toEnd, moveFocus } from "./keyboard.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("./cheat_sheet.js").Section} Section */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {"top" | "graph" | "view" | "bar" | "more" | "look" | "file"} Place */
/**
 * The elements that have the keyboard focus.
 *
 * @typedef {object} Focus
 * @property {string | null} node
 * @property {string | null} wire
 * @property {string | null} region
 */
/**
 * @typedef {object} Action
 * @property {string} label
 * @property {string[]} [keys] in the cheat sheet; the first is also on the button
 * @property {string[]} [also] the same keys on other keyboards
 * @property {string} [hint] text on the button in place of a key
 * @property {boolean} [byBrowser] whether the browser turns the key into an event
 * @property {string} [icon] its name, by default the action's
 * @property {string} [word]
 * @property {Partial<Record<Place, string>>} [places] the toolbars and menus that have it, and the group
 *   there
 * @property {Section} [guide] its section of the cheat sheet
 * @property {string} [besides] the action whose line in the cheat sheet it shares
 * @property {string} [says] its text in the cheat sheet, by default the label
 * @property {string} [hand] its gesture
 * @property {boolean} [inside] whether its key is the browser's own while the focus is elsewhere on the
 *   page
 * @property {() => boolean} [inMenu] whether menus offer it
 * @property {(editor: Editor) => unknown} [when] whether buttons offer it
 * @property {(editor: Editor) => string} [waits] for what it waits now, in a few words; "" for nothing
 * @property {(focus: Focus) => unknown} [needs] the focus that its key requires
 * @property {boolean} [onSelection] whether it acts on the selection, by key on the node that has the focus
 * @property {boolean} [rule] whether it sets a rule, which the panel of the selected node has with words
 * @property {(editor: Editor) => boolean} [on] whether it is on
 * @property {"undo" | "redo"} [undoes] which of the two steps it makes
 * @property {(editor: Editor, focus: Focus, key: string) => void} [do]
 */

const ZOOM = 1.25;
/** @type {Record<string, Point>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowDown: [0, 1] };
export const arrows = (/** @type {string} */ held) => Object.keys(ARROWS).map((key) => held + key);
export const wayOf = (/** @type {string} */ key) => ARROWS[key.split("+").at(-1) ?? ""];

/** @type {Record<string, Action>} */
export const READING = {
  all: {
    label: "Select all",
    keys: ["Ctrl+A"],
    guide: "Select and change",
    says: "Select all, nothing; Esc also gives up a drag",
    do: (editor) => editor.select(editor.seen.nodes.map(({ id }) => id)),
  },
  none: {
    label: "Select nothing, close what is open, give up a drag",
    keys: ["Escape"],
    besides: "all",
    do: (editor) =>
      void (
        editor.giveUp() ||
        closePopover(editor) ||
        closeNotice(editor) ||
        editor.endPlay() ||
        editor.select([])
      ),
  },
  fitSelection: {
    label: "Fit the selection to view",
    keys: ["Shift+F"],
    places: { more: "nodes" },
    guide: "See",
    do: (editor) => editor.fit(editor.selection),
  },
  play: {
    label: "Play the pass, or pause",
    keys: ["Shift+Enter"],
    guide: "Play the pass",
    do: (editor) => editor.startPlay(),
  },
  flip: { label: "Flip between A and B", keys: ["v"], guide: "Compare two graphs", do: flip },
  walk: {
    label: "Go from node to node, or to the ends of the wire",
    keys: arrows(""),
    guide: "Walk by keyboard",
    says: "Go from node to node; with Shift, select on the way",
    do: (editor, { node, wire }, key) =>
      wire ? toEnd(editor, wire, wayOf(key)) : moveFocus(editor, node, wayOf(key)),
  },
  extend: {
    label: "Select on the way",
    keys: arrows("Shift+"),
    besides: "walk",
    do: (editor, { node }, key) => extendSelection(editor, node, wayOf(key)),
  },
  enter: {
    label: "Select the node in focus",
    keys: ["Enter"],
    also: [" "],
    guide: "Walk by keyboard",
    needs: ({ node, region }) => node ?? region,
    do: (editor, { node, region }) => activateFocused(editor, node ?? "", region),
  },
  wireBefore: {
    label: "Go to the wire of the node before this one",
    keys: [","],
    guide: "Walk by keyboard",
    says: "Step through the wires of the node; Delete removes one",
    do: (editor, { node, wire }) => stepAlong(editor, node, wire, -1),
  },
  wireAfter: {
    label: "Go to the wire of the node after this one",
    keys: ["."],
    besides: "wireBefore",
    do: (editor, { node, wire }) => stepAlong(editor, node, wire, 1),
  },
  onward: {
    label: "Go on to regions and toolbars",
    keys: ["Tab"],
    byBrowser: true,
    guide: "Walk by keyboard",
  },
  farther: {
    label: "Zoom out",
    keys: ["-"],
    places: { view: "view", look: "zoom" },
    guide: "See",
    says: "Zoom out, in",
    do: (editor) => editor.look(zoomCentred(editor.stage, 1 / ZOOM)),
  },
  fit: {
    label: "Fit to view",
    keys: ["f"],
    places: { view: "view", look: "zoom" },
    guide: "See",
    do: (editor) => editor.fit(),
  },
  nearer: {
    label: "Zoom in",
    keys: ["+"],
    also: ["="],
    places: { view: "view", look: "zoom" },
    besides: "farther",
    do: (editor) => editor.look(zoomCentred(editor.stage, ZOOM)),
  },
  hide: {
    label: "Hide what takes no gradient",
    keys: ["Shift+H"],
    places: { view: "arrange", look: "modes" },
    guide: "See",
    on: isHiding,
    do: toggleHiding,
  },
  present: {
    label: "Large type, for a projector",
    keys: ["Shift+P"],
    places: { look: "type" },
    guide: "See",
    on: isLarge,
    do: toggleLarge,
  },
};

/** @type {Focus} */
export const NO_FOCUS = { node: null, wire: null, region: null };

/** The text beside an action's label on its button. @param {Action} action */
export const keyOf = ({ keys, hint }) => keys?.[0] ?? hint ?? "";

/** Those of some actions that a toolbar or menu has, by group.
 * @param {Record<string, Action>} some @param {Place} place @returns {[id: string, action: Action][][]} */
export function placedAmong(some, place) {
  const actions = Object.entries(some).filter(
    ([name, { places }]) => places?.[place] !== undefined && host.offers(name),
  );
  const groups = [...new Set(actions.map(([, { places }]) => places?.[place]))];
  return groups.map((group) => actions.filter(([, { places }]) => places?.[place] === group));
}

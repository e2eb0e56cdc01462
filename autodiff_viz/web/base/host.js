// @ts-check
// Tell the lab where it runs. Whatever differs between a page, a frame, a file or a window is asked of `host`; each of
// them is a file in `hosts`, which its entry point passes to `runIn` before it does anything else.

/** @typedef {import("../messages.js").Message} Message */
/** @typedef {import("../types.js").Answer} Answer */
/** @typedef {ParentNode & Node} Root */

/**
 * @typedef {object} Host
 * @property {string} name
 * @property {(own: Root, css: Record<string, string>, parts: Record<string, HTMLElement>) => Mounted} mount puts the
 *   parts of the lab in their places, each with its style sheet: `editor`, the canvas, into `own`
 * @property {(editor: import("../canvas/editor.js").Editor, plot: (figure: string) => void, sliders: HTMLElement) => Around | null} around
 *   what it puts around the lab; null for nothing
 * @property {(heard: (answer: Answer) => void, lost: () => void) => Channel} openChannel opens the way to Python. `heard` is
 *   called with each answer, `lost` when what was sent last may not have arrived
 * @property {(query: string) => void} showAddress shows the address of the state on view, where there is an address
 * @property {(kind: string) => boolean} may whether edits of a kind are made here
 * @property {(name: string) => boolean} offers whether it has what an action of canvas/actions/actions.js needs, or the
 *   "welcome" of a newcomer
 * @property {(theme: string) => void} setTheme takes one of THEMES of dock/layout.js
 * @property {{ tab: () => Storage, browser: () => Storage }} storage of this tab, and of all tabs; either may throw
 * @property {Size} size
 * @property {Reach} reach
 */
/** @typedef {{ fill: () => void, moveTo: (own: Root) => void, close: () => void }} Mounted */
/**
 * @typedef {object} Channel
 * @property {(session: string) => void} open `session` is its name, a secret
 * @property {(message: Message) => boolean} send returns whether it was sent
 * @property {() => void} close
 */
/**
 * @typedef {object} Around
 * @property {string} edit what may be changed: a level of embedding/contract.py
 * @property {HTMLElement} panes tabs of what is shown beside the canvas
 * @property {HTMLElement} sliders in place of the lab's own
 * @property {(sliders: any) => any} slidersOf those that are shown
 * @property {() => void} drawn follows a drawing that has been drawn
 */
/** `tell` says how high the lab wants to be; `scrolls` is whether a finger that swipes over the canvas scrolls the page.
 * @typedef {{ tell: (px: number) => void, scrolls: () => boolean }} Size */
/**
 * Whether Python can be reached.
 *
 * @typedef {object} Reach
 * @property {() => boolean} isConnected whether a message sent now can arrive
 * @property {() => boolean} isOffline whether the user is told that what is done waits
 * @property {(changed: () => void) => () => void} watch calls `changed` when that may have changed, until its result is called
 * @property {string} says why it waits: a sentence
 * @property {() => string} over why nothing that is done is sent any more, and what to do: sentences; "" as long as it may be
 * @property {(element: HTMLElement, offline: boolean) => void} told is called once the lab has said so in `element`, or no longer does
 */

const PAGE_SCROLLS = "(max-width: 599.9px) and (max-height: 559.9px)"; // as in lab.css
const nothing = () => {};
const denied = () => {
  throw new Error("Nothing is kept here.");
};

/** What every host has. @type {Host} */
export const BARE = {
  name: "bare",
  mount: () => ({ fill: nothing, moveTo: nothing, close: nothing }),
  around: () => null,
  openChannel: () => ({ open: nothing, send: () => false, close: nothing }),
  showAddress: nothing,
  may: () => true,
  offers: () => true,
  setTheme: nothing,
  storage: { tab: denied, browser: denied },
  size: { tell: nothing, scrolls: () => matchMedia(PAGE_SCROLLS).matches },
  reach: {
    isConnected: () => true,
    isOffline: () => false,
    watch: () => nothing,
    says: "Offline.",
    over: () => "",
    told: nothing,
  },
};

/** Where this script runs. @type {Host} */
export const host = { ...BARE };

/** Say where. @param {Host} one */
export const runIn = (one) => void Object.assign(host, one);

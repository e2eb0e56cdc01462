// @ts-check
// Declare what the server answers when links of a state are requested. Types only.

/**
 * @typedef {object} Code a QR code as a drawing, of which a module is one unit
 * @property {number} version from 1 to 40
 * @property {number} size modules a side, with the margin
 * @property {string} path
 */
/**
 * @typedef {object} Parameter
 * @property {string} name
 * @property {string} says
 * @property {string} [label] before its widget
 * @property {string[]} [idle] its words that change nothing of this state
 * @property {Record<string, string>} values with what each means
 * @property {boolean} many whether several can be chosen
 * @property {string} usual its value by default
 */
/**
 * @typedef {object} Shared
 * @property {Record<string, string>} wish what was requested
 * @property {string} link the whole one
 * @property {string} short
 * @property {boolean} elsewhere whether the graph or the tour is too large for a link
 * @property {string} file the action that saves it as a file
 * @property {Code | null} code
 * @property {string} [frame] address of a frame
 * @property {string} [frame_code] its HTML
 * @property {Parameter[]} [parameters] what can be chosen of it
 * @property {(object | null)[]} [steps] what each step of the talk draws, as read_drawing.js reads it; null for one that cannot be opened
 * @property {boolean} alone whether the code is that of the step on view, since the whole tour has no room in one
 * @property {string} says why there is no code, or what is to be known of it
 */
export {};

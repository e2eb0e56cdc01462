// @ts-check
// Declare what the server answers when links of a state are requested. Types only.

/**
 * @typedef {object} Code a QR code as a drawing, of which a module is one unit
 * @property {number} version from 1 to 40
 * @property {number} size modules a side, with the margin
 * @property {string} path
 */
/**
 * @typedef {object} Shared
 * @property {Record<string, string>} wish what was requested
 * @property {string} link the whole one
 * @property {string} short
 * @property {string} query of the state alone
 * @property {boolean} elsewhere whether the graph is too large for a link
 * @property {Code | null} code
 * @property {string} says why there is no code, or what is to be known of it
 */
export {};

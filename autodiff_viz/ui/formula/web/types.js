// @ts-check
// Declare the types of what Python sends to the formula editor, and of its own records. Types only.

/** @typedef {{ line: number, column: number, endLine: number, endColumn: number }} Place
 * lines count from 1, columns from 0 and in characters; the end is just behind the last one */
/** @typedef {Place & { label: string, text: string }} Correction a piece of the text, and what a press of `label` writes in its place */
/** @typedef {{ message: string, hint: string, correction?: Correction } & Partial<Place>} Mistake one without a place is about the whole text */
/** @typedef {Place & { message: string }} Mark a problem of the graph, or a note, listed elsewhere on the page */
/** @typedef {{ word: string, kind: "op" | "wrapper" | "keyword" | "name", doc: string }} Word */
/**
 * @typedef {{
 *   ack: number, text: string, mistakes: Mistake[], marks: Mark[],
 *   notes: Mark[], readings: string[], places: string, heads: string,
 * }} Data  `places` and `heads`: where the text has the nodes and the frames, in the order of the drawing; see places.js
 */
/** @typedef {{ start: number, end: number, kind: string }} Token a piece of one line, in UTF-16 units */
/** @typedef {{ start: number, end: number, kind: "wrong" | "noted" | "chosen" | "lit", message?: string }} Range a marked piece of one line */
/** @typedef {{ text: string, start: number, end: number }} Typing a text with its selection */

export {};

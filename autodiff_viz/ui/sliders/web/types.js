// @ts-check
// Shapes of what Python sends to the sliders. Types only.

/** @typedef {[name: string, value: number, low: number, high: number]} Item one input; low < high */
/** @typedef {{ key: string, ack: number, document: number, limit: number, rows: Item[] }} Data
 * `limit`: the largest number that an input may have */

export {};

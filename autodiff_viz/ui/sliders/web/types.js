// @ts-check
// Declare the types of the sliders' data. Types only.

/** @typedef {{ name: string, value: string, low: number, high: number }} Item one input, its value as text; low < high */
/** @typedef {{ limit: number, rows?: Item[], more?: number, says?: string }} Data
 * `limit`: the largest number that an input may have; `more`: inputs that are not shown; `says`: which sliders have another value than the canvas */

export {};

// @ts-check
// Declare the types of the comparison's data, as views/page/twins.py sends it. Types only.

/** @typedef {[a: string, b: string]} Both */
/** @typedef {{ name: string, value: Both, cotangent: Both, apart: ("value" | "cotangent")[], here?: boolean }} TwinRow
 * `apart`: which of the two differ; `here`: whether the present graph has the node */
/**
 * @typedef {{
 *   letter: "A" | "B", kind: "values" | "gradients" | "equal" | "waits", says: string, rows?: TwinRow[], more?: number, equal?: string[],
 *   lit?: string[], kept?: Both, again?: Both, lines?: string[], more_lines?: number,
 * }} TwinsData  `letter`: which of the two is on view; `more`: differing nodes without a row; `lit`: ids of wires; `kept` elements and
 * runs `again`, where a checkpoint differs; `lines` of the formula that only A (-) or only B (+) has
 */

export {};

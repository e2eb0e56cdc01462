// @ts-check
// Declare the type of the constants that Python and the browser share (views/shared_constants.py). Types
// only.

/** @typedef {{ w: number, h: number }} Size px */
/**
 * @typedef {{
 *   card: Size & { slot: number }, pictured: Size, cells: { most: number, beside: number, head: number, line: number },
 *   group: { w: number, head: number, foot: number, port: number, numbers: number, steps: number },
 *   frame: { pad: number, level: number, tab: number }, clear: number, tab: { h: number, gap: number, near: number, slack: number, aside: number, under: number },
 *   limits: { branches: number, document: number, edits: number, line: number, message: number, name: number, npy: number },
 *   drawings: number, written_out: string, data_of: string, usual: { rule: import("../editor/web/types.js").RuleKind, connected: boolean, foot: number },
 *   alternative: string, letters: Record<string, string>, inputs: Record<string, { value: string, literal?: string }>,
 *   nothing: string, minus: string, vector: number, digits: number, decades: number,
 *   glossary: Record<string, string>, first_lesson: string,
 *   heat: { alphabet: string, shades: number, marks: number, inks: Record<string, [number[], number[]]> },
 * }} Shared  `card`: with one more slot; of the card of a `group`: the line with its name, what is below the ports, one more
 * port, the two numbers where one value leaves it, and the line with the number of branches; `frame`: px round nodes, and
 * more for each frame inside; `clear`: px kept free around nodes that are pasted; `tab`: a parameter folded below its layer;
 * `drawings`: how many are kept; `data_of`: begins the label of an edit that sets data; `written_out`: end of a
 * step's label if the formula has lost its loops; `usual`: what a node has unless it says otherwise; `alternative`: the label of the slot
 * that `backward_as` adds; `letters`: of new inputs, and in `inputs` what they hold; `nothing`: stands for no number;
 * `vector`: characters of one that fit on a card; `digits`: of numbers in the panel of a node; `decades` of contributions that wires tell apart; `heat`: the letters of
 * the cells of a picture, how many are on each side of 0, which is the first that is no number, and the inks of + and −
 */

export {};

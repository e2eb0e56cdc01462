// @ts-check
// Shapes of what Python sends to the lab's component. Types only.

/** @typedef {{ palette: import("../../editor/web/types.js").PaletteGroup[], words: import("../../formula/web/types.js").Word[] }} Constants */
/**
 * @typedef {{
 *   key: string, ack: number, from: [string, number] | null, rev: number, base?: number, full?: any, patch?: any,
 *   tables: import("../../editor/web/table.js").Sent[], rest: number | null, turn: number,
 * }} Word  `tables`: for sliders; `rest`: in how many ms Python can be asked for the rest of the page; `turn` counts words
 */

export {};

// @ts-check
// Declare the types of the messages from Python to the lab component. Types only.

/** @typedef {{ palette: import("../../editor/web/types.js").PaletteGroup[], words: import("../../formula/web/types.js").Word[], figures: Record<string, string>, later: string[] }} Constants  `figures`: their titles by name; `later`: paths of the scripts that a figure needs */
/**
 * @typedef {{
 *   key: string, ack: number, from: [string, number] | null, rev: number, base?: number, full?: any, patch?: any,
 *   tables: import("../../editor/web/live/table.js").Sent[], play?: import("../../editor/web/play/model.js").Sent, due: boolean, rest: number | null, page: boolean, turn: number, seen: boolean, socket: string, query?: string,
 * }} Word  `tables`: for sliders; `play`: the steps of the pass, once requested; `due`: the rest of the page is to be drawn; `rest`: in how many ms Python can be asked for it; `turn` counts words; `page`: a run of Streamlit has to draw the rest; `socket`: path of the lab's websocket; `query`: of the address, over that; `seen`: whether
 * Python has the message that the figure is in view
 */

/** @typedef {Omit<Word, "full" | "patch" | "tables" | "play"> & { full?: string, patch?: string, tables: string, play?: string }} Written  these as JSON texts */

export {};

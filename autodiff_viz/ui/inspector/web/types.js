// @ts-check
// Declare the types of the data of the selected node (views/node/panel.py). Empty fields are left out. Types
// only.

/** @typedef {[text: string, role: string, place?: string]} Term a piece of a line of numbers; `role` is "cotangent", "tangent" or ""; `place` of a number in a slider's table */
/** @typedef {{ to: string, slot: number, label?: string, math?: string, terms?: Term[], passed?: string, apart?: string, pushes?: Term[] }} WireRow
 * `math` is MathML; `pushes`, in forward mode: what it adds to the tangent; `apart` says both numbers where a declared derivative is not the true one */
/**
 * @typedef {{
 *   id: string, label: string, type: "text" | "number" | "check" | "choice" | "several" | "button" | "file" | "note",
 *   value?: any, help?: string, placeholder?: string, choices?: [string, string][], as?: string, edit?: import("../../web/outbox.js").NewEdit,
 *   table?: import("../../web/outbox.js").NewEdit,
 * }} FieldData  what the user sets is sent in `edit`, as its "value" or what `as` says; `table`: the edit that takes a pasted table
 */
/**
 * @typedef {{
 *   name: string, doc?: string, math?: string, kind: string, kinds: string[], ruleSays?: string, declared?: string[], shape?: string, value?: string,
 *   arriving?: string, tangent?: string, added?: Term[], fork?: Term[], wires?: WireRow[], fields?: FieldData[], runs?: string[], why?: import("../../web/mend.js").Explanation, elements?: { value?: string[], tangent?: string[], cotangent?: string[] },
 * }} NodeData
 */

export {};

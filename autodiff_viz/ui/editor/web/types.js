// @ts-check
// Shapes of what Python sends (a drawing) and of what the browser sends back (edits). Types only.

/** @typedef {[number, number]} Point world or screen pixels, x to the right and y down */
/** @typedef {{ x: number, y: number, w: number, h: number }} Box top-left corner and size */
/** @typedef {{ x: number, y: number, k: number }} Viewport screen = world * k + (x, y) */
/** @typedef {[Point, Point, Point, Point]} Cubic one Bezier piece: start, two handles, end */
/** @typedef {{ label: string, constant: string | null, full?: string, wired: boolean }} Slot
 * `full` is the constant where `constant` is shortened */
/** @typedef {"follow" | "stop" | "rewrite" | "pullback" | "backward_as"} RuleKind */

/**
 * @typedef {Box & {
 *   id: string, op: string, symbol: string, slots: Slot[],
 *   value: string, cotangent: string, valueFull?: string, cotangentFull?: string,
 *   rule: RuleKind, ruleText?: string, isOutput: boolean, isInput: boolean, connected: boolean,
 *   problem?: string | null, warning?: string | null, runs?: string | null,
 * }} GraphNode
 */
/**
 * @typedef {{
 *   from: string, to: string, slot: number, width: number, sign: number, passed: string,
 *   passedFull?: string, via: Point[], alternative?: boolean,
 * }} Wire  `width` is 0 to 1; `sign` is -1, 0, 1, or 2 for a tensor with both signs
 */
/**
 * @typedef {{
 *   name: string, nodes: string[], policy: string, badge?: string | null, depth: number,
 *   problem?: string | null,
 * }} Region
 */
/** @typedef {{ op: string, symbol: string, slots: string[], doc: string }} PaletteOp */
/** @typedef {{ group: string, ops: PaletteOp[] }} PaletteGroup */
/**
 * @typedef {{
 *   rev: number, ack: number, key: string, graph?: string, nodes: GraphNode[], wires: Wire[],
 *   regions: Region[], palette: PaletteGroup[], selected: string | null,
 * }} Drawing  another `graph` means another document: the view is fitted again
 */
/** @typedef {{ seq: number, kind: string, [field: string]: any }} Edit */
/** @typedef {{ kind: string, [field: string]: any }} NewEdit an edit that has no number yet */

export {};

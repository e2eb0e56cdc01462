// @ts-check
// Types of the drawing that Python sends and of the edits that the browser sends back. Types only.

/** @typedef {[number, number]} Point world or screen pixels, x to the right and y down */
/** @typedef {{ x: number, y: number, w: number, h: number }} Box top-left corner and size */
/** @typedef {{ x: number, y: number, k: number }} Viewport screen = world * k + (x, y) */
/** @typedef {[Point, Point, Point, Point]} Cubic one Bezier piece: start, two handles, end */
/** @typedef {{ label: string, constant: string | null, constantFull?: string, wired: boolean }} Slot
 * `constantFull` is the constant as it is typed, where `constant` is shortened */
/** @typedef {string} RuleKind  a name in `RULES` of ui/web/constants.js */

/**
 * @typedef {Box & {
 *   id: string, op: string, symbol: string, slots: Slot[],
 *   value: string, cotangent: string, valueFull?: string, cotangentFull?: string, shape?: string, dims?: number[],
 *   literal?: string, text?: string, rule: RuleKind, ruleText?: string, ruleFull?: string, isOutput: boolean, isInput: boolean, isParameter?: boolean, muted?: boolean, cut?: boolean, segment?: number, connected: boolean,
 *   problem?: string | null, missing?: string | null, warning?: string | null, runs?: string | null, heat?: Heat, state?: string[],
 *   ports?: { ins: number[], outs: number[] }, group?: { name: string, nodes: string[], outs: string[], output: string | null, marks: GroupMark[], branches?: string[] },
 * }} GraphNode  `literal` is an input's value as it is typed, `dims` the shape of the value, [] without one too, `text` what stands right of `=` in the node's own
 *   line of formula, where that is something else,
 *   `ruleFull` the function of its rule; `cut`: a segment ends at its output; `segment` is the number of its own, from 1; `missing` says what an unfinished node still needs; `state` what is the matter with it in training, or how its declared derivative differs from the true one,
 *   in a word and in a sentence; the card of a collapsed
 *   group has a `group`: the nodes in it, those of them that feed others (`outs`), the one whose numbers it shows, and `ports`: how far below its top they are
 */
/**
 * @typedef {{ columns?: number, value?: string, cotangent?: string, valueTop?: string, cotangentTop?: string, says?: string }} Heat
 * small pictures of a tensor: cells row by row, a character each as views/heat.py writes them, the number that the strongest
 * shade stands for, and what part of the tensor is seen
 */
/** @typedef {{ kind: string, count: number, says: string }} GroupMark */
/**
 * @typedef {{
 *   from: string, to: string, slot: number, width: number, sign: number, passed: string,
 *   passedFull?: string, via: Point[], alternative?: boolean, out?: number, of?: Wire[], dims?: number[],
 * }} Wire  at the card of a collapsed group: from which of its ports, which wires of the graph it stands for and the shape of what they carry; `width` is 0 to 1; `sign` is -1, 0, 1, or 2 for a tensor with both signs
 */
/**
 * @typedef {{
 *   name: string, nodes: string[], policy: string, head?: string, badge?: string | null,
 *   saved?: string[], problem?: string | null, fault?: string | null, path?: string[],
 *   offer?: string, edit?: import("../../web/outbox.js").NewEdit,
 * }} Region  `fault` is the problem in a few words, `head` the line that begins its block in the formula;
 * `offer` are the words of a button that sends `edit` to mend it
 */
/**
 * @typedef {{
 *   name: string, nodes: string[], collapsed?: boolean, problem?: string | null,
 *   sums?: { from: string, width: number, sign: number, passed: string, passedFull?: string }[],
 *   branches?: string[], alone?: string, stopped?: boolean, asked?: boolean,
 * }} Group  `branches`: the groups right inside it that are its branches (another number of them is `asked` for), and the one that is trained `alone`, or that others are `stopped`; `sums`: what all wires from one node into the group pass back together, where there are several
 */
/** @typedef {Region | Group} Frame */
/**
 * @typedef {{
 *   seq?: number, code: string, message: string, hint?: string, node?: string, slot?: number, path?: string[],
 *   offer?: string, edit?: import("../../web/outbox.js").NewEdit,
 * }} Notice  why edit `seq` was refused; `offer` are the words of a button that sends `edit`
 */
/**
 * @typedef {{
 *   op: string, symbol: string, slots: string[], doc: string, formula?: string, aliases?: string[],
 *   fits?: "broadcast" | "matmul" | "any",
 * }} PaletteOp  `aliases` are other names to find it by; `fits` says which shapes its slots take together
 */
/** @typedef {{ group: string, ops: PaletteOp[] }} PaletteGroup */
/**
 * @typedef {{
 *   rev: number, ack: number, key: string, graph?: string, nodes: GraphNode[], wires: Wire[],
 *   regions: Region[], groups: Group[], within?: Map<string, string>, selected: string | null, picked?: string[],
 *   history: { undo?: string, redo?: string, labels?: Record<string, string>, at?: number },
 *   notice: Notice[], state?: number, live?: boolean, formula?: any, sliders?: any,
 *   node?: import("../../inspector/web/types.js").NodeData, check?: import("../../checks/web/types.js").CheckData,
 *   sweeps?: Record<string, string>, trail?: import("./keep/shelf.js").Trail, large?: import("./keep/large.js").Large,
 * }} Drawing  `within`: where groups are collapsed, the id of the card that each node in them is in; `sweeps`: by input, the key of the table that fits this drawing while its slider is dragged;
 * `history`: what undo takes back and redo brings back, the `labels` of the steps by their number, and
 * the present one's number; `picked` are nodes just put in; another `graph` means another document: the view is fitted again;
 * `state` numbers the states of the numbers on view, which change by themselves while it is `live`
 */
/** @typedef {import("../../web/outbox.js").Edit} Edit */
/** @typedef {import("../../web/outbox.js").NewEdit} NewEdit */

export {};

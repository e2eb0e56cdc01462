// @ts-check
// Declare the types of the drawing that Python sends and of the edits that the browser sends back. Types
// only.

/** @typedef {[number, number]} Point world or screen pixels, x to the right and y down */
/** @typedef {{ x: number, y: number, w: number, h: number }} Box top-left corner and size */
/** @typedef {{ x: number, y: number, k: number }} Viewport screen = world * k + (x, y) */
/** @typedef {[Point, Point, Point, Point]} Cubic one Bezier piece: start, two handles, end */
/** @typedef {{ label: string, constant: string | null, constantFull?: string, wired: boolean }} Slot
 * `constantFull` is the constant as typed, if `constant` is shortened */
/** @typedef {string} RuleKind  a name in `RULES` of ui/web/constants.js */

/**
 * @typedef {Box & {
 *   id: string, op: string, symbol: string, slots: Slot[],
 *   value: string, cotangent: string, valueFull?: string, cotangentFull?: string, shape?: string, dims?: number[],
 *   literal?: string, text?: string, rule: RuleKind, ruleText?: string, ruleFull?: string, isOutput: boolean, isInput: boolean, isParameter?: boolean, muted?: boolean, cut?: boolean, segment?: number, connected: boolean,
 *   problem?: string | null, missing?: string | null, warning?: string | null, runs?: string | null, heat?: Heat, state?: string[],
 *   tangent?: string, tangentFull?: string, tab?: string, beside?: boolean, full?: [number, number], foot?: number, above?: number,
 *   ports?: { ins: number[], outs: number[] }, group?: { name: string, nodes: string[], outs: string[], output: string | null, marks: GroupMark[], branches?: string[] },
 * }} GraphNode  `literal`: an input's value as typed; `dims`: the shape of the value, also [] without a value; `text`: the right side of `=` in the node's
 *   line of the formula, if it is not `literal`; `ruleFull`: the function of its rule; `cut`: a segment ends at its output; `tab`: the layer below or `beside` which a parameter is folded, and `full` the size of its card when it is not; `foot`: px that its own tabs take below a node; `above`: px to the card above it, if that is near its chips; `segment`: number of its segment, from 1;
 *   `missing`: what an unfinished node still needs; `state`: a word and a sentence on its problem in training, or on the difference of its declared derivative from the true one;
 *   `group`, only on the card of a collapsed group: its nodes, those that feed other nodes (`outs`), and the one whose numbers the card shows; `ports`: their distances in px from the card's top;
 *   `tangent`, only in forward mode
 */
/**
 * @typedef {{ columns?: number, value?: string, cotangent?: string, tangent?: string, valueTop?: string, cotangentTop?: string, tangentTop?: string, valueNumbers?: string[], cotangentNumbers?: string[], tangentNumbers?: string[], valueFull?: string[], cotangentFull?: string[], tangentFull?: string[], says?: string }} Heat
 * heat-maps of a tensor: cells row by row, a character each as views/canvas/heatmap.py encodes them, the number of the strongest shade,
 * the part of the tensor that is shown, and of a small tensor the numbers, row by row, short and `Full`; in forward mode the tangent's in place of the value's
 */
/** @typedef {{ kind: string, count: number, says: string }} GroupMark */
/**
 * @typedef {{
 *   from: string, to: string, slot: number, width: number, sign: number, passed: string,
 *   passedFull?: string, reverse?: { passed: string, passedFull?: string }, via: Point[], alternative?: boolean, out?: number, of?: Wire[], dims?: number[],
 * }} Wire  at the card of a collapsed group: the port that it leaves (`out`), the wires of the graph that it stands for (`of`) and the shape of their value; `width` is 0 to 1; `sign` is -1, 0, 1, or 2 for a tensor with both signs; `reverse`, only in forward mode: what it passes back, where `passed` is what it adds to a tangent
 */
/**
 * @typedef {{
 *   name: string, nodes: string[], policy: string, head?: string, badge?: string | null,
 *   saved?: string[], problem?: string | null, fault?: string | null, path?: string[],
 *   offer?: string, edit?: import("../../web/outbox.js").NewEdit, column?: number, end_column?: number,
 * }} Region  `fault` is the problem in a few words, `head` the line that begins its block in the formula;
 * `offer` are the words of a button that sends `edit` to mend it
 */
/**
 * @typedef {{
 *   name: string, nodes: string[], collapsed?: boolean, problem?: string | null,
 *   sums?: { from: string, width: number, sign: number, passed: string, passedFull?: string }[],
 *   branches?: string[], alone?: string, stopped?: boolean, asked?: boolean,
 * }} Group  `branches`: its branches, which are groups directly inside it; `asked`: another number of branches is requested; `alone`: the only branch that is trained; `stopped`: some parameters are stopped, but not all except one branch's; `sums`: the total contribution of all wires from one node into the group, if there are several
 */
/** @typedef {Region | Group} Frame */
/**
 * @typedef {{
 *   seq?: number, code: string, message: string, hint?: string, node?: string, slot?: number, path?: string[],
 *   offer?: string, edit?: import("../../web/outbox.js").NewEdit, column?: number, end_column?: number,
 * }} Notice  why edit `seq` was refused; `offer` are the words of a button that sends `edit`; the columns mark its place in a typed text
 */
/**
 * @typedef {{
 *   op: string, symbol: string, slots: string[], doc: string, formula?: string, aliases?: string[],
 *   fits?: "broadcast" | "matmul" | "any", block?: boolean,
 * }} PaletteOp  `aliases`: other names in the search; `block`: it is a group of several layers; `fits`: the rule for the shapes of its slots
 */
/** @typedef {{ group: string, ops: PaletteOp[] }} PaletteGroup */
/**
 * @typedef {{
 *   rev: number, ack: number, key: string, graph?: string, nodes: GraphNode[], wires: Wire[],
 *   regions: Region[], groups: Group[], within?: Map<string, string>, hidden?: number, selected: string | null, picked?: string[],
 *   history: { undo?: string, redo?: string, labels?: Record<string, string>, at?: number, gone?: number },
 *   notice: Notice[], state?: number, live?: boolean, moment?: import("../../lab/web/stepmark.js").Moment, figure?: string, lacks?: string[], lesson?: { key: string, variants: string[], variant: number } | null, trains?: boolean, twins?: import("../../twins/web/types.js").TwinsData, ranged?: import("./draw/highlights/ranged.js").Ranged | null, forward?: { says: string, blocked?: string[] }, formula?: any, sliders?: any,
 *   node?: import("../../inspector/web/types.js").NodeData, check?: import("../../checks/web/types.js").CheckData, paths?: import("../../paths/web/types.js").PathsData,
 *   sweeps?: Record<string, string>, trail?: import("./keep/shelf.js").Trail, large?: import("./keep/large.js").Large,
 * }} Drawing  `within`: by node in a collapsed group, the id of its card; `hidden`: how many nodes are hidden since they take no gradient; `sweeps`: by input, the key of the table for its slider that matches this drawing;
 * `history`: the names of the steps that undo and redo would take, the `labels` of all steps by number, and the number of the
 * present one, and how many older ones are `gone`; `picked`: nodes just inserted; another `graph` is another document, for which the view is fitted again;
 * `state`: number of the state of the numbers on view, which change by themselves while `live`;
 * `moment`: the step of the training that they are of; `trains`: whether the training is what to show first
 */
/** @typedef {import("../../web/outbox.js").Edit} Edit */
/** @typedef {import("../../web/outbox.js").NewEdit} NewEdit */

export {};

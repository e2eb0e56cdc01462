// @ts-check
// Declare the types of the list of paths, as views/page/paths.py sends it. Types only.

/** @typedef {{ way: string, sum: string, nodes: string[], wires: string[], below?: boolean, note?: string }} PathRow  `way`: the nodes, and `sum`: the factors with their product, as text; `wires`: their ids; `below`: whether it is negative */
/** @typedef {{ name?: string, says: string[], rows?: PathRow[], rest?: string }} PathsData  without `name` while they are worked out; `rest`: all paths without a row */

export {};

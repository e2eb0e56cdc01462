// @ts-check
// Declare the types of the check's data, as views/node/panel.py sends it. Types only.

/** @typedef {import("../../web/mend.js").Explanation & { name: string, later?: boolean }} LintData  `name`: of the node or checkpoint region that it is about; `at`: the nodes that take part; `later`: it matters only for a derivative that the graph does not take */
/**
 * @typedef {{
 *   notes?: string[], origin?: import("../../web/mend.js").Explanation, state?: "agrees" | "differs" | "checking" | "asks" | "waits" | "failed", says?: string, lints?: LintData[], cancel?: boolean,
 *   forward?: { state: "agrees" | "differs" | "blocked" | "failed", says: string },
 *   rows?: [name: string, gradient: string, difference: string, equal: string][], why?: string[],
 * }} CheckData  `cancel`: the check takes long and can be cancelled; without `state` there is nothing to check; `forward`: of the tangents, while forward mode is on; `rows` are sent only while the table is open
 */

export {};

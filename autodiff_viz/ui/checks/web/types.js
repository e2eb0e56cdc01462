// @ts-check
// Types of the check's data, as views/node/panel.py sends it. Types only.

/**
 * @typedef {{
 *   notes?: string[], origin?: import("../../web/mend.js").Explanation, state?: "agrees" | "differs" | "checking" | "asks" | "waits" | "failed", says?: string, cancel?: boolean,
 *   rows?: [name: string, gradient: string, difference: string, equal: string][], why?: string[],
 * }} CheckData  `cancel`: the check takes long and can be cancelled; without `state` there is nothing to check; `rows` are sent only while the table is open
 */

export {};

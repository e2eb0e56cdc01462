// @ts-check
// Types of the check's data, as views/panel.py sends it. Types only.

/**
 * @typedef {{
 *   notes?: string[], state?: "agrees" | "differs" | "checking" | "asks" | "waits" | "failed", says?: string, cancel?: boolean,
 *   rows?: [name: string, gradient: string, difference: string, equal: string][], why?: string[],
 * }} CheckData  `cancel`: it takes long, and can be ended; without a state there is nothing to check; `rows` of the table are sent to who looks at it
 */

export {};

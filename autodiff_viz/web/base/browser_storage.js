// @ts-check
// Keep what the browser keeps, for the hosts that have an address: of this tab, and of all tabs.

/** @type {import("./host.js").Host["storage"]} */
export const BROWSER_STORAGE = { tab: () => sessionStorage, browser: () => localStorage };

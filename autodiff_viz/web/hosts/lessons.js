// @ts-check
// Run in the page of lessons: the server has drawn it, and it shares with the lab what the browser keeps.

import { BROWSER_STORAGE } from "../base/browser_storage.js";
import { BARE } from "../base/host.js";

/** @type {import("../base/host.js").Host} */
export const LESSONS = { ...BARE, name: "lessons", storage: BROWSER_STORAGE };

// @ts-check
// Run in the presenter's window of notes: no lab, and signals to and from the stage (present/signals.js) in place of messages.

import { BROWSER_STORAGE } from "../base/browser_storage.js";
import { html } from "../base/dom.js";
import { BARE } from "../base/host.js";

/** @type {import("../base/host.js").Host} */
export const NOTES = {
  ...BARE,
  name: "notes",
  storage: BROWSER_STORAGE,
  mount: (own, css, { notes }) => {
    own.replaceChildren(html("style", {}, css.notes), notes);
    return BARE.mount(own, css, {});
  },
};

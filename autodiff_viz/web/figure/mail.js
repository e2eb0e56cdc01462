// @ts-check
// Take the place of the sender of edits in a figure that lives without a server: each edit is answered at once,
// by the file itself.

/** @typedef {import("../messages.js").NewEdit} NewEdit */

export class EditSender {
  /** @param {string} name @param {object} host @param {object} [told] as those of the page's own sender, which is told of a connection */
  constructor(name, host, told = {}) {
    Object.assign(this, { name, host, told });
    this.outbox = {
      key: "figure",
      last: 0,
      pending: /** @type {import("../messages.js").Edit[]} */ ([]),
    };
    /** Answers an edit. @type {(edit: NewEdit & { seq: number }) => void} */
    this.post = () => {};
  }

  /** @param {NewEdit} edit */
  send(edit) {
    const seq = this.outbox.last + 1;
    this.outbox = { ...this.outbox, last: seq };
    this.post({ ...edit, seq });
  }

  /** @param {NewEdit["kind"]} kind @returns {any} a sender for edits of one kind */
  desk(kind) {
    return {
      send: (/** @type {object} */ edit) =>
        this.send(/** @type {NewEdit} */ (/** @type {unknown} */ ({ ...edit, kind }))),
      pending: [],
    };
  }

  close() {}
}

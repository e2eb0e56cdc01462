// @ts-check
// Request the other parts of the page when the user is idle. An edit is answered by the numbers alone.

/** @typedef {import("./edit_sender.js").EditSender & { host: HTMLElement }} Mail */

export const STILL_MS = 30; // after the last answer; a user who goes on meanwhile is not held up
const BUSY_MS = 100; // between two checks while the user holds a key or a button
const PATIENCE_MS = 3000; // until a request is repeated that was lost or that a busy server has not answered
const MOST_MS = 24000;

export class IdleRefresh {
  /** @param {Mail} mail */
  constructor(mail) {
    this.mail = mail;
    this.turn = 0; // number of Python's last message
    this.timer = 0;
    this.held = false;
    this.press = () => (this.held = true);
    this.release = () => (this.held = false);
    addEventListener("pointerdown", this.press, true);
    for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, this.release, true);
    addEventListener("blur", this.release); // of the window: an element's blur also comes when another element is pressed
  }

  /** Handle a message from Python, which can be asked again in `rest` ms; never if null. The question is asked too if
   * Python does not know yet that the figure is in view: the message that says so may have been lost, or be held back
   * by an edit.
   * @param {{ turn: number, due: boolean, rest: number | null, seen: boolean }} word @param {boolean} [sees] */
  answered({ turn, due, rest, seen }, sees = seen) {
    this.turn = turn;
    const unheard = sees && !seen;
    this.mail.host.dataset.due = String(due || unheard); // tests wait until nothing is due
    clearTimeout(this.timer);
    if (rest !== null || unheard) this.wait(Math.max(rest ?? 0, STILL_MS));
  }

  /** @param {number} ms @param {number} [patience] */
  wait(ms, patience = PATIENCE_MS) {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.ask(patience), ms);
  }

  /** @param {number} [patience] ms until it is asked again */
  ask(patience = PATIENCE_MS) {
    if (!this.mail.host.isConnected) return;
    if (this.held || !this.mail.ask({ rest: this.turn })) return this.wait(BUSY_MS);
    this.wait(patience, Math.min(2 * patience, MOST_MS));
  }

  close() {
    clearTimeout(this.timer);
    removeEventListener("pointerdown", this.press, true);
    for (const kind of ["pointerup", "pointercancel"])
      removeEventListener(kind, this.release, true);
    removeEventListener("blur", this.release);
  }
}

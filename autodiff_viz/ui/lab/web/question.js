// @ts-check
// An edit is answered by the numbers alone. For the other parts of the page the browser asks when its hands are still.

/** @typedef {import("../../web/mail.js").Mail & { host: HTMLElement }} Mail */

export const STILL_MS = 30; // after the last answer; whoever goes on meanwhile is not held up
const BUSY_MS = 100; // until somebody who holds something is looked at again
const PATIENCE_MS = 3000; // until a question that was lost, or that a busy server has not answered, is asked again
const MOST_MS = 24000;

export class Question {
  /** @param {Mail} mail */
  constructor(mail) {
    this.mail = mail;
    this.turn = 0; // of Python's last word
    this.timer = 0;
    this.held = false;
    this.press = () => (this.held = true);
    this.release = () => (this.held = false);
    addEventListener("pointerdown", this.press, true);
    for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, this.release, true);
    addEventListener("blur", this.release); // the window's own: an element's comes as another is pressed
  }

  /** Python has spoken; in `rest` ms it can be asked again, never where that is null.
   * @param {{ turn: number, due: boolean, rest: number | null }} word */
  answered({ turn, due, rest }) {
    this.turn = turn;
    this.mail.host.dataset.due = String(due); // tests wait until nothing is
    clearTimeout(this.timer);
    if (rest !== null) this.wait(Math.max(rest, STILL_MS));
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
    for (const kind of ["pointerup", "pointercancel"]) removeEventListener(kind, this.release, true);
    removeEventListener("blur", this.release);
  }
}

// @ts-check
// Exchange messages over the lab's own websocket, where they cost the server a tenth of a run of Streamlit.
// Whatever it cannot send goes through the component.

import { shared } from "../base/constants.js";

// Messages that came through the component, whose large fields are JSON texts. Pure.

/** @param {import("../types.js").Written} data @returns {import("../types.js").Answer} */
export function readAnswer({ full, patch, tables, play, share, ...others }) {
  const parsed = (/** @type {string | undefined} */ text) => text && JSON.parse(text);
  return {
    ...others,
    full: parsed(full),
    patch: parsed(patch),
    play: parsed(play),
    share: parsed(share),
    tables: JSON.parse(tables),
  };
}

export const RETRY_MS = 5000; // between two attempts to connect
export const LATE_MS = 20_000; // without an answer the connection is given up
const PATH = "lab-socket"; // beside the page
const PROTOCOL = "lab";
const { message: LONGEST } = shared.limits; // characters; Python closes the connection at some more bytes

/** @typedef {import("../types.js").Answer} Answer */

export class LabSocket {
  /** @param {(word: Answer) => void} heard called with every message from Python
   * @param {() => void} lost called when the connection has broken: what was sent last may not have arrived
   * @param {(url: string, protocols: string[]) => WebSocket} [connect] */
  constructor(heard, lost, connect = (url, protocols) => new WebSocket(url, protocols)) {
    this.heard = heard;
    this.lost = lost;
    this.connect = connect;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.name = "";
    this.tried = -Infinity;
    /** When the oldest message without an answer was sent; null if all are answered. @type {number | null} */
    this.asked = null;
  }

  /** Connect to the session `name`, unless that is done or was tried a moment ago. The name is a secret, so it is sent in a header, which nobody logs.
   * @param {string} name */
  open(name) {
    if (!name) return;
    const now = performance.now();
    if (name === this.name && (this.socket || now - this.tried < RETRY_MS)) return;
    this.close();
    [this.name, this.tried] = [name, now];
    const socket = this.connect(address(), [PROTOCOL, name]);
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => socket === this.socket && this.take(data));
    for (const kind of ["close", "error"])
      socket.addEventListener(kind, () => socket === this.socket && this.drop());
  }

  /** @param {object} message @returns {boolean} whether it was sent */
  send(message) {
    if (this.socket?.readyState !== 1) return false; // 1 is OPEN
    if (this.asked !== null && performance.now() - this.asked > LATE_MS) {
      this.drop();
      return false;
    }
    const text = JSON.stringify(message);
    if (text.length > LONGEST) return false;
    this.socket.send(text);
    this.asked ??= performance.now();
    return true;
  }

  /** @param {string} text */
  take(text) {
    this.asked = null;
    this.heard(JSON.parse(text));
  }

  drop() {
    const waits = this.asked !== null;
    this.close();
    if (waits) this.lost();
  }

  close() {
    const socket = this.socket;
    [this.socket, this.asked] = [null, null];
    socket?.close();
  }
}

function address() {
  const url = new URL(PATH, document.baseURI);
  if (url.host !== location.host) throw new Error(`another host: ${url.host}`);
  url.protocol = url.protocol.replace("http", "ws");
  return url.href;
}

/** Put a query in the address bar, as a step of the browser's history, as Streamlit does.
 * @param {string} query */
export function showAddress(query) {
  const others = [...new URLSearchParams(location.search)].filter(
    ([name]) => HOSTS.includes(name.toLowerCase()) || OF_THE_PAGE.includes(name),
  );
  const search = [new URLSearchParams(others).toString(), query].filter(Boolean).join("&");
  if (search !== location.search.slice(1))
    history.pushState({}, "", location.pathname + (search && `?${search}`));
}

/** Have Streamlit read the address bar and run the page. When its connection returns, it would name the address that it
 * has written itself last, to a server that may have been restarted, and in some states it runs nothing. */
export const rereadAddress = () =>
  dispatchEvent(new PopStateEvent("popstate", { state: history.state }));

const OF_THE_PAGE = ["present"]; // which no state of the lab says: ui/address.py leaves them as they are
const HOSTS = ["embed", "embed_options"]; // of Streamlit, which hides them from the page's code

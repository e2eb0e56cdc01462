// @ts-check
// Start and update the lab component: the entry point, called with every message from Python on the same
// parent element.

import { runIn } from "./base/host.js";
import { readAnswer } from "./connection/socket.js";
import { readEmbed } from "./embed/contract.js";
import { frameOf } from "./hosts/frame.js";
import { NOTES } from "./hosts/notes.js";
import { PAGE } from "./hosts/page.js";
import { Lab } from "./lab.js";
import { load } from "./later.js";

/** @typedef {Record<string, string>} Styles by folder */
/** @typedef {import("./opening/picture.js").Done} Done */

const embed = readEmbed(location.search);
runIn(embed ? frameOf(embed) : PAGE);

/** @type {WeakMap<Node, Lab>} */
const labs = new WeakMap();

const SECONDS = 5; // for which Streamlit has been done without a lab on its page, as when it says why there is none

/** The lab that stands in the page before Streamlit has drawn its own. @type {Lab | null} */
let early = null;

/** Build the lab in the shell of the page, in place of its picture (`opening/picture.js`), with the drawing that has come
 * in it (`ui/server/opening.py`), and do what was done to the picture. Edits wait for the
 * session, as they do when a server has been restarted.
 * @param {Styles} css @param {import("./types.js").Constants} constants */
export function open(css, constants) {
  const data = document.getElementById("av-opening")?.textContent;
  const place = document.getElementById("av-first-canvas");
  if (!data || !place || early) return;
  const key = `opening ${Math.random()}`; // of no session, and of no other page
  const { autodiff_viz_picture: end } = /** @type {{ autodiff_viz_picture?: () => Done[] }} */ (
    /** @type {any} */ (globalThis)
  );
  const done = end?.() ?? [];
  early = new Lab(place.shadowRoot ?? place.attachShadow({ mode: "open" }), css, constants);
  early.receive({ ...JSON.parse(data), key, early: true }, () => {});
  for (const one of done) early.again(one);
  let idle = 0;
  const timer = setInterval(() => {
    const app = /** @type {HTMLElement | null} */ (document.querySelector("[data-testid=stApp]"));
    const isDone = // before it is connected it runs nothing either
      app?.dataset.testScriptState === "notRunning" &&
      app.dataset.testConnectionState === "CONNECTED";
    idle = isDone ? idle + 1 : 0;
    if (early && idle < SECONDS) return;
    clearInterval(timer);
    if (!early) return;
    document.getElementById("av-first")?.remove();
    early.close();
    early = null;
  }, 1000);
}

/** @param {ParentNode & Node} parent @returns {Lab | null} the lab of the shell, which moves to `parent` */
function moved(parent) {
  const lab = early;
  early = null;
  lab?.places.moveTo(parent);
  return lab;
}

/** @param {{ data: import("./types.js").Written, parentElement: ParentNode & Node,
 *   setTriggerValue: (name: string, value: any) => void }} component
 * @param {Styles} css @param {import("./types.js").Constants} constants */
export default function main({ data, parentElement, setTriggerValue }, css, constants) {
  if (data.notes) {
    runIn(NOTES);
    return load("notes").then((notes) => notes.openNotesPage(parentElement, notes.css ?? ""));
  }
  const lab =
    labs.get(parentElement) ?? moved(parentElement) ?? new Lab(parentElement, css, constants);
  labs.set(parentElement, lab);
  lab.receive(readAnswer(data), (message) => setTriggerValue("outbox", message));
  return () => lab.isHere || lab.close(); // Streamlit cleans up superseded calls too
}

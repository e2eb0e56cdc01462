// @ts-check
// Hint at a newcomer's first presses: a line by the play button. Each line goes away once its press has been
// made, and the browser remembers it. Pure but for the storage.

import { BROWSER, readList, writeList } from "../../../web/store.js";

/** @typedef {"select" | "bend"} Press presses that have been made once */
/** @typedef {{ known: Set<Press>, played: boolean, chosen: string | null, symbol: string | null, stopped: boolean, finger?: boolean, narrow?: boolean }} Newcomer
 * `chosen`: op of the single selected node; `symbol`: of a node to stop, if the graph has one; `stopped`: whether that node
 * has a stop already; `finger`: whether there is no mouse; `narrow`: whether stop is in the menu Bend */

const NAME = "hints";
export const TRY = "exp"; // op of the node that a newcomer is advised to stop

/** The line; "" for none. @param {Newcomer} newcomer */
export function hintOf({ known, played, chosen, symbol, stopped, finger, narrow }) {
  if (known.has("bend")) return "";
  const click = finger ? "Tap" : "Click";
  const stop = narrow ? "press Bend, then stop" : "press stop";
  const press = stopped ? `its stop is on: ${stop} to take it off` : stop;
  if (chosen === TRY) return `${upper(press)}, and watch the gradients change`;
  if (played && symbol) return `${click} ${symbol}, then ${stop}`;
  return known.has("select") ? "" : `${click} a node to bend its gradient`;
}

/** @param {string} text */
const upper = (text) => text[0].toUpperCase() + text.slice(1);

/** @returns {Set<Press>} */
export const readKnown = () => new Set(readList(BROWSER, NAME).map(({ press }) => press));

/** @param {Set<Press>} known @param {Press} press */
export function learn(known, press) {
  if (known.has(press)) return;
  known.add(press);
  writeList(BROWSER, NAME, [...known].map((one) => ({ press: one })));
}

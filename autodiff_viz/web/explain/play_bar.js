// @ts-check
// Draw the bar below the canvas that plays the pass, with steps, a scrubber and the step's equation, or a
// hint to a newcomer.

import { isOpen } from "../asking/questions.js";
import { html } from "../base/dom.js";
import { icon } from "../base/icons.js";
import { BROWSER, readList, writeList } from "../base/store.js";
import { setExplained } from "../base/term.js";
import { BY_HAND } from "../dock/panels.js";
import { liveSays, placeSays, placeText, Player } from "./play.js";
import { transportParts } from "./transport.js";

// A newcomer's hints. Each goes away once its press has been made, which the browser remembers. Pure but for
// the storage.

/** @typedef {"select" | "bend"} Press presses that have been made once */
/**
 * @typedef {object} Newcomer
 * @property {Set<Press>} known
 * @property {boolean} [asked] whether a question about this graph is open, which a press would answer for another graph
 * @property {boolean} played
 * @property {string | null} chosen op of the single selected node
 * @property {string | null} symbol of a node to stop, if the graph has one
 * @property {boolean} stopped whether that node has a stop already
 * @property {boolean} [finger] whether there is no mouse
 * @property {boolean} [narrow] whether stop is in the menu Bend
 */

const NAME = "hints";
export const TRY = "exp"; // op of the node that a newcomer is advised to stop

/** The line; "" for none. @param {Newcomer} newcomer */
export function hintOf({ known, asked, played, chosen, symbol, stopped, finger, narrow }) {
  if (asked || known.has("bend")) return "";
  const click = finger ? "Tap" : "Click";
  const stop = narrow ? "press Bend, then stop" : "press stop";
  const press = stopped ? `its stop is on: ${stop} to take it off` : stop;
  if (chosen === TRY)
    return `${press[0].toUpperCase()}${press.slice(1)}, and watch the gradients change`;
  if (played && symbol) return `${click} ${symbol}, then ${stop}`;
  return known.has("select") ? "" : `${click} a node to bend its gradient`;
}

/** @returns {Set<Press>} */
export const readKnown = () => new Set(readList(BROWSER, NAME).map(({ press }) => press));

/** @param {Set<Press>} known @param {Press} press */
export function rememberPress(known, press) {
  if (known.has(press)) return;
  known.add(press);
  writeList(
    BROWSER,
    NAME,
    [...known].map((one) => ({ press: one })),
  );
}

/** @typedef {import("../canvas/editor.js").Editor} Editor */

/** @type {WeakMap<Editor, Player>} */
const players = new WeakMap();

/** The player of a canvas. @param {Editor} editor */
export const playerOf = (editor) => players.get(editor);

/** Answer a key pressed where no element takes it: the space bar plays; while the pass is played, all keys of the transport do
 * what they do there. @param {Editor} editor @param {KeyboardEvent} event @returns {boolean} whether it was one */
export function playKey(editor, event) {
  const player = players.get(editor);
  if (!player || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.key === " ") editor.startPlay();
  else if (player.at === null || event.key === "Escape") return false;
  else return pressed(player, event.key);
  return true;
}

/** The transport, which stands below the canvas. @param {Editor} editor @returns {HTMLElement} */
export function openTransport(editor) {
  const player = new Player(editor);
  const bar = transport(player);
  editor.startPlay = () => {
    bar.querySelector("button")?.focus({ preventScroll: true });
    player.toggle();
  };
  editor.endPlay = () => player.leave();
  editor.play = player;
  editor.playTo = (about) => player.seekNumber(about);
  players.set(editor, player);
  return html("div", { class: "bench" }, bar);
}

/** @param {Player} player */
function transport(player) {
  const { bar, play, back, on, finish, scrubber, speed, equation, place, says } = transportParts();
  /** @type {[Element, string, (event: any) => void][]} */
  const acts = [
    [play, "click", () => player.toggle()],
    [back, "click", () => player.step(-1)],
    [on, "click", () => player.step(1)],
    [finish, "click", () => player.finishPhase()],
    [scrubber, "input", () => player.seek(Number(scrubber.value))],
    [speed, "change", () => player.setSpeed(Number(speed.value))],
    [bar, "keydown", (event) => key(player, event)],
  ];
  for (const [element, kind, act] of acts) element.addEventListener(kind, act);
  const hint = hinted(player);
  const show = () => {
    const { steps, at, runs } = player;
    const goes = runs || player.wish !== null;
    tellPlay(play, goes, at !== null);
    const ended = steps !== null && at === steps.length;
    for (const [element, idle] of /** @type {[Element, boolean][]} */ ([
      [back, !at],
      [on, ended],
      [finish, ended],
    ]))
      element.setAttribute("aria-disabled", String(idle));
    scrubber.disabled = !steps;
    scrubber.max = String(steps?.length ?? 1);
    scrubber.value = String(at ?? 0);
    scrubber.setAttribute(
      "aria-valuetext",
      steps && at !== null ? placeSays(steps, at) : "nothing is played",
    );
    says.setAttribute("aria-live", runs ? "off" : "polite");
    const words = player.says;
    setExplained(equation, words || (at === null ? hint() : ""));
    equation.classList.toggle("invitation", !words);
    const step = steps && at ? steps[at - 1] : null;
    equation.title = equation.textContent ?? "";
    setExplained(
      place,
      steps && at !== null
        ? [placeText(steps, at), step && liveSays(step)].filter(Boolean).join(" \u00b7 ")
        : "",
    );
    bar.dataset.at = at === null ? "" : String(at);
    bar.classList.toggle("fresh", at === null);
  };
  player.watchers.push(show);
  player.editor.watchers.push(
    () => player.at === null && !player.says && setExplained(equation, hint()),
  );
  show();
  return bar;
}

/** @param {HTMLButtonElement} play @param {boolean} goes @param {boolean} begun */
function tellPlay(play, goes, begun) {
  const label = goes ? "Pause" : begun ? "Play on" : "Play the pass";
  if (play.getAttribute("aria-label") === label) return;
  play.setAttribute("aria-label", label);
  play.title = `${label}  (${goes || begun ? "Space" : "Shift+Enter"})`;
  play.replaceChildren(icon(goes ? "pause" : "play"), html("span", {}, goes ? "Pause" : "Play"));
}

/** Keys while the transport has the focus; the others are the canvas's. @param {Player} player @param {KeyboardEvent} event */
function key(player, event) {
  const target = /** @type {Element} */ (event.target);
  const isElements =
    (target.matches("select") && event.key !== "Escape") ||
    (target.matches(".scrubber") && MOVES.test(event.key)) ||
    (target.matches("button") && PRESSES.test(event.key));
  if (isElements) return event.stopPropagation();
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    !(pressed(player, event.key) || MOVES.test(event.key))
  )
    return;
  event.stopPropagation();
  event.preventDefault();
}

const MOVES = /^(Arrow|Home$|End$)/;
const PRESSES = /^( |Enter)$/; // a button

/** @type {Record<string, (player: Player) => void>} */
const PRESSED = {
  " ": (player) => player.toggle(),
  ArrowRight: (player) => player.step(1),
  ArrowLeft: (player) => player.step(-1),
  End: (player) => player.finishPhase(),
  Home: (player) => player.seek(0),
  Escape: (player) => void player.leave(),
};

/** Do what a key says; false if it says nothing. @param {Player} player @param {string} key */
function pressed(player, key) {
  PRESSED[key]?.(player);
  return key in PRESSED;
}

/** The newcomer's line, which learns from what is done. @param {Player} player @returns {() => string} */
function hinted(player) {
  const { editor } = player;
  const known = readKnown();
  /** The drawing that was looked at last, and its rules by node. */
  let [seen, rules] = [editor.drawing, ""];
  editor.watchers.push(() => {
    if (known.has("bend")) return;
    const { drawing } = editor;
    if (editor.selection.size && editor.single !== drawing.selected) rememberPress(known, "select"); // by the user, not by a lesson
    if (drawing === seen) return;
    const now = drawing.nodes.map(({ id, rule }) => `${id} ${rule}`).join();
    if (seen.graph === drawing.graph && rules !== now && editor.selection.size)
      rememberPress(known, "bend");
    [seen, rules] = [drawing, now];
  });
  return () => {
    if (editor.isFixed) return "";
    const tried = editor.shown.nodes.find(({ op }) => op === TRY);
    const chosen = editor.node(editor.single)?.op ?? null;
    const [finger, narrow] = [matchMedia("(pointer: coarse)").matches, matchMedia(BY_HAND).matches];
    return hintOf({
      known,
      asked: editor.drawing.asking?.items.some(isOpen),
      played: player.played,
      chosen,
      symbol: tried?.symbol ?? null,
      stopped: tried?.rule === "stop",
      finger,
      narrow,
    });
  };
}

// @ts-check
// Keep in the browser which lessons were opened, answered and done, and where in the lab the visitor was.
// Nothing of it goes to the server; where storage is denied, nothing is kept.

import { BROWSER, TAB, readList, writeList } from "./store.js";

/** A lesson that was opened. @typedef {object} Visit
 * @property {string} key of the lesson
 * @property {number} at when it was last opened, in ms since 1970
 * @property {string | boolean} [answered] what was answered the first time to all that is asked of one of its graphs, as a
 * line of results; true of one of an earlier version or of a text, which have no line
 */

const VISITS = "lessons";
const PLACE = "place in the lab";
const LAST = "last graph";
const STAMP = "at"; // field of an address: who has written it and after which edit (lab/persistence/address.py)
const TRIES = "autodiff_viz done"; // kept by web/progress.js: ids of exercises, such as "fork:0"
const MOST = 300; // lessons that are kept
/** What the key of a lesson looks like. */
export const KEY = /^[a-z0-9-]{1,60}$/;

/** All that was opened, the latest first. @returns {Visit[]} */
export function readVisits() {
  const seen = new Set();
  return readList(BROWSER, VISITS)
    .filter(({ key, at }) => typeof key === "string" && KEY.test(key) && Number.isFinite(at))
    .sort((a, b) => b.at - a.at)
    .filter(({ key }) => !seen.has(key) && seen.add(key));
}

/** @param {Visit[]} visits */
export const writeVisits = (visits) => writeList(BROWSER, VISITS, visits.slice(0, MOST));

/** Keep that a lesson is open, and its first result. @param {string} key @param {string} [answered] */
export function noteVisit(key, answered) {
  const visits = readVisits();
  const before = visits.find((visit) => visit.key === key);
  const now = { key, at: Date.now(), answered: before?.answered || answered };
  writeVisits([now, ...visits.filter((visit) => visit !== before)]);
}

/** The numbers of the exercises that were done, by lesson. @returns {Map<string, Set<number>>} */
export function readTries() {
  /** @type {Map<string, Set<number>>} */
  const done = new Map();
  try {
    const ids = JSON.parse(localStorage.getItem(TRIES) ?? "[]");
    for (const id of Array.isArray(ids) ? ids : []) {
      const [key, number] = String(id).split(":");
      if (!KEY.test(key) || !/^[0-9]{1,3}$/.test(number ?? "")) continue;
      done.set(key, (done.get(key) ?? new Set()).add(Number(number)));
    }
  } catch {
    // a browser that keeps nothing, or another version's text
  }
  return done;
}

/** @param {Map<string, Set<number>>} done */
export function writeTries(done) {
  const ids = [...done].flatMap(([key, numbers]) =>
    [...numbers].map((number) => `${key}:${number}`),
  );
  try {
    localStorage.setItem(TRIES, JSON.stringify(ids));
  } catch {
    // a browser that keeps nothing
  }
}

let isLent = false; // whether the graph on view was left by a lesson that was closed here, and not changed since

/** Note whether the graph on view is one that a closed lesson has left, which is not the visitor's own. @param {boolean} lent */
export const noteLent = (lent) => (isLent = lent);

/** Keep where in the lab this tab is, when the page is left, and for later visits a graph of one's own: the one made
 * last, also where the browser's back button shows an earlier one. @param {string} search */
export function keepPlace(search) {
  const lent = isLent || wasLent(search);
  writeList(TAB, PLACE, [{ search, lent }]);
  if (isOwnGraph(search) && !lent && !isEarlier(search, lastGraph()))
    writeList(BROWSER, LAST, [{ search }]);
}

/** Whether the graph of an address is the one that a closed lesson had left when this tab left the lab. @param {string} search */
export function wasLent(search) {
  const [graph, place] = [fieldOf(search, "g"), readList(TAB, PLACE)[0]];
  return Boolean(graph && place?.lent && graph === fieldOf(String(place.search), "g"));
}

/** Whether one session has written both addresses, this one before the other. Pure. @param {string} search @param {string} other */
export function isEarlier(search, other) {
  const [[key, number], [otherKey, last]] = [search, other].map((each) =>
    (fieldOf(each, STAMP) ?? "").split("."),
  );
  return Boolean(key) && key === otherKey && Number(number) < Number(last);
}

/** @param {string} search @param {string} name */
const fieldOf = (search, name) => new URLSearchParams(search).get(name);

/** Whether an address holds a graph, and no lesson. Pure. @param {string} search */
export function isOwnGraph(search) {
  const fields = new URLSearchParams(search);
  return (fields.has("f") || fields.has("g")) && !fields.has("lesson");
}

/** @param {import("./store.js").Place} place @param {string} name @returns {string} the query of an address; "" for none */
function kept(place, name) {
  const search = readList(place, name)[0]?.search;
  return typeof search === "string" && search.startsWith("?") ? search : "";
}

/** Where in the lab this tab was; "" if it was not. */
export const placeInLab = () => kept(TAB, PLACE);

/** The graph of one's own that was left last in this browser; "" for none. */
export const lastGraph = () => kept(BROWSER, LAST);

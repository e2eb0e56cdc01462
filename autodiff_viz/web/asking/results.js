// @ts-check
// Keep the result of each step of a tour in this tab: a step that is left has its answers no longer.

import { readList, TAB, writeList } from "../base/store.js";

/** @typedef {import("../types.js").AskingData} AskingData */
/** @typedef {import("../types.js").TourData} TourData */
/** @typedef {{ tour: string, at: number, asked: string, line: string }} Result */

const NAME = "results";
const MOST = 200; // results; those of other tours go first

/** The results with one more. The first result of a step stays: who returns knows the answers.
 * @param {Result[]} results @param {Result} result @returns {Result[]} */
export const withResult = (results, result) =>
  results.some(
    ({ tour, at, asked }) => tour === result.tour && at === result.at && asked === result.asked,
  )
    ? results
    : [
        result,
        ...results.filter(({ tour, at }) => tour !== result.tour || at !== result.at), // of the step's earlier questions
      ].slice(0, MOST);

/** The results of a tour to paste, a line for each step in their order; "" without any.
 * @param {Result[]} results @param {string} tour */
export const block = (results, tour) =>
  results
    .filter((result) => result.tour === tour)
    .sort((a, b) => a.at - b.at)
    .map(({ line }) => line)
    .join("\n");

/** @param {TourData} tour */
const nameOf = ({ title, steps }) => JSON.stringify([title, steps.map((step) => step.title)]);

/** Keep the result of the step on view, once all of it is answered. @param {TourData} tour @param {AskingData} asking */
export function keepResult(tour, { summary, items }) {
  if (!summary) return;
  const asked = JSON.stringify(items.map(({ kind, says }) => [kind, says]));
  const results = readList(TAB, NAME);
  const more = withResult(results, { tour: nameOf(tour), at: tour.at, asked, line: summary });
  if (more !== results) writeList(TAB, NAME, more);
}

/** The results of a tour that this tab has kept, to paste. @param {TourData} tour */
export const resultsOf = (tour) => block(readList(TAB, NAME), nameOf(tour));

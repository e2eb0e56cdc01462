// @ts-check
// Compute what has been computed after some steps of a pass, as it is played. Pure.

/**
 * @typedef {{ node: string, back?: boolean, again?: string, dropped?: boolean, wires?: string[], live: number, says: string }} Step
 * as views/page/play.py sends it. `back`: of the backward pass; `again`: the checkpoint region that runs again;
 * `dropped`: nothing of this run is needed; `wires`: those that the step uses, as "node:slot"; `live`: elements that are
 * still to be read after it; `says`: its equation
 */
/** @typedef {{ state: number, steps: Step[], says?: string }} Sent  `state`: of the numbers; without steps, `says` tells why */
/**
 * @typedef {{ values: Set<string>, cotangents: Set<string>, passed: Set<string>, step: Step | null, done: boolean }} Shown
 * the nodes whose value and whose cotangent are computed, the wires down which something has been passed, the last step
 */

export const SPEEDS = [0.5, 1, 2, 4];
const STEP_MS = 1100; // at speed 1

/** @param {number} speed */
export const delayOf = (speed) => STEP_MS / speed;

/** What has been computed after the first `at` steps. @param {Step[]} steps @param {number} at @returns {Shown} */
export function shownAfter(steps, at) {
  /** @type {Shown} */
  const shown = { values: new Set(), cotangents: new Set(), passed: new Set(), step: steps[at - 1] ?? null, done: at >= steps.length };
  for (const { node, back, again, wires = [] } of steps.slice(0, at)) {
    if (!back) shown.values.add(node);
    else if (!again) {
      shown.cotangents.add(node);
      for (const wire of wires) shown.passed.add(wire);
    }
  }
  return shown;
}

/** Whether the number at a place is computed. @param {Shown} shown @param {string} place as in a slider's table: "value y", "passed y:0" */
export function isComputed({ values, cotangents, passed, done }, place) {
  const [what, name] = place.split(" ");
  if (done) return true;
  if (what === "value") return values.has(name);
  return what === "cotangent" || what === "changed" ? cotangents.has(name) : passed.has(name);
}

/** Number of forward steps. @param {Step[]} steps */
export function turnOf(steps) {
  const first = steps.findIndex(({ back }) => back);
  return first < 0 ? steps.length : first;
}

/** How many steps are done when the phase is finished that comes after `at` steps. @param {Step[]} steps @param {number} at */
export const phaseEnd = (steps, at) => (at < turnOf(steps) ? turnOf(steps) : steps.length);

/** @param {Step[]} steps @param {number} at */
export const within = (steps, at) => Math.min(Math.max(Math.round(at), 0), steps.length);

/** The phase, its step and the number of its steps. @param {Step[]} steps @param {number} at @returns {[string, number, number]} */
function placeOf(steps, at) {
  const turn = turnOf(steps);
  return at <= turn ? ["forward", at, turn] : ["backward", at - turn, steps.length - turn];
}

/** The place in the pass, in words. @param {Step[]} steps @param {number} at */
export function placeSays(steps, at) {
  const [phase, step, count] = placeOf(steps, at);
  return at ? `${phase}, step ${step} of ${count}` : "before the first step";
}

/** The same, as short as it stands under the scrubber. @param {Step[]} steps @param {number} at */
export const placeText = (steps, at) => placeOf(steps, at).join(" ").replace(/ (\d+)$/, " of $1");

/** How many elements are live, in words. @param {Step} step */
export const liveSays = ({ live }) => `${live} live`;

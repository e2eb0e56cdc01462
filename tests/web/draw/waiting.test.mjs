import assert from "node:assert/strict";
import test from "node:test";
import { WaitingLine } from "../../../autodiff_viz/web/canvas/draw/highlights.js";

/** A host that holds lines, without a DOM. */
function host() {
  const lines = [];
  const make = () => {
    const line = { remove: () => lines.splice(lines.indexOf(line), 1) };
    return line;
  };
  return { lines, make, append: (line) => lines.push(line) };
}

test("an answer within a second is awaited in silence, and a later one with a line that goes when it comes", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const canvas = host();
  const waiting = new WaitingLine(canvas, canvas.make);
  waiting.tell(true);
  context.mock.timers.tick(900);
  waiting.tell(false);
  context.mock.timers.tick(5000);
  assert.equal(canvas.lines.length, 0);
  waiting.tell(true);
  context.mock.timers.tick(600);
  waiting.tell(true); // the next edit does not begin the second again
  context.mock.timers.tick(600);
  assert.equal(canvas.lines.length, 1);
  waiting.tell(false);
  assert.equal(canvas.lines.length, 0);
});

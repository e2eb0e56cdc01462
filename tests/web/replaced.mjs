// Says of each pair of drawings made by Python, one pair a line, whether one graph has taken the other's place.
import { createInterface } from "node:readline";
import { replaces } from "../../autodiff_viz/web/canvas/state/differences.js";

for await (const line of createInterface({ input: process.stdin })) {
  const [before, after] = JSON.parse(line);
  console.log(replaces(before, after));
}

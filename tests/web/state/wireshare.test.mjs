import assert from "node:assert/strict";
import { test } from "node:test";
import { shareOf } from "../../../autodiff_viz/web/canvas/popovers/wire.js";

const wire = (to, passed, more = {}, number = Number(passed.replace("\u2212", "-") || NaN)) => ({
  from: "x",
  to,
  slot: 0,
  passed,
  number: isNaN(number) ? undefined : { kind: 0, numbers: [number] },
  width: 1,
  sign: 1,
  via: [],
  ...more,
});
const graph = (cotangent, wires, more = {}) => ({
  nodes: [{ id: "x", cotangent, ...more }],
  wires,
});

test("a wire of a fork has its share of the sum", () => {
  const [a, b] = [wire("a", "2"), wire("b", "6")];
  assert.equal(shareOf(graph("8", [a, b]), b), "6 of 8, 75 % of the sum of 2 wires");
});

test("a wire alone has none", () => {
  const a = wire("a", "2");
  assert.equal(shareOf(graph("2", [a, wire("b", "", { alternative: true })]), a), "");
});

test("where signs differ, or of tensors, there are no per cent", () => {
  const [a, b] = [wire("a", "\u22122"), wire("b", "6")];
  assert.equal(shareOf(graph("4", [a, b]), b), "6 of 4, the sum of 2 wires");
  const [c, d] = [wire("a", "\u20162\u2016"), wire("b", "\u20166\u2016")];
  assert.equal(
    shareOf(graph("\u20165\u2016", [c, d]), d),
    "\u20166\u2016 of \u20165\u2016, the sum of 2 wires",
  );
});

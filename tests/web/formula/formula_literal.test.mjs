import assert from "node:assert/strict";
import test from "node:test";
import { withNumber } from "../../../autodiff_viz/web/formula/fold.js";

const TEXT = `# x = 1.0 is where we begin
x = 0.6  # mine
x_2 = -3e-2
y = input(1.5, low=0.0, high=5.0)
w=parameter( value = 2.0 )
with group("x"):
    inner = 4.0
a = x * 2.0
b = -x
`;
const changed = (name, number) => {
  const lines = withNumber(TEXT, name, number)?.split("\n");
  return lines && lines.filter((line, i) => line !== TEXT.split("\n")[i]);
};

test("the number of an input is replaced where it is assigned", () => {
  assert.deepEqual(changed("x", "3.62"), ["x = 3.62  # mine"]);
  assert.deepEqual(changed("x_2", "0.5"), ["x_2 = 0.5"]);
  assert.deepEqual(changed("y", "-2.25"), ["y = input(-2.25, low=0.0, high=5.0)"]);
  assert.deepEqual(changed("w", "1e-7"), ["w=parameter( value = 1e-7 )"]);
  assert.deepEqual(changed("inner", "0.1"), ["    inner = 0.1"]);
});

test("a whole number stays one that a slider can move", () => {
  assert.deepEqual(changed("x", "3"), ["x = 3.0  # mine"]);
  assert.deepEqual(changed("x", "-0"), ["x = -0.0  # mine"]);
});

test("what is no input, or has no number of its own, is left alone", () => {
  for (const name of ["a", "b", "nobody"]) assert.equal(withNumber(TEXT, name, "1.0"), null);
  assert.equal(withNumber("x = 2.0 * 3.0", "x", "1.0"), null);
  assert.equal(withNumber("x = [1.0, 2.0]", "x", "1.0"), null);
});

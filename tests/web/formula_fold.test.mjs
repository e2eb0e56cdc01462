import assert from "node:assert/strict";
import test from "node:test";
import { folded, foldsOf, fromFolded, toFolded } from "../../autodiff_viz/ui/formula/web/fold.js";

const shown = (line) => folded(line, foldsOf(line));

test("a long literal is shown as its shape, and what is around it stays", () => {
  assert.equal(shown("w = parameter([[0.12, -0.3], [0.45, 0.61], [-0.7, 1.5e-3]])  # weights"), "w = parameter([3 x 2])  # weights");
  assert.equal(shown("y = matmul([0.125, 0.25, 0.375, 0.5, 0.625], x) + 1.0"), "y = matmul([5], x) + 1.0");
  assert.equal(shown("z = [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]"), "z = [1 x 2 x 3]");
});

test("a short literal, a list of names, an open bracket and a comment stay as they are", () => {
  for (const line of ["x = [1.0, 2.0]", "y = total([first_of_them, second_of_them, third])", "x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0", "# [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]"])
    assert.equal(shown(line), line);
});

test("offsets go to the folded line and back, and a place inside of a fold comes back as its beginning", () => {
  const line = "a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] + b * [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0] + c";
  const folds = foldsOf(line);
  const text = folded(line, folds);
  for (const sign of "abc+*=") {
    const at = line.lastIndexOf(sign);
    assert.equal(text[toFolded(folds, at)], sign);
    assert.equal(fromFolded(folds, toFolded(folds, at)), at);
  }
  assert.equal(fromFolded(folds, text.indexOf("[7]") + 1), line.indexOf("[9.0"));
  assert.equal(toFolded(folds, line.length), text.length);
});

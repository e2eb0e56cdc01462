import assert from "node:assert/strict";
import test from "node:test";
import { offsetInText, foldedLines, toFolded } from "../../../autodiff_viz/web/formula/fold.js";

const shown = (...lines) =>
  foldedLines(lines)
    .filter(({ hidden }) => !hidden)
    .map(({ text }) => text);

test("a long literal is shown as its shape, and what is around it stays", () => {
  assert.deepEqual(
    shown("w = parameter([[0.12, -0.3], [0.45, 0.61], [-0.7, 1.5e-3]])  # weights"),
    ["w = parameter([… 3 x 2 numbers …])  # weights"],
  );
  assert.deepEqual(shown("y = matmul([0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875], x) + 1.0"), [
    "y = matmul([… 7 numbers …], x) + 1.0",
  ]);
  assert.deepEqual(shown("z = [[[1.0, 2.0, 3.0, 3.5], [4.0, 5.0, 6.0, 6.5]]]"), [
    "z = [… 1 x 2 x 4 numbers …]",
  ]);
});

test("a literal over several lines takes one, with what follows it", () => {
  const lines = [
    "a = 1.0",
    "w = parameter([[0.12, -0.3], # one",
    "    [0.45, 0.61],",
    "    [-0.7, 1.5]]) * a",
    "b = w",
  ];
  assert.deepEqual(shown(...lines), ["a = 1.0", "w = parameter([… 3 x 2 numbers …]) * a", "b = w"]);
});

test("a short literal, a list of names, an open bracket and a comment stay as they are", () => {
  for (const line of [
    "x = [1.0, 2.0]",
    "x = torch.tensor([[0.5, -1.0], [1.0, 2.0]])",
    "y = total([first_of_them, second_of_them, third])",
    "x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0",
    "# [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]",
  ])
    assert.deepEqual(shown(line, "b = 2.0"), [line, "b = 2.0"]);
});

test("offsets go to the folded line and back, and a place inside of a literal comes back as its beginning", () => {
  const line =
    "a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0] + b * [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0] + c";
  const found = foldedLines([line]);
  const [{ text, folds }] = found;
  for (const sign of "abc+*=") {
    const at = line.lastIndexOf(sign);
    assert.equal(text[toFolded(folds, at)], sign);
    assert.deepEqual(offsetInText(found, 0, toFolded(folds, at)), { line: 0, unit: at });
  }
  assert.deepEqual(offsetInText(found, 0, text.lastIndexOf("[…") + 1), {
    line: 0,
    unit: line.indexOf("[9.0"),
  });
  assert.deepEqual(offsetInText(found, 0, text.length), { line: 0, unit: line.length });
});

test("a place behind a literal over several lines comes back in its last line", () => {
  const lines = ["w = f([[0.12, -0.3], [1.0, 2.0],", "    [0.45, 0.61]], c)"];
  const found = foldedLines(lines);
  assert.equal(found[0].text, "w = f([… 3 x 2 numbers …], c)");
  assert.deepEqual(offsetInText(found, 0, found[0].text.indexOf("c")), {
    line: 1,
    unit: lines[1].indexOf("c"),
  });
  assert.deepEqual(offsetInText(found, 0, found[0].text.indexOf("f")), {
    line: 0,
    unit: lines[0].indexOf("f"),
  });
  assert.deepEqual(offsetInText(found, 0, found[0].text.length), {
    line: 1,
    unit: lines[1].length,
  });
});

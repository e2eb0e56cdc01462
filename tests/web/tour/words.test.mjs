import assert from "node:assert/strict";
import test from "node:test";
import { paragraphsIn, piecesIn, placeAt } from "../../../autodiff_viz/web/tour/words.js";

test("code, bold, italics and links are pieces of their own, and nothing else is", () => {
  assert.deepEqual(piecesIn("`x` is **3**, *not* 2: see [it](https://a.example/b_(c))."), [
    { kind: "code", text: "x" },
    { kind: "text", text: " is " },
    { kind: "bold", text: "3" },
    { kind: "text", text: ", " },
    { kind: "italic", text: "not" },
    { kind: "text", text: " 2: see " },
    { kind: "link", text: "it", href: "https://a.example/b_(c)" },
    { kind: "text", text: "." },
  ]);
  for (const plain of ["2 * 3 * 4", "a ** b", "[a](javascript:alert)", "<b>x</b>", "`", ""])
    assert.deepEqual(
      piecesIn(plain)
        .map(({ kind, text }) => [kind, text])
        .filter(([kind]) => kind !== "text"),
      [],
      plain,
    );
});

test("blank lines divide paragraphs, and a line break is a space", () => {
  assert.deepEqual(paragraphsIn("one\ntwo\n\n \n three \n"), ["one two", "three"]);
  assert.deepEqual(paragraphsIn(" \n"), []);
});

test("a step goes where its grip is among the middles of the others", () => {
  const middles = [10, 30, 50, 70];
  assert.deepEqual(
    [0, 12, 35, 55, 200].map((y) => placeAt(middles, 0, y)),
    [0, 0, 1, 2, 3],
  );
  assert.deepEqual(
    [0, 12, 35, 55, 200].map((y) => placeAt(middles, 2, y)),
    [0, 1, 2, 2, 3],
  );
});

test("reading a long text of marks takes no time that grows with its square", () => {
  for (const mark of ["*", "**", "`", "[", "[a](http://"])
    assert.ok(piecesIn(mark.repeat(4000)).length > 0);
});

import assert from "node:assert/strict";
import test from "node:test";
import { dataIn, isDataFile, isTable } from "../../../autodiff_viz/web/base/data.js";

test("columns of a spreadsheet and CSV are tables, and formulas and graphs are none", () => {
  for (const text of [
    "1\t2\n3\t4",
    "a,b\n1,2\n3,4",
    "1\n2\n3",
    "id\tx\none\t1,5\ntwo\t2",
    '"a","b"\n"1","2.5"\n"3","4"',
  ])
    assert.equal(isTable(text), true, text);
  for (const text of [
    "x = 1.0\ny = 2.0",
    "[[1.0, 2.0],\n [3.0, 4.0]]",
    "1.0",
    "sin(x)\n2",
    '{"a":\n1}',
    "words\nand more\n1",
  ])
    assert.equal(isTable(text), false, text);
});

test("files are data by their names", () => {
  assert.deepEqual(["a.csv", "A.TSV", "b.npy", "c.json", "npy", "d.csv.png"].map(isDataFile), [
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("a file is read as text, or as base64 if it is an .npy", async () => {
  assert.deepEqual(await dataIn(new File(["1,2\n3,4"], "a.csv")), { text: "1,2\n3,4" });
  const bytes = Uint8Array.from({ length: 20000 }, (_, i) => i % 256);
  const held = await dataIn(new File([bytes], "a.npy"));
  assert.deepEqual(new Uint8Array(Buffer.from(held.npy, "base64")), bytes);
});

test("a file that is too large or no text is refused before it is sent", async () => {
  assert.match(await dataIn(new File([new Uint8Array(600_000)], "a.npy")), /600,000 bytes/);
  assert.match(
    await dataIn(new File([Uint8Array.of(80, 75, 0, 1)], "a.csv")),
    /neither text nor an \.npy/,
  );
});

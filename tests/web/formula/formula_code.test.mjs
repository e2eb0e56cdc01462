import assert from "node:assert/strict";
import test from "node:test";
import { tokens } from "../../../autodiff_viz/web/formula/mirror.js";
import { isDraft } from "../../../autodiff_viz/web/formula/places.js";

const MISTAKE = { message: "torch.fft.fft is not read yet.", hint: "" };
const CODE = { library: "PyTorch", extent: "", other: "", changes: [], more: 0 };

test("a text with mistakes is a draft, unless it is code of which a part is the graph", () => {
  assert.equal(isDraft({ mistakes: [MISTAKE], code: null }), true);
  assert.equal(isDraft({ mistakes: [MISTAKE], code: CODE }), false);
  assert.equal(isDraft({ mistakes: [], code: CODE }), false);
  assert.equal(isDraft({ mistakes: [] }), false);
  assert.equal(isDraft(undefined), false);
});

test("so is code that is being read, and code on view whose reading comes once more is none", () => {
  assert.equal(isDraft({ mistakes: [], being_read: true, code: null }), true);
  assert.equal(isDraft({ mistakes: [], being_read: true, code: CODE }), false);
});

test("keywords of Python are coloured in code", () => {
  const line = "from torch import nn as layers  # import";
  const words = tokens(line, new Map()).filter(({ kind }) => kind === "keyword");
  assert.deepEqual(
    words.map(({ start, end }) => line.slice(start, end)),
    ["from", "import", "as"],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { diffNodes } from "../../../autodiff_viz/web/canvas/draw/reveal_added.js";

const at = (id, x = 0, y = 0) => ({ id, x, y });

test("new nodes are told from those that moved or went", () => {
  assert.deepEqual(diffNodes([at("a"), at("b")], [at("a"), at("b"), at("c", 9)]), {
    came: ["c"],
    moved: false,
    most: false,
  });
  assert.deepEqual(diffNodes([at("a"), at("b")], [at("a", 5), at("b")]), {
    came: [],
    moved: true,
    most: false,
  });
  assert.deepEqual(diffNodes([at("a"), at("b")], [at("a")]), {
    came: [],
    moved: true,
    most: false,
  });
});

test("another graph is new for the most part", () => {
  assert.equal(diffNodes([at("a"), at("b")], [at("a"), at("p"), at("q")]).most, true);
  assert.equal(diffNodes([], [at("a")]).most, true);
});

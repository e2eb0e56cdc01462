// What a file answers in the place of the server.

import { test } from "node:test";
import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { Source, unpacked } from "../../../autodiff_viz/web/figure/source.js";

const state = (name, more = {}) => ({
  title: name,
  drawing: { nodes: [{ id: "x" }, { id: name }], groups: [{ name: "g", collapsed: false }] },
  nodes: { x: { name: "x", of: name }, [name]: { name } },
  paths: { x: { rows: [name] } },
  ...more,
});
const source = () => new Source([state("a", { twin: 2 }), state("b"), state("c", { twin: 0 })], 2);

test("a selected node comes with its numbers and its paths", () => {
  const file = source();
  assert.equal(file.drawing(0).node, undefined);
  assert.ok(file.take({ kind: "select", node: "x", seq: 1 }));
  assert.deepEqual(file.drawing(1).node, { name: "x", of: "a" });
  assert.deepEqual(file.paths, { rows: ["a"] });
  file.take({ kind: "select", node: null, seq: 2 });
  assert.equal(file.paths, undefined);
});

test("the other graph of a comparison keeps the selection where it has such a node", () => {
  const file = source();
  file.take({ kind: "select", node: "x", seq: 1 });
  assert.ok(file.take({ kind: "flip", seq: 2 }));
  assert.equal(file.state.title, "c");
  assert.equal(file.step, 0);
  assert.deepEqual(file.drawing(2).node, { name: "x", of: "c" });
  file.take({ kind: "select", node: "c", seq: 3 });
  file.take({ kind: "flip", seq: 4 });
  assert.equal(file.drawing(4).selected, null);
});

test("a file has told all once every question of every step is answered", () => {
  const asks = { hidden: "packed" };
  const file = new Source([state("a", asks), state("b"), state("c", asks)], 3);
  const answered = (...revealed) => ({ items: revealed.map((each) => ({ revealed: each })) });
  assert.equal(file.isTold, false);
  file.asked.set(0, answered(true, true));
  assert.equal(file.isTold, false);
  file.asked.set(2, answered(true, false));
  assert.equal(file.isTold, false);
  file.asked.set(2, answered(true, true));
  assert.equal(file.isTold, true);
  assert.equal(source().isTold, true);
});

test("steps stop at both ends, and one without a twin does not flip", () => {
  const file = source();
  file.go(7);
  assert.equal(file.state.title, "b");
  assert.equal(file.take({ kind: "flip", seq: 1 }), false);
  file.go(-7);
  assert.equal(file.state.title, "a");
});

test("a group is collapsed in the drawing alone, and what the file cannot do is refused", () => {
  const file = source();
  assert.ok(file.take({ kind: "collapse", group: "g", on: true, seq: 1 }));
  assert.equal(file.drawing(1).groups[0].collapsed, true);
  assert.equal(file.states[0].drawing.groups[0].collapsed, false);
  file.take({ kind: "collapse", group: "g", on: false, seq: 2 });
  assert.equal(file.drawing(2).groups[0].collapsed, false);
  assert.equal(file.take({ kind: "delete", nodes: ["x"], seq: 3 }), false);
});

test("packed data is read back", async () => {
  const data = { states: [{ title: "∂z/∂x" }], shown: 1 };
  assert.deepEqual(await unpacked(deflateSync(JSON.stringify(data)).toString("base64")), data);
});

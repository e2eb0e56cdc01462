import assert from "node:assert/strict";
import test from "node:test";
import { complete } from "../../../autodiff_viz/web/canvas/state/delta.js";

test("fields that were left out hold nothing", () => {
  const drawing = complete({
    rev: 3,
    nodes: [{ id: "x", slots: [{ label: "a" }] }],
    wires: [{ from: "x", to: "y", sign: 0 }],
  });
  assert.deepEqual(drawing.nodes[0].slots, [{ label: "a", constant: null, wired: false }]);
  assert.equal(drawing.nodes[0].isOutput, false);
  assert.deepEqual(drawing.wires[0], { from: "x", to: "y", sign: 0, passed: "", via: [] });
  assert.deepEqual([drawing.regions, drawing.selected, drawing.history], [[], null, {}]);
});

test("a node that says nothing of them follows JAX, is connected, and has the usual size and symbol", () => {
  const [node] = complete({ nodes: [{ id: "y", op: "sin" }] }).nodes;
  assert.deepEqual(
    [node.rule, node.connected, node.w, node.h, node.symbol],
    ["follow", true, 128, 80, "sin"],
  );
});

test("in forward mode a card has the tangent beside its cotangent, and a wire shows what it adds to a tangent", () => {
  const {
    nodes: [node],
    wires: [wire],
  } = complete({
    nodes: [{ id: "y", cotangent: "1.5", cotangentFull: "1.50", connected: false, tangent: "0.8" }],
    wires: [
      {
        from: "x",
        to: "y",
        slot: 0,
        passed: "1.24",
        width: 0.9,
        sign: 1,
        pushed: "-3",
        pushWidth: 1,
        pushSign: -1,
      },
    ],
  });
  assert.deepEqual(
    [node.cotangent, node.cotangentFull, node.connected, node.tangent],
    ["1.5", "1.50", false, "0.8"],
  );
  assert.deepEqual([wire.passed, wire.width, wire.sign], ["-3", 1, -1]);
  assert.deepEqual(wire.reverse, { passed: "1.24", passedFull: undefined });
  const [unknown] = complete({
    wires: [
      {
        from: "x",
        to: "y",
        slot: 0,
        passed: "1.24",
        width: 0.9,
        sign: 1,
        pushWidth: 0,
        pushSign: 0,
      },
    ],
  }).wires;
  assert.deepEqual([unknown.passed, unknown.width], ["", 0]); // behind a blocked node
});

test("fields that came are kept", () => {
  const drawing = complete({
    nodes: [{ id: "x", isOutput: true, slots: [{ wired: true }] }],
    selected: "x",
    history: { undo: "Move x" },
  });
  assert.equal(drawing.nodes[0].isOutput, true);
  assert.equal(drawing.nodes[0].slots[0].wired, true);
  assert.deepEqual([drawing.selected, drawing.history], ["x", { undo: "Move x" }]);
});

import assert from "node:assert/strict";
import test from "node:test";
import {
  firstSlot,
  placesFor,
  spokenSlot,
} from "../../../autodiff_viz/web/canvas/actions/keyboard.js";
import {
  inOrder,
  linesOf,
  spokenWire,
  wiresAt,
  spokenLabel,
} from "../../../autodiff_viz/web/canvas/draw/screen_reader.js";
import { isWrittenOut, spokenStep } from "../../../autodiff_viz/web/canvas/draw/spoken_steps.js";

const slot = (label, wired = false, constant = null) => ({ label, wired, constant });
const node = (id, x, y, slots = [], more = {}) => ({ id, x, y, w: 128, h: 80, slots, ...more });
const wire = (from, to, number, passed = "1") => ({
  from,
  to,
  slot: number,
  passed,
  sign: 1,
  width: 1,
  via: [],
});

// x -> s -> m (slot 0), y -> m (slot 1), and p alone with an empty slot and a constant
const NODES = [
  node("m", 400, 50, [slot("a", true), slot("b", true)], { isOutput: true, value: "2.5" }),
  node("x", 0, 0),
  node("y", 0, 100),
  node("s", 200, 0, [slot("x", true)]),
  node("p", 200, 200, [slot("a"), slot("b", false, "3")]),
];
const WIRES = [wire("x", "s", 0, "0.5"), wire("y", "m", 1), wire("s", "m", 0)];
const DRAWING = {
  nodes: NODES,
  wires: WIRES,
  regions: [{ name: "r", nodes: ["s", "m"], badge: "×2" }],
};
const named = (id) => NODES.find((one) => one.id === id);
const text = (places) => places.map((place) => `${place.node.id}:${place.slot}`);

test("nodes are read from left to right, and from above in a column", () => {
  assert.deepEqual(
    inOrder(NODES).map(({ id }) => id),
    ["x", "y", "s", "p", "m"],
  );
});

const fitting = (places) => text(places.filter(({ against }) => !against));

test("a wire goes to any slot but its own, those it feeds already, and those that would close a loop", () => {
  assert.deepEqual(fitting(placesFor(DRAWING, named("x"))), ["p:0", "p:1", "m:0", "m:1"]);
  assert.deepEqual(fitting(placesFor(DRAWING, named("s"))), ["p:0", "p:1", "m:1"]);
  assert.deepEqual(fitting(placesFor(DRAWING, named("m"))), ["p:0", "p:1"]);
});

test("slots that would close a loop come last, and say so", () => {
  const places = placesFor(DRAWING, named("m"));
  assert.deepEqual(text(places.slice(2)), ["s:0", "m:0", "m:1"]);
  assert.match(spokenSlot(places[2], WIRES), /slot x of s, does not fit.*s already feeds m.*loop/);
  assert.match(places[3].against, /cannot feed itself/);
});

test("a slot whose other shape does not go with the wire's says so", () => {
  const three = node("v", 0, 300, [], { dims: [3], value: "[1, 2, 3]" });
  const four = node("u", 0, 400, [], { dims: [4], value: "[1, 2, 3, 4]" });
  const add = node("t", 500, 300, [slot("a", true), slot("b")], { op: "add" });
  const ops = new Map([
    [
      "add",
      {
        op: "add",
        symbol: "+",
        slots: ["a", "b"],
        doc: "",
        fits: /** @type {const} */ ("broadcast"),
      },
    ],
  ]);
  const [place] = placesFor(
    { nodes: [three, four, add], wires: [wire("v", "t", 0)], regions: [] },
    four,
    ops,
  ).filter(({ slot: at }) => at === 1);
  assert.match(place.against, /vector of 4.*vector of 3/);
});

test("the choice begins at an empty slot", () => {
  const places = placesFor(DRAWING, named("m")).reverse();
  assert.deepEqual(text([places[firstSlot(places)]]), ["p:0"]);
  assert.equal(
    firstSlot(placesFor(DRAWING, named("s")).filter((place) => place.node.id === "m")),
    0,
  );
});

test("a slot says what would go", () => {
  const said = (id, number) => spokenSlot({ node: named(id), slot: number }, WIRES);
  assert.equal(said("p", 0), "slot a of p, empty");
  assert.equal(said("p", 1), "slot b of p, takes the place of 3");
  assert.equal(said("m", 1), "slot b of m, takes the place of y");
});

test("the list has each node once with its wires, and each region", () => {
  const lines = linesOf(DRAWING, ({ id }) => id);
  assert.deepEqual(
    lines.map(({ text }) => text),
    [
      "x, feeds s",
      "y, feeds m",
      "s, feeds m",
      "p, feeds nothing",
      "m, feeds nothing",
      "checkpoint region r: s, m, runs 2 times",
    ],
  );
  assert.deepEqual(lines[4].wires, [
    "wire from s to slot a of m, passes back 1",
    "wire from y to slot b of m, passes back 1",
  ]);
  assert.deepEqual(lines[2].wires, ["wire from x to slot x of s, passes back 0.5"]);
});

test("wires at a node come in slot by slot, then go out", () => {
  assert.deepEqual(
    wiresAt(WIRES, "m").map(({ from }) => from),
    ["s", "y"],
  );
  assert.deepEqual(
    wiresAt(WIRES, "s").map(({ to }) => to),
    ["s", "m"],
  );
});

test("an answered edit says its name and the output; a step back and forth says so", () => {
  const state = (undo, redo) => ({ history: { undo, redo }, nodes: NODES });
  assert.equal(
    spokenStep(state("Start", undefined), state("Stop gradient at s", undefined)),
    "Stop gradient at s. Output m is 2.5",
  );
  assert.equal(spokenStep(state("B", undefined), state("A", "B")), "Undone: B. Output m is 2.5");
  assert.equal(spokenStep(state("A", "B"), state("B", undefined)), "Redone: B. Output m is 2.5");
  assert.equal(spokenStep(state(undefined, "B"), state("C", undefined)), "C. Output m is 2.5"); // an edit after all was undone
  assert.equal(spokenStep(state("B", undefined), state(undefined, "A")), ""); // two steps back in the list of steps
  assert.equal(spokenStep(state("A", undefined), state("A", undefined)), "");
});

test("a second edit of the same name is said too, also where the oldest step was dropped for it", () => {
  const state = (undo, at, gone, redo) => ({ history: { undo, redo, at, gone }, nodes: NODES });
  const said = "Edit the formula. Output m is 2.5";
  assert.equal(spokenStep(state("Edit the formula", 1, 0), state("Edit the formula", 2, 0)), said);
  assert.equal(spokenStep(state("Edit the formula", 9, 0), state("Edit the formula", 9, 1)), said);
  assert.equal(spokenStep(state("Edit the formula", 2, 0), state("Edit the formula", 2, 0)), "");
  const back = state("Edit the formula", 1, 0, "Edit the formula");
  assert.equal(spokenStep(state("Edit the formula", 2, 0), back), `Undone: ${said}`);
  assert.equal(spokenStep(back, state("Edit the formula", 2, 0)), `Redone: ${said}`);
  assert.equal(
    spokenStep(
      state("Edit the formula", 3, 0, "Edit the formula"),
      state("Edit the formula", 2, 0, "Edit the formula"),
    ),
    `Undone: ${said}`,
  );
});

test("a step that is typed anew is said with the output that it has now", () => {
  const state = (nodes, redo) => ({ history: { undo: "Read code", at: 1, gone: 0, redo }, nodes });
  const [first, second] = [
    ["loss", "0.4434"],
    ["q", "15"],
  ].map(([id, value]) => [{ id, value, isOutput: true }]);
  const hidden = [{ ...first[0], value: "" }];
  assert.equal(spokenStep(state(first), state(second)), "Read code. Output q is 15");
  assert.equal(spokenStep(state(first), state(hidden)), ""); // a question has begun
  assert.equal(spokenStep(state(first, "B"), state(second, "B")), ""); // it may have been a step back
});

test("after a change of a rule it is said which cotangents have changed", () => {
  const at = (undo, redo, rules, cotangents) => ({
    history: { undo, redo },
    nodes: ["x", "a", "b", "z"].map((id) =>
      node(id, 0, 0, [], {
        rule: rules[id] ?? "follow",
        cotangent: cotangents[id] ?? "1",
        isOutput: id === "z",
      }),
    ),
  });
  const before = at("Start", undefined, {}, {});
  const stopped = at("Stop gradient at b", undefined, { b: "stop" }, { a: "0", x: "0.25" });
  assert.equal(spokenStep(before, stopped), "stop on b: cotangents of x, a changed");
  assert.equal(
    spokenStep(stopped, at("Start", "Stop gradient at b", {}, {})),
    "Undone: Stop gradient at b: cotangents of x, a changed",
  );
  assert.equal(
    spokenStep(stopped, at("Follow JAX at b", undefined, {}, {})),
    "follow on b: cotangents of x, a changed",
  );
  assert.equal(
    spokenStep(before, at("Stop gradient at b", undefined, { b: "stop" }, {})),
    "stop on b: no cotangent changed",
  );
});

test("of many changed cotangents the first are named", () => {
  const at = (rule, cotangent) => ({
    history: { undo: rule },
    nodes: Array.from({ length: 9 }, (_, i) =>
      node(`n${i}`, 0, 0, [], { rule: i ? "follow" : rule, cotangent }),
    ),
  });
  assert.equal(
    spokenStep(at("follow", "1"), at("scale", "2")),
    "scale on n0: cotangents of n0, n1, n2, n3, n4 and 4 more changed",
  );
});

test("it is told once that a step takes the loops out of the formula, and not on the way back", () => {
  const [before, out, later] = [
    { undo: "Start" },
    { undo: "Stop gradient at x_0; loop written out" },
    { undo: "Make z the output" },
  ];
  assert.ok(isWrittenOut(before, out));
  assert.ok(!isWrittenOut(out, later));
  assert.ok(!isWrittenOut(later, { ...out, redo: later.undo }));
  assert.ok(!isWrittenOut(out, { ...before, redo: out.undo }));
});

test("in forward mode a wire says its tangent, then what it passes back", () => {
  const wire = {
    from: "x",
    to: "y",
    slot: 0,
    width: 1,
    sign: 1,
    passed: "0.8",
    via: [],
    reverse: { passed: "1.24" },
  };
  assert.equal(
    spokenWire(wire, undefined),
    "wire from x to slot 0 of y, passes on a tangent of 0.8, passes back 1.24",
  );
  assert.equal(
    spokenWire({ ...wire, passed: "" }, undefined),
    "wire from x to slot 0 of y, passes back 1.24",
  );
});

test("a slot that is called an input is read as one, and any other as a slot", () => {
  assert.equal(spokenLabel("second input"), "the second input");
  assert.equal(spokenLabel("condition"), "slot condition");
});

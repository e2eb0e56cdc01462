import assert from "node:assert/strict";
import test from "node:test";
import { cardTitle } from "../../../autodiff_viz/web/canvas/draw/group_card.js";
import {
  folded,
  folding,
  idOf,
  namesIn,
  realWire,
  visibleCard,
  titleOf,
} from "../../../autodiff_viz/web/canvas/state/fold.js";
import { predict } from "../../../autodiff_viz/web/canvas/state/predict.js";
import { outputPoint, slotPoint } from "../../../autodiff_viz/web/canvas/state/geometry.js";
import { node, wire } from "../drawings.mjs";

/** x and y feed a, b: a reads x twice, b reads a and y; c and d read what comes out. */
const drawing = (groups, more = {}) => ({
  rev: 1,
  ack: 0,
  key: "k",
  selected: null,
  history: {},
  regions: [],
  nodes: [
    node("x", 0, 0, 0),
    node("y", 0, 200, 0),
    node("a", 200, 0, 2),
    node("b", 400, 100, 2),
    node("c", 600, 0, 1),
    node("d", 600, 200, 1, { isOutput: true }),
  ],
  wires: [
    wire("x", "a", 0, { passed: "2" }),
    wire("x", "a", 1, { passed: "3", sign: -1 }),
    wire("a", "b", 0),
    wire("y", "b", 1, { passed: "7" }),
    wire("b", "c", 0, {
      passed: "5",
      via: [
        [450, 10],
        [560, 10],
      ],
    }),
    wire("b", "d", 0),
    wire("c", "d", 1),
  ],
  groups: groups.map((group) => ({ collapsed: true, sums: [], ...group })),
  ...more,
});
const ids = ({ nodes }) => nodes.map(({ id }) => id);
const card = (seen, name) => seen.nodes.find(({ id }) => id === idOf(name));
const ends = ({ wires }) => wires.map(({ from, to, slot }) => `${from}>${to}:${slot}`);

test("a drawing without a collapsed group is itself", () => {
  const open = drawing([{ name: "g", nodes: ["a", "b"], collapsed: false }]);
  assert.equal(folded(open), open);
});

test("what is in a collapsed group gives way to one card, and all else is the same object", () => {
  const whole = drawing([{ name: "g", nodes: ["a", "b"] }]);
  const seen = folded(whole);
  assert.deepEqual(ids(seen), ["x", "y", "c", "d", "group:g"]);
  assert.equal(seen.nodes[0], whole.nodes[0]);
  assert.equal(
    seen.wires.find(({ to, slot }) => to === "d" && slot === 1),
    whole.wires[6],
  );
});

test("the card stands in the middle of where its nodes are, and moves as they do", () => {
  const middle = (seen) => {
    const { x, y, w, h } = card(seen, "g");
    return [x + w / 2, y + h / 2];
  };
  const whole = drawing([{ name: "g", nodes: ["a", "b"] }]);
  assert.deepEqual(middle(folded(whole)).map(Math.round), [350, 80]);
  const moved = {
    ...whole,
    nodes: whole.nodes.map((n) =>
      ["a", "b"].includes(n.id) ? { ...n, x: n.x + 30, y: n.y - 40 } : n,
    ),
  };
  assert.deepEqual(middle(folded(moved)).map(Math.round), [380, 40]);
});

test("wires that cross its border lead to named ports, those from one node to one port", () => {
  const seen = folded(drawing([{ name: "g", nodes: ["a", "b"] }]));
  assert.deepEqual(
    card(seen, "g").slots.map(({ label }) => label),
    ["x", "y"],
  );
  assert.deepEqual(card(seen, "g").group.outs, ["b"]);
  assert.deepEqual(ends(seen), [
    "x>group:g:0",
    "y>group:g:1",
    "group:g>c:0",
    "group:g>d:0",
    "c>d:1",
  ]);
});

test("a wire keeps what it passes; several in one pass what Python has added up, or say no number", () => {
  const sums = [{ from: "x", width: 0.5, sign: 1, passed: "-1", passedFull: "-1.0" }];
  const at = (seen, to) => seen.wires.find((one) => one.to === to);
  const seen = folded(drawing([{ name: "g", nodes: ["a", "b"], sums }]));
  assert.deepEqual([at(seen, "c").passed, at(seen, "c").width], ["5", 1]);
  const both = at(seen, "group:g");
  assert.deepEqual([both.passed, both.width, both.sign], ["-1", 0.5, 1]);
  assert.deepEqual(
    both.of.map(({ slot }) => slot),
    [0, 1],
  );
  assert.equal(realWire(both), null);
  assert.equal(realWire(at(seen, "c")).from, "b");
  const unknown = at(folded(drawing([{ name: "g", nodes: ["a", "b"] }])), "group:g");
  assert.deepEqual([unknown.passed, unknown.width, unknown.sign], ["", 1, 2]);
});

test("a wire keeps the bends that are outside the group", () => {
  const seen = folded(drawing([{ name: "g", nodes: ["a", "b"] }]));
  assert.deepEqual(seen.wires.find(({ to }) => to === "c").via, [[560, 10]]);
});

test("a wire to a card at its right goes there, though the node inside lies left of where it starts", () => {
  const whole = drawing([{ name: "g", nodes: ["a", "b"] }]);
  const at = { a: -300, b: 900, y: 0 }; // as nodes that were laid out around the middle of their card
  const nodes = whole.nodes.map((node) => ({ ...node, x: at[node.id] ?? node.x }));
  const back = [
    [-150, 300],
    [-400, 300],
    [-400, 20],
  ];
  const wires = whole.wires.map((one) => (one.from === "y" ? { ...one, to: "a", via: back } : one));
  const seen = folded({ ...whole, nodes, wires });
  assert.ok(card(seen, "g").x > 200);
  assert.deepEqual(seen.wires.find(({ from }) => from === "y").via, []);
});

test("wires end at the card's ports", () => {
  const g = card(folded(drawing([{ name: "g", nodes: ["a", "c"] }])), "g");
  assert.deepEqual(
    g.group.outs,
    ["c", "a"].sort((p, q) => (p === "a" ? -1 : 1)),
  );
  for (const [i] of g.slots.entries())
    assert.ok(slotPoint(g, i)[1] > g.y && slotPoint(g, i)[1] < g.y + g.h);
  assert.notEqual(outputPoint(g, 0)[1], outputPoint(g, 1)[1]);
  assert.equal(outputPoint(g, 1)[0], g.x + g.w);
});

test("a group that a path leaves and enters again has a wire out and a wire in", () => {
  const seen = folded(drawing([{ name: "g", nodes: ["a", "d"] }]));
  assert.ok(ends(seen).includes("group:g>b:0"));
  assert.ok(ends(seen).some((end) => end.startsWith("b>group:g")));
});

test("the numbers are those of the one node whose value leaves; the output leaves too", () => {
  const one = card(folded(drawing([{ name: "g", nodes: ["a", "b"] }])), "g");
  assert.deepEqual([one.group.output, one.value, one.cotangent], ["b", "1", "1"]);
  const two = card(folded(drawing([{ name: "g", nodes: ["a", "c"] }])), "g");
  assert.deepEqual([two.group.output, two.value], [null, ""]);
  const last = card(folded(drawing([{ name: "g", nodes: ["d"] }])), "g");
  assert.deepEqual([last.group.output, last.isOutput], ["d", true]);
});

test("what is bent or wrong inside is marked on the card", () => {
  const whole = drawing([{ name: "g", nodes: ["a", "b", "c"] }], {
    regions: [{ name: "r", nodes: ["a"], policy: "nothing_saveable", badge: "×2" }],
  });
  whole.nodes[2] = { ...whole.nodes[2], rule: "stop", problem: "Shapes differ." };
  whole.nodes[3] = { ...whole.nodes[3], rule: "stop", muted: true };
  whole.nodes[4] = { ...whole.nodes[4], rule: "rewrite", missing: "needs x" };
  const g = card(folded(whole), "g");
  assert.deepEqual(
    g.group.marks.map(({ kind, count }) => [kind, count]),
    [
      ["problem", 1],
      ["missing", 1],
      ["stop", 1],
      ["rewrite", 1],
      ["mute", 1],
      ["checkpoint", 1],
    ],
  );
  assert.equal(g.problem, "Shapes differ.");
});

test("regions inside are not drawn, those around hold the card", () => {
  const regions = [
    ["inner", ["a"]],
    ["same", ["a", "b"]],
    ["outer", ["a", "b", "c"]],
  ].map(([name, nodes]) => ({ name, nodes, policy: "nothing_saveable" }));
  const seen = folded(drawing([{ name: "g", nodes: ["a", "b"] }], { regions }));
  assert.deepEqual(
    seen.regions.map(({ name, nodes }) => [name, nodes]),
    [["outer", ["group:g", "c"]]],
  );
});

test("of nested groups the outermost collapsed one is seen; an open one holds the card of the inner one", () => {
  const both = folded(
    drawing([
      { name: "g", nodes: ["a", "b"] },
      { name: "h", nodes: ["a", "b", "c"] },
    ]),
  );
  assert.deepEqual(ids(both), ["x", "y", "d", "group:h"]);
  assert.deepEqual(both.groups, []);
  const inner = folded(
    drawing([
      { name: "g", nodes: ["a", "b"] },
      { name: "h", nodes: ["a", "b", "c"], collapsed: false },
    ]),
  );
  assert.deepEqual(
    inner.groups.map(({ name, nodes }) => [name, nodes]),
    [["h", ["group:g", "c"]]],
  );
});

test("two cards side by side are wired to each other once", () => {
  const seen = folded(
    drawing([
      { name: "g", nodes: ["a", "b"] },
      { name: "h", nodes: ["c", "d"] },
    ]),
  );
  assert.deepEqual(ends(seen), ["x>group:g:0", "y>group:g:1", "group:g>group:h:0"]);
  assert.equal(seen.wires[2].of.length, 2);
});

test("groups that cut through each other are each seen once", () => {
  const seen = folded(
    drawing([
      { name: "g", nodes: ["a", "b", "x"] },
      { name: "h", nodes: ["b", "c"] },
    ]),
  );
  assert.deepEqual(ids(seen), ["y", "d", "group:g", "group:h"]);
});

test("names and cards lead to each other", () => {
  const seen = folded(drawing([{ name: "g", nodes: ["a", "b"] }]));
  assert.deepEqual(namesIn(seen, ["x", "group:g", "a"]), ["x", "a", "b"]);
  assert.deepEqual(
    ["a", "x"].map((id) => visibleCard(seen, id)),
    ["group:g", "x"],
  );
});

test("nothing is folded anew when only the selection has changed", () => {
  const fold = folding();
  const whole = drawing([{ name: "g", nodes: ["a", "b"] }]);
  const before = fold(whole);
  const after = fold({ ...whole, selected: "x" });
  assert.deepEqual(
    [after.nodes === before.nodes, after.wires === before.wires, after.selected],
    [true, true, "x"],
  );
});

test("grouping, collapsing, opening and ungrouping show at once", () => {
  const after = (...edits) =>
    predict(drawing([{ name: "group", nodes: ["c"], collapsed: false }]), edits);
  const made = { kind: "group", nodes: ["a", "b"] };
  assert.deepEqual(
    after(made).groups.map(({ name }) => name),
    ["group", "group_2"],
  );
  const shut = after(made, { kind: "collapse", group: "group_2", on: true });
  assert.ok(ids(folded(shut)).includes("group:group_2"));
  assert.ok(
    !ids(folded(predict(shut, [{ kind: "collapse", group: "group_2", on: false }]))).includes(
      "group:group_2",
    ),
  );
  assert.deepEqual(
    after(made, { kind: "ungroup", group: "group" }).groups.map(({ name }) => name),
    ["group_2"],
  );
  assert.deepEqual(
    after({ kind: "rename_region", region: "group", name: "layer" }).groups[0].name,
    "layer",
  );
  assert.deepEqual(
    after(made, { kind: "delete", nodes: ["c", "a"] }).groups.map(({ nodes }) => nodes),
    [["b"]],
  );
});

test("what is said of a card is the name of its group", () => {
  assert.deepEqual(["x", idOf("head")].map(titleOf), ["x", "head"]);
});

test("the card of a loop's step is named by the step", () => {
  assert.equal(cardTitle("for step 0"), "step 0");
  assert.equal(cardTitle("for i 1 for j 20"), "i 1 j 20");
  assert.equal(cardTitle("for p 3_2"), "p 3_2");
  for (const name of ["layer", "for whom", "for step 0 of two"])
    assert.equal(cardTitle(name), name);
});

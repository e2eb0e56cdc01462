import assert from "node:assert/strict";
import test from "node:test";
import { overlap } from "../../../autodiff_viz/web/canvas/state/geometry.js";
import { collapse, toggleGroup } from "../../../autodiff_viz/web/canvas/actions/groups.js";
import { folded, idOf } from "../../../autodiff_viz/web/canvas/state/fold.js";
import { predict } from "../../../autodiff_viz/web/canvas/state/predict.js";
import { makeRoom } from "../../../autodiff_viz/web/canvas/state/make_room.js";
import { node, wire } from "../drawings.mjs";

/** x, a1..a9 in a group, b: laid out while the group was a card of 168 px, in whose middle its nodes stand. */
function tight(more = []) {
  const inside = Array.from({ length: 9 }, (_, i) =>
    node(`a${i}`, 284 + 160 * (i - 4) - 50, 70, 1),
  );
  return {
    rev: 1,
    ack: 0,
    key: "k",
    selected: null,
    history: {},
    regions: [],
    notice: [],
    nodes: [node("x", 0, 70, 0), ...inside, node("b", 432, 70, 1), ...more],
    wires: [
      wire("x", "a0"),
      ...inside.slice(1).map(({ id }, i) => wire(`a${i}`, id)),
      wire("a8", "b"),
    ],
    groups: [{ name: "g", nodes: inside.map(({ id }) => id), collapsed: true, sums: [] }],
  };
}

/** An editor as the commands need it, which notes what is sent. */
function editing(drawing) {
  const sent = [];
  const host = { classList: { contains: () => false } };
  const editor = {
    sent,
    selection: new Set(),
    stage: { host, status: { classList: { add() {} } }, quiet: 0 },
    get shown() {
      return predict(drawing, sent);
    },
    get seen() {
      return folded(editor.shown);
    },
    send: (edit) => sent.push({ seq: sent.length + 1, ...edit }),
  };
  return editor;
}

const pairs = ({ nodes }) =>
  nodes.flatMap((a, i) =>
    nodes
      .slice(i + 1)
      .filter((b) => overlap(a, b))
      .map((b) => `${a.id} ${b.id}`),
  );
const at = ({ nodes }, id) => {
  const { x, y } = nodes.find((one) => one.id === id);
  return [x, y];
};
globalThis.window = { setTimeout: () => 0 };

test("before there was room the opened group lay over its neighbours", () => {
  const drawing = tight();
  assert.deepEqual(pairs(folded(drawing)), []);
  const open = predict(drawing, [{ seq: 1, kind: "collapse", group: "g", on: false }]);
  assert.ok(pairs(folded(open)).length > 0);
});

test("the nodes around a group that is opened move aside, and its own stay", () => {
  const editor = editing(tight());
  const before = editor.shown;
  collapse(editor, "g", false);
  assert.deepEqual(pairs(editor.seen), []);
  assert.equal(editor.sent.length, 1);
  for (const { id } of before.nodes.filter(({ id }) => id.startsWith("a")))
    assert.deepEqual(at(editor.shown, id), at(before, id));
  assert.ok(at(editor.shown, "x")[0] + 100 < at(before, "a0")[0]);
  assert.ok(at(editor.shown, "b")[0] > at(before, "a8")[0] + 100);
  assert.equal(at(editor.shown, "b")[1], 70);
});

test("what is on one side moves as one, and what is further above or below moves no further than it must", () => {
  const more = [node("far", -200, 70, 0), node("up", 260, -600, 0), node("down", 250, 160, 0)];
  const editor = editing(tight(more));
  const before = editor.shown;
  collapse(editor, "g", false);
  const by = (id) => at(editor.shown, id).map((place, i) => place - at(before, id)[i]);
  assert.deepEqual(by("far"), by("x"));
  assert.deepEqual(by("up"), [0, 0]);
  assert.equal(by("down")[0], 0);
  assert.ok(by("down")[1] >= 0);
  assert.deepEqual(pairs(editor.seen), []);
});

test("a group that has room moves nobody, and no place is sent", () => {
  const drawing = tight();
  const roomy = {
    ...drawing,
    nodes: drawing.nodes.map((one) =>
      one.id === "x" ? { ...one, x: -900 } : one.id === "b" ? { ...one, x: 1500 } : one,
    ),
  };
  const editor = editing(roomy);
  collapse(editor, "g", false);
  assert.equal("positions" in editor.sent[0], false);
});

test("a collapsed neighbour moves with all that is in it", () => {
  const drawing = tight([node("c", 560, 70, 1), node("d", 720, 70, 1)]);
  drawing.groups.push({ name: "h", nodes: ["c", "d"], collapsed: true, sums: [] });
  const editor = editing(drawing);
  const before = editor.shown;
  collapse(editor, "g", false);
  const moved = ["c", "d"].map((id) => at(editor.shown, id)[0] - at(before, id)[0]);
  assert.ok(moved[0] > 0);
  assert.equal(moved[0], moved[1]);
  assert.deepEqual(pairs(editor.seen), []);
});

test("a card that is ungrouped makes room as one that is opened", () => {
  const editor = editing(tight());
  editor.selection = new Set(editor.shown.groups[0].nodes);
  toggleGroup(editor);
  assert.equal(editor.sent[0].kind, "ungroup");
  assert.deepEqual(pairs(editor.seen), []);
  assert.equal(editor.seen.groups.length, 0);
});

/** Numbers from 0 to 1, the same in every run. */
function* chance(seed) {
  for (let state = seed; ;) yield (state = (1103515245 * state + 12345) % 2147483648) / 2147483648;
}

test("no opened group lies over a node, wherever the others stand", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const dice = chance(seed);
    const drawing = tight();
    const card = folded(drawing).nodes.find(({ id }) => id === idOf("g"));
    drawing.nodes = drawing.nodes.filter(({ id }) => id.startsWith("a"));
    for (let i = 0; i < 14; i++) {
      const one = node(
        `n${i}`,
        Math.round(dice.next().value * 1600 - 500),
        Math.round(dice.next().value * 900 - 350),
        1,
      );
      const cards = [card, ...drawing.nodes.filter(({ id }) => id.startsWith("n"))];
      if (!cards.some((other) => overlap(other, one))) drawing.nodes.push(one);
    }
    const editor = editing(drawing);
    assert.deepEqual(pairs(editor.seen), []);
    collapse(editor, "g", false);
    assert.deepEqual(pairs(editor.seen), [], `seed ${seed}`);
  }
});

test("frames inside an opened group keep their distance too", () => {
  const drawing = tight();
  drawing.groups.push({ name: "inner", nodes: ["a0", "a1"], collapsed: false, sums: [] });
  const card = folded(drawing).nodes.find(({ id }) => id === idOf("g"));
  const open = folded(predict(drawing, [{ seq: 1, kind: "collapse", group: "g", on: false }]));
  const outer = makeRoom(open, drawing.groups[0].nodes, card);
  drawing.groups.pop();
  const plain = makeRoom(
    folded(predict(drawing, [{ seq: 1, kind: "collapse", group: "g", on: false }])),
    drawing.groups[0].nodes,
    card,
  );
  assert.ok(outer.x[0] < plain.x[0]);
});

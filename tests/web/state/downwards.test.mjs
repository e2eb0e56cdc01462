import assert from "node:assert/strict";
import test from "node:test";
import {
  edited,
  filling,
  turnFor,
  turning,
} from "../../../autodiff_viz/web/canvas/state/downwards.js";
import {
  outputPoint,
  overlap,
  slotPoint,
  wireCurve,
} from "../../../autodiff_viz/web/canvas/state/geometry.js";
import { node, wire } from "../drawings.mjs";

const CARD = { w: 128, h: 80 };
const PHONE = { w: 390, h: 410 };
const at = (id, column, row, slots = 1, more = {}) =>
  node(id, 192 * column, 108 * row, slots, { ...CARD, ...more });
const drawing = (nodes, wires) => ({ nodes, wires, regions: [], groups: [] });
const HIGH = { w: 30, h: 1e6 }; // as if there were no end to the height
const seenBy = (given, size = PHONE) => turning()(given, size);

const chain = drawing(
  [at("x", 0, 0, 0), ...[1, 2, 3, 4].map((i) => at(`s${i}`, i, 0))],
  [1, 2, 3, 4].map((i) => wire(i > 1 ? `s${i - 1}` : "x", `s${i}`)),
);
const fork = drawing(
  [at("x", 0, 0, 0), at("a", 1, 0), at("b", 1, 1, 1, { h: 130 }), at("z", 2, 0, 2)],
  [wire("x", "a"), wire("x", "b"), wire("a", "z", 0), wire("b", "z", 1)],
);

test("on a phone a chain runs downwards, each card below the one before, in the same column", () => {
  const { nodes, turn } = seenBy(chain);
  assert.ok(turn);
  for (const [i, card] of nodes.entries()) {
    assert.equal(card.x, nodes[0].x);
    if (i) assert.ok(card.y > nodes[i - 1].y + CARD.h);
  }
});

test("it stays as it is in a wide canvas, and where cards would not be larger", () => {
  assert.equal(seenBy(chain, { w: 780, h: 500 }), chain);
  assert.equal(seenBy(chain, { w: 390, h: 134 }), chain);
  const folded = { ...chain, nodes: chain.nodes.map((one) => ({ ...one, tab: "s1" })) };
  assert.equal(seenBy(folded), folded);
});

test("cards never meet, whatever their sizes, and what is read stands above what reads it", () => {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let round = 0; round < 60; round++) {
    const nodes = Array.from({ length: 12 }, (_, i) => {
      const size = { w: 100 + Math.floor(100 * random()), h: 60 + Math.floor(120 * random()) };
      return node(`n${i}`, 264 * (i % 4), 200 * Math.floor(i / 4) + 15 * random(), 1, size);
    });
    const turn = turnFor(nodes, [wire("n0", "n1", 0, { via: [[230, 40]] })]);
    const seen = seenBy(drawing(nodes, []), HIGH).nodes;
    assert.ok(turn);
    for (const [i, one] of seen.entries())
      for (const other of seen.slice(i + 1)) assert.ok(!overlap(one, other), `${round}`);
    for (const [i, one] of nodes.entries())
      for (const [j, other] of nodes.entries())
        if (one.x + one.w < other.x) assert.ok(seen[i].y + seen[i].h < seen[j].y + seen[j].h);
  }
});

test("cards are further apart on the way that the canvas has room to spare", () => {
  const { nodes } = fork;
  const least = turnFor(nodes, fork.wires);
  const farther = (room) => {
    const { across, down } = filling(nodes, least, room);
    return [across > 1, down > 1];
  };
  assert.deepEqual(farther({ w: 900, h: 400 }), [true, false]);
  assert.deepEqual(farther({ w: 300, h: 900 }), [false, true]);
  assert.equal(filling(chain.nodes, turnFor(chain.nodes, []), { w: 900, h: 400 }).across, 1); // of one column nothing is apart
});

test("a card that is moved away leaves the others where they are", () => {
  const turned = turning();
  const nodes = [...fork.nodes, at("p", 3, 0), at("q", 3, 1)];
  const see = (given) =>
    turned({ ...fork, nodes: given }, { w: 420, h: 444 }).nodes.map(({ id, x, y }) => [id, x, y]);
  const before = see(nodes);
  const after = see(nodes.map((one) => (one.id === "b" ? { ...one, y: one.y + 40 } : one)));
  assert.deepEqual(
    after.filter((place, i) => String(place) !== String(before[i])).map(([id]) => id),
    ["b"],
  );
});

test("a chain that was turned is so again where its cards are as large, also after a canvas that is too low", () => {
  // In a row 896 px and 80 of margins, in a column 592 and 80: at 300 px, 44 of them margins, both have cards of one size.
  const low = { w: 390, h: 200 };
  const even = { w: 390, h: 300 };
  const turn = turning();
  const turned = [PHONE, low, even].map((size) => Boolean(turn(chain, size).turn));
  assert.deepEqual(turned, [true, false, true]);
  assert.equal(turning()(chain, even).turn, undefined);
});

test("what was turned stays so after an answer, whatever height that leaves it", () => {
  const low = { w: 390, h: 200 };
  const turn = turning();
  const seen = (/** @type {boolean} */ hiding) =>
    /** @type {any} */ ({ ...chain, asking: { hiding } });
  assert.ok(turn(seen(true), PHONE).turn);
  assert.ok(turn(seen(false), low).turn);
  assert.equal(turning()(seen(false), low).turn, undefined);
  const frame = turning(); // which is high before its sliders have come, and asks still
  assert.ok(frame(seen(true), PHONE).turn);
  assert.equal(frame(seen(true), low).turn, undefined);
});

test("frames around cards below each other do not meet", () => {
  const frames = [
    ["s1", "s2"],
    ["s3", "s4"],
  ].flatMap((nodes) => [
    { name: nodes[0], nodes },
    { name: nodes[1], nodes },
  ]);
  const seen = seenBy({ ...chain, groups: frames }, HIGH).nodes;
  const pad = 24 + 28; // px around the cards, and for the second frame
  assert.ok(seen[3].y - pad >= seen[2].y + CARD.h + pad);
  assert.ok(seen[1].y - pad >= seen[0].y + CARD.h);
});

test("wires leave the lower edge and come to the upper one, straight; constants stay at the left", () => {
  const seen = seenBy(fork, { w: 120, h: 1044 });
  const [x, , b, z] = seen.nodes;
  assert.deepEqual(outputPoint(x), [x.x + x.w / 2, x.y + x.h]);
  assert.deepEqual(slotPoint(b, 0), [b.x + b.w / 2, b.y]);
  const [first, second] = [slotPoint(z, 0), slotPoint(z, 1)];
  assert.ok(first[1] === z.y && second[1] === z.y && first[0] < second[0]);
  const held = { ...z, slots: [z.slots[0], { ...z.slots[1], wired: false, constant: "2" }] };
  assert.deepEqual(slotPoint(held, 1), [z.x, z.y + (2 * z.h) / 3]);
  const [[start, out, into, end]] = wireCurve(outputPoint(x), slotPoint(b, 0), [], true);
  assert.equal(start[0], out[0]);
  assert.equal(into[0], end[0]);
});

test("nothing is drawn again while nothing changes, and only what has changed", () => {
  const turn = turning();
  const first = turn(chain, PHONE);
  assert.equal(turn({ ...chain }, PHONE).nodes, first.nodes);
  const changed = {
    ...chain,
    nodes: chain.nodes.map((one, i) => (i === 2 ? { ...one, value: "3" } : one)),
  };
  const { nodes } = turn(changed, PHONE);
  assert.deepEqual(
    nodes.map((one, i) => one === first.nodes[i]),
    [true, true, false, true, true],
  );
});

test("what is placed on it is meant in the layout: a new card where one is seen goes where that one is", () => {
  const seen = seenBy(chain);
  for (const [i, { x, y }] of seen.nodes.entries()) {
    const { position } = edited({ kind: "add", position: [x, y] }, seen.turn, CARD);
    assert.ok(
      Math.abs(position[0] - chain.nodes[i].x) <= 1 &&
        Math.abs(position[1] - chain.nodes[i].y) <= 1,
    );
  }
  const edit = { kind: "select", node: "x" };
  assert.deepEqual(edited(edit, seen.turn, CARD), edit);
  assert.equal(edited(edit, undefined, CARD), edit);
});

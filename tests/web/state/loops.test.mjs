import assert from "node:assert/strict";
import test from "node:test";
import { downstream, shortestPath } from "../../../autodiff_viz/web/canvas/state/reachability.js";
import { fork, wire } from "../drawings.mjs";

const way = (wires, from, to) =>
  shortestPath(wires, from, to).map((link) => `${link.from}>${link.to}`);

test("downstream of a node is all that it feeds, near and far", () => {
  assert.deepEqual([...downstream(fork().wires, "x")].sort(), ["m", "s", "x"]);
  assert.deepEqual([...downstream(fork().wires, "m")], ["m"]);
});

test("the way between two nodes is a shortest one, in the order of its wires", () => {
  const wires = [wire("a", "b"), wire("b", "c"), wire("c", "d"), wire("a", "c", 1), wire("d", "e")];
  assert.deepEqual(way(wires, "a", "d"), ["a>c", "c>d"]);
  assert.deepEqual(way(wires, "b", "e"), ["b>c", "c>d", "d>e"]);
});

test("there is no way against the wires, and none to go to where one is", () => {
  assert.deepEqual(way(fork().wires, "m", "x"), []);
  assert.deepEqual(way(fork().wires, "x", "x"), []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { putInOrder } from "../../../autodiff_viz/web/base/dom.js";

/** A list of elements, which tells those that are moved. */
class List {
  constructor(names) {
    this.elements = names.map((name) => new Item(this, name));
    this.moved = [];
  }
  get firstElementChild() {
    return this.elements[0] ?? null;
  }
  get names() {
    return this.elements.map(({ name }) => name);
  }
  insertBefore(one, next) {
    this.moved.push(one.name);
    this.elements = this.elements.filter((other) => other !== one);
    this.elements.splice(next ? this.elements.indexOf(next) : this.elements.length, 0, one);
  }
}
class Item {
  constructor(list, name) {
    Object.assign(this, { list, name });
  }
  get nextElementSibling() {
    return this.list.elements[this.list.elements.indexOf(this) + 1] ?? null;
  }
}
const put = (before, order) => {
  const list = new List(before);
  putInOrder(
    list,
    order.map((name) => list.elements.find((one) => one.name === name)),
  );
  return list;
};

test("sliders that have come stand where the formula has them, and those that stay are not touched", () => {
  const list = put(["x", "w", "t", "more"], ["w", "x", "t"]);
  assert.deepEqual(list.names, ["w", "x", "t", "more"]);
  assert.deepEqual(list.moved, ["w"]);
  assert.deepEqual(put(["x", "y", "more"], ["x", "y"]).moved, []);
});

test("any order comes out", () => {
  for (const order of ["abcd", "dcba", "bdac", "cabd"])
    assert.equal(put([..."abcd"], [...order]).names.join(""), order);
});

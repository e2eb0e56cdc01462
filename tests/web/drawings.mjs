// Small drawings made by hand, for the tests of the canvas.

export const node = (id, x = 0, y = 0, slots = 1, more = {}) => ({
  id,
  op: "sin",
  symbol: "sin",
  x,
  y,
  w: 100,
  h: 60,
  slots: Array.from({ length: slots }, (_, i) => ({ label: `x${i}`, constant: null, wired: true })),
  value: "1",
  cotangent: "1",
  rule: "follow",
  isOutput: false,
  isInput: slots === 0,
  connected: true,
  ...more,
});

export const wire = (from, to, slot = 0, more = {}) => ({
  from,
  to,
  slot,
  width: 1,
  sign: 1,
  passed: "1",
  via: [],
  ...more,
});

/** x feeds s and m, s feeds m. */
export const fork = () => ({
  rev: 1,
  ack: 0,
  key: "k",
  selected: null,
  history: {},
  nodes: [node("x", 0, 0, 0), node("s", 200, 0, 1), node("m", 400, 0, 2)],
  wires: [wire("x", "s"), wire("s", "m", 0, { via: [[350, 10]] }), wire("x", "m", 1)],
  regions: [{ name: "r", nodes: ["s"], policy: "nothing_saveable", depth: 0 }],
});

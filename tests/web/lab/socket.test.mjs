import assert from "node:assert/strict";
import test from "node:test";

globalThis.window = globalThis;
globalThis.parent = globalThis;
globalThis.document = { baseURI: "https://lab.example/autodiff/?g=1" };
const pushed = [];
globalThis.location = { search: "", pathname: "/autodiff/", host: "lab.example" };
globalThis.history = { state: null, pushState: (_state, _title, url) => pushed.push(url) };
const { shared } = await import("../../../autodiff_viz/web/base/constants.js");
const { LabSocket, LATE_MS, RETRY_MS, showAddress } =
  await import("../../../autodiff_viz/web/connection/socket.js");

/** A WebSocket that does what it is told. */
class Fake extends EventTarget {
  constructor(url, protocols) {
    super();
    Object.assign(this, { url, protocols, readyState: 0, sent: [] });
  }

  open() {
    this.readyState = 1;
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.readyState = 3;
  }

  answer(word) {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(word) }));
  }

  break() {
    this.readyState = 3;
    this.dispatchEvent(new Event("close"));
  }
}

function opened() {
  const [made, heard, lost] = [[], [], []];
  const lab = new LabSocket(
    (word) => heard.push(word),
    () => lost.push(true),
    (...asked) => (made.push(new Fake(...asked)), made.at(-1)),
  );
  lab.open("1a");
  return { lab, made, heard, lost };
}

/** Let so much time have passed. */
function passes(t, ms) {
  const now = performance.now();
  t.mock.method(performance, "now", () => now + ms);
}

test("it connects to the path beside the page, over TLS if the page came so", () => {
  assert.equal(opened().made[0].url, "wss://lab.example/autodiff/lab-socket");
});

test("the session's name, a secret, is a subprotocol and not in the address, which servers log", () => {
  const [{ url, protocols }] = opened().made;
  assert.deepEqual(protocols, ["lab", "1a"]);
  assert.equal(url.includes("1a"), false);
});

test("it connects to no other host, whatever Python says", () => {
  const { lab, made } = opened();
  lab.open("//elsewhere.example/x");
  assert.equal(made[1].url, made[0].url);
  globalThis.document = { baseURI: "https://elsewhere.example/" };
  assert.throws(() => lab.open("2b"));
  globalThis.document = { baseURI: "https://lab.example/autodiff/?g=1" };
});

test("a message is sent once the connection stands; until then the component takes it", () => {
  const { lab, made, heard } = opened();
  assert.equal(lab.send({ a: 1 }), false);
  made[0].open();
  assert.equal(lab.send({ a: 2 }), true);
  made[0].answer({ ack: 1 });
  assert.deepEqual([made[0].sent, heard], [[{ a: 2 }], [{ ack: 1 }]]);
});

test("when it breaks, it says so if an answer was due, and the component takes over", () => {
  for (const due of [true, false]) {
    const { lab, made, lost } = opened();
    made[0].open();
    lab.send({ a: 1 });
    if (!due) made[0].answer({});
    made[0].break();
    assert.equal(lost.length, due ? 1 : 0);
    assert.equal(lab.send({ a: 2 }), false);
  }
});

test("it is tried again, but not at once, and at once for another session", (t) => {
  const { lab, made } = opened();
  made[0].break();
  lab.open("1a");
  assert.equal(made.length, 1);
  lab.open("2b");
  assert.equal(made.length, 2);
  made[1].break();
  passes(t, RETRY_MS + 1);
  lab.open("2b");
  lab.open("2b"); // it is being connected
  assert.equal(made.length, 3);
});

test("a connection that does not answer is given up", (t) => {
  const { lab, made, lost } = opened();
  made[0].open();
  lab.send({ a: 1 });
  lab.send({ a: 1 });
  passes(t, LATE_MS + 1);
  assert.equal(lab.send({ a: 1 }), false);
  assert.deepEqual([made[0].sent.length, made[0].readyState, lost.length], [2, 3, 1]);
  made[0].answer({ ack: 9 }); // too late
});

test("the words of a connection that was given up are not heard", (t) => {
  const { lab, made, heard } = opened();
  lab.open("2b");
  made[0].answer({ ack: 9 });
  assert.deepEqual(heard, []);
});

test("what is too long for it goes through the component", () => {
  const { lab, made } = opened();
  made[0].open();
  assert.equal(lab.send({ text: "x".repeat(shared.limits.message) }), false);
});

test("the address is a step of the history, once, and keeps what a host has put there", () => {
  showAddress("g=1&at=x.1");
  assert.deepEqual(pushed, ["/autodiff/?g=1&at=x.1"]);
  globalThis.location = { search: "?g=1&at=x.1", pathname: "/autodiff/" };
  showAddress("g=1&at=x.1");
  assert.equal(pushed.length, 1);
  globalThis.location = { search: "?embed=true&g=1", pathname: "/" };
  showAddress("g=2");
  showAddress("");
  assert.deepEqual(pushed.slice(1), ["/?embed=true&g=2", "/?embed=true"]);
});

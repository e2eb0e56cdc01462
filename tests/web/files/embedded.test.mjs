import assert from "node:assert/strict";
import test from "node:test";
import {
  crc32,
  graphIn,
  withGraphInPng,
  withGraphInSvg,
} from "../../../autodiff_viz/web/canvas/files/documents.js";
import { withoutAnswers } from "../../../autodiff_viz/web/canvas/files/import_export.js";

const LINK = "?g=1eJyr_w-Q&seed=2.0&node=a";
const bytes = (...parts) =>
  Uint8Array.from(
    parts.flatMap((part) =>
      typeof part === "string" ? [...part].map((c) => c.charCodeAt(0)) : part,
    ),
  );
const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];
const chunk = (name, data = []) => [0, 0, 0, data.length, ...bytes(name), ...data, 0, 0, 0, 0];
const HEADER = chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
const PNG = bytes(SIGNATURE, HEADER, chunk("IDAT", [1, 2, 3]), chunk("IEND"));

test("the checksum is that of the PNG specification", () => {
  assert.equal(crc32(bytes("123456789")), 0xcbf43926); // the check value of CRC-32
  assert.equal(crc32(bytes("IEND")), 0xae426082); // the last bytes of every PNG file
});

test("a PNG carries the graph in a text chunk after its header and is otherwise the same", () => {
  const made = withGraphInPng(PNG, LINK);
  const start = SIGNATURE.length + HEADER.length;
  assert.deepEqual([...made.slice(0, start)], [...PNG.slice(0, start)]);
  assert.equal(String.fromCharCode(...made.slice(start + 4, start + 20)), "iTXtautodiff_viz");
  assert.deepEqual([...made.slice(made.length - (PNG.length - start))], [...PNG.slice(start)]);
  const length = new DataView(made.buffer).getUint32(start);
  const end = start + 8 + length;
  assert.equal(new DataView(made.buffer).getUint32(end), crc32(made.slice(start + 4, end)));
  assert.deepEqual(graphIn(made), { kind: "PNG", text: LINK });
});

test("text of any language comes back as it was", () => {
  const text = "x = 1.0  # θ → ∂ & <b>\ny = x";
  assert.equal(graphIn(withGraphInPng(PNG, text))?.text, text);
  assert.equal(
    graphIn(new TextEncoder().encode(withGraphInSvg("<svg><title>T</title></svg>", text)))?.text,
    text,
  );
});

test("an SVG carries the graph as metadata, escaped", () => {
  const made = withGraphInSvg(
    '<svg xmlns="http://www.w3.org/2000/svg"><title>T</title><g/></svg>',
    LINK,
  );
  assert.match(
    made,
    /<\/title><metadata id="autodiff_viz">\?g=1eJyr_w-Q&amp;seed=2\.0&amp;node=a<\/metadata><g\/>/,
  );
  assert.deepEqual(graphIn(bytes(made)), { kind: "SVG", text: LINK });
  assert.deepEqual(graphIn(bytes(`<?xml version="1.0"?>\n${made}`)), { kind: "SVG", text: LINK });
});

test("a picture without a graph is known as one", () => {
  assert.deepEqual(graphIn(PNG), { kind: "PNG", text: null });
  assert.deepEqual(graphIn(bytes("<svg></svg>")), { kind: "SVG", text: null });
  assert.deepEqual(graphIn(bytes([0xff, 0xd8, 0xff, 0xe0])), { kind: "JPEG", text: null });
  assert.deepEqual(graphIn(bytes("RIFF", [0, 0, 0, 0], "WEBPVP8 ")), { kind: "WebP", text: null });
});

test("a text file is no picture", () => {
  for (const text of ["x = 1.0", '{"autodiff_viz": 1}', "", "# a <svg> in a note"])
    assert.equal(graphIn(bytes(text)), null);
});

test("a damaged PNG holds no graph and does no harm", () => {
  const made = withGraphInPng(PNG, LINK);
  for (let cut = 8; cut < made.length; cut += 3)
    assert.equal(typeof graphIn(made.slice(0, cut))?.kind, "string");
  const huge = Uint8Array.from(made);
  huge.set([0xff, 0xff, 0xff, 0xff], SIGNATURE.length);
  assert.deepEqual(graphIn(huge), { kind: "PNG", text: null });
  const other = Uint8Array.from(made);
  other.set(bytes("Comment", [0]), SIGNATURE.length + HEADER.length + 8);
  assert.deepEqual(graphIn(other), { kind: "PNG", text: null });
});

test("what was answered stays here, wherever it stands in the address", () => {
  for (const [search, right] of [
    ["?g=1a&ask=b&guess=c", "?g=1a&ask=b"],
    ["?guess=c&g=1a", "?g=1a"],
    ["?g=1a&guess=c&node=b", "?g=1a&node=b"],
    ["?guess=c", ""],
    ["?g=1a&guesses=c", "?g=1a&guesses=c"],
    ["", ""],
  ])
    assert.equal(withoutAnswers(search), right);
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { groundOf, isCurrent } from "../../../autodiff_viz/web/canvas/draw/drag_frame.js";
import { Editor } from "../../../autodiff_viz/web/canvas/editor.js";
import { newOutbox, enqueue } from "../../../autodiff_viz/web/connection/edit_sender.js";
import { fork } from "../drawings.mjs";

/** An editor without a page. */
const editing = (drawing) =>
  Object.assign(Object.create(Editor.prototype), { drawing, mail: { outbox: newOutbox("k", 0) } });

test("the wires of a node are those that begin or end at it", () => {
  const drawing = fork();
  const { wires } = groundOf(editing(drawing), drawing);
  assert.deepEqual(Object.fromEntries([...wires].map(([id, set]) => [id, [...set].sort()])), {
    x: ["m:1", "s:0"],
    s: ["m:0", "s:0"],
    m: ["m:0", "m:1"],
  });
});

test("a frame of a drag builds on what was drawn when it began, until Python draws or an edit is sent", () => {
  const drawing = fork();
  const editor = editing(drawing);
  const ground = groundOf(editor, drawing);
  assert.ok(isCurrent(ground, editor)); // else all of the graph is drawn again in every frame
  editor.mail.outbox = enqueue(editor.mail.outbox, { kind: "toggle", node: "s" });
  assert.ok(!isCurrent(ground, editor));
  const later = groundOf(editor, drawing);
  editor.drawing = fork();
  assert.ok(!isCurrent(later, editor));
});

// @ts-check
// Keep what was typed and cannot be read as an answer: it is no try, and the reason stands beside the field.

import { whenRefused } from "../canvas/popovers/notice.js";

/** @param {import("../canvas/editor.js").Editor} editor @param {HTMLElement} root around the field's form
 * @param {(reason: string) => void} show shows the reason at the field; "" when another answer is on its way */
export function keepUnread(editor, root, show) {
  root.addEventListener("submit", () => {
    const field = () => root.querySelector("input");
    const typed = field()?.value ?? "";
    whenRefused(editor, (reason) => {
      show(reason);
      const again = field();
      if (again) again.value = typed;
      again?.focus({ preventScroll: true });
    });
    show("");
  });
}

// @ts-check
// Read back what is typed.

/** @param {import("../types.js").AnswerForm} form @param {string} text @returns {{ says: string, ok: boolean }} */
export const readBack = (form, text) => ({
  says: form.form === "number" ? `read as ${text}` : "",
  ok: true,
});

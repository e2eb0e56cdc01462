// @ts-check
// Replace an input's number in the formula text. Pure.

const NUMBER = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`;
const CALL = String.raw`(?:(?:input|parameter)\([ \t]*(?:value[ \t]*=[ \t]*)?)?`;

/** The text with another number for an input; null if the input has no number of its own.
 * @param {string} text @param {string} name of the input @param {string} number */
export function withNumber(text, name, number) {
  const pattern = new RegExp(`((?:^|;)[ \\t]*${name}[ \\t]*=[ \\t]*${CALL})${NUMBER}(?=[ \\t]*(?:[,);#]|$))`, "m");
  return pattern.test(text) ? text.replace(pattern, (_, before) => before + written(number)) : null;
}

/** @param {string} number */
const written = (number) => (/[.en]/i.test(number) ? number : `${number}.0`);

// @ts-check
// Inline the page's font in a style sheet: an image of which a bitmap is made can load nothing.

/** The first font of a stack as a style sheet; "" if the page has no font of that name or cannot load it.
 * @param {string} stack `font-family` @returns {Promise<string>} */
export const fontStyle = async (stack) => {
  const name = plain(stack.split(",")[0]);
  const face = [...document.styleSheets]
    .flatMap(rulesOf)
    .find((rule) => isFace(rule) && plain(rule.style.fontFamily) === name);
  const [, path] = /url\(["']?([^"')]+)/.exec(face?.style.getPropertyValue("src") ?? "") ?? [];
  if (!face || !path) return "";
  const address = new URL(path, face.parentStyleSheet?.href ?? location.href);
  if (address.origin !== location.origin) return ""; // nothing is requested from another host
  try {
    const file = await fetch(address);
    const weight = face.style.getPropertyValue("font-weight");
    return `@font-face{font-family:'${name}';font-weight:${weight};src:url(${await asText(await file.blob())})}`;
  } catch {
    return ""; // without a network the picture has another font
  }
};

/** @param {string} name */
const plain = (name) => name.trim().replace(/["']/g, "");

/** @param {CSSStyleSheet} sheet @returns {any[]} */
function rulesOf(sheet) {
  try {
    return [...sheet.cssRules];
  } catch {
    return []; // the sheet is of another origin
  }
}

/** @param {any} rule */
const isFace = (rule) =>
  rule instanceof CSSFontFaceRule &&
  (rule.style.getPropertyValue("font-style") || "normal") === "normal";

/** @param {Blob} blob @returns {Promise<string>} a data: address */
const asText = (blob) =>
  new Promise((keep, fail) => {
    const reader = new FileReader();
    reader.onload = () => keep(String(reader.result));
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(blob);
  });

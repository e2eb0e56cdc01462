// @ts-check
// Keep the drawing as it stands when the page is printed: paper is narrower than the canvas, which is then
// printed smaller, with all that was on view.

const PAPER = 690; // px of a page's width between its margins
const HIGH = 560; // px of a page that the canvas takes at most

/** The scale at which a canvas of this size is printed. Pure. @param {{ clientWidth: number, clientHeight: number }} host */
export const printScale = ({ clientWidth: w, clientHeight: h }) =>
  Math.min(1, PAPER / Math.max(w, 1), HIGH / Math.max(h, 1));

/** @param {HTMLElement} host the canvas */
export function listenToPrinting(host) {
  addEventListener("beforeprint", () => {
    if (!host.isConnected) return;
    const { clientWidth: w, clientHeight: h, style } = host;
    const sizes = { w: `${w}px`, h: `${h}px`, scale: printScale(host).toFixed(4) };
    for (const [name, size] of Object.entries(sizes)) style.setProperty(`--print-${name}`, size);
  });
}

// @ts-check
// Detect whether the figure is in view: it is slow to draw, and waits until then.

const PLACE = ".st-key-figure_place";
const PAINTED_MS = 300; // after Python's message with the parts of the page

export class FigureVisibility {
  /** @param {() => void} came called when it comes into view */
  constructor(came) {
    this.seen = false;
    this.timer = 0;
    /** @type {Element | null} */
    this.place = null;
    this.observer = new IntersectionObserver((entries) => {
      const before = this.seen;
      this.seen = entries.at(-1)?.isIntersecting ?? true;
      if (this.seen && !before) came();
    });
  }

  /** Find the place, which may have been replaced, once the parts above it are painted. */
  watch() {
    this.timer ||= window.setTimeout(() => this.find(), PAINTED_MS); // a training's messages must not put it off
  }

  find() {
    this.timer = 0;
    const place = document.querySelector(PLACE);
    if (place === this.place) return;
    this.observer.disconnect();
    this.place = place;
    if (place) this.observer.observe(place);
  }

  close() {
    clearTimeout(this.timer);
    this.observer.disconnect();
  }
}

// @ts-check
// Whether the figure can be seen: what is slow to draw waits until somebody looks.

const PLACE = ".st-key-figure_place";

export class Sight {
  /** @param {() => void} came called when it comes into view */
  constructor(came) {
    this.seen = false;
    /** @type {Element | null} */
    this.place = null;
    this.observer = new IntersectionObserver((entries) => {
      const before = this.seen;
      this.seen = entries.at(-1)?.isIntersecting ?? true;
      if (this.seen && !before) came();
    });
  }

  /** Find the place, which may have come anew. */
  watch() {
    const place = document.querySelector(PLACE);
    if (place === this.place) return;
    this.observer.disconnect();
    this.place = place;
    if (place) this.observer.observe(place);
  }

  close() {
    this.observer.disconnect();
  }
}

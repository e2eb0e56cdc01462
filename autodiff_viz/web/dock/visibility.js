// @ts-check
// Detect whether the figure is in view, which is slow to draw and waits until then, and which plot is in its place:
// an exercise is done once what it is about has been on view.

/** Where the plots are, by name; "figure" is any of a trace. @type {Record<string, string>} */
const PLACES = {
  figure: ".st-key-figure_place",
  training: ".st-key-train_panel",
  segments: ".st-key-segments_panel",
  twins: ".st-key-twins_panel",
};
const PAINTED_MS = 300; // after Python's message with the parts of the page

export class FigureVisibility {
  /** @param {() => void} came called when one of them comes into view */
  constructor(came) {
    this.timer = 0;
    /** @type {Map<string, Element | null>} */
    this.places = new Map();
    /** Those that are in view. @type {Set<string>} */
    this.inView = new Set();
    this.observer = new IntersectionObserver((entries) => {
      const before = new Set(this.inView);
      for (const { target, isIntersecting } of entries)
        for (const [name, place] of this.places)
          if (place === target) isIntersecting ? this.inView.add(name) : this.inView.delete(name);
      if ([...this.inView].some((name) => !before.has(name))) came();
    });
  }

  get seen() {
    return this.inView.has("figure");
  }

  /** The plot in the place of figures, such as the training; "" for none. */
  get panel() {
    return [...this.inView].find((name) => name !== "figure") ?? "";
  }

  /** Find the places, which may have been replaced, once the parts above them are painted. */
  watch() {
    this.timer ||= window.setTimeout(() => this.find(), PAINTED_MS); // a training's messages must not put it off
  }

  find() {
    this.timer = 0;
    for (const [name, selector] of Object.entries(PLACES)) {
      const [place, before] = [document.querySelector(selector), this.places.get(name)];
      if (place === before) continue;
      if (before) this.observer.unobserve(before);
      if (!place) this.inView.delete(name);
      this.places.set(name, place);
      if (place) this.observer.observe(place);
    }
  }

  close() {
    clearTimeout(this.timer);
    this.observer.disconnect();
  }
}

// @ts-check
// Let the search run where the pages are opened as files: there a browser starts no worker. The worker's script
// then runs in a hidden frame, which takes and sends the same messages.

if (location.protocol === "file:") {
  class FrameWorker {
    /** @param {string | URL} script */
    constructor(script) {
      /** @type {((event: { data: any }) => void) | null} */
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "Search";
      /** @type {Promise<Window>} */
      this.ready = new Promise((done) => {
        this.frame.addEventListener("load", () => {
          const inside = /** @type {Window & typeof globalThis} */ (this.frame.contentWindow);
          // What a worker sends goes to the page that has started it, later and as a copy.
          inside.postMessage = (/** @type {any} */ data) => {
            const copy = structuredClone(data);
            setTimeout(() => this.onmessage?.({ data: copy }));
          };
          const element = inside.document.createElement("script");
          element.src = String(script);
          element.addEventListener("load", () => done(inside));
          inside.document.body.append(element);
        });
      });
      document.body.append(this.frame);
    }

    /** @param {any} data */
    postMessage(data) {
      const copy = structuredClone(data);
      this.ready.then((inside) =>
        inside.dispatchEvent(new MessageEvent("message", { data: copy })),
      );
    }

    terminate() {
      this.frame.remove();
    }
  }
  // @ts-ignore what the search asks of a worker is all that this one has
  window.Worker = FrameWorker;
}

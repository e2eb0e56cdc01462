// @ts-check
// Show the visitor's tour in the lesson's place: to be read, a step at a time, or to be edited.

import { resultsOf } from "../asking/results.js";
import { shared } from "../base/constants.js";
import { html } from "../base/dom.js";
import { icon } from "../base/icons.js";
import { NO_FOCUS } from "../canvas/actions/reading.js";
import { actionOf } from "../canvas/actions/keys.js";
import { chooseFile, copy, pressDownload, takeTourLink } from "../canvas/files/import_export.js";
import { showPanel } from "../dock/panels.js";
import { may } from "../embed/gate.js";
import { placeAt, prose } from "./words.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("../types.js").TourData} TourData */
/** @typedef {"title" | "caption" | "text" | "notes"} Words */
/** @typedef {HTMLInputElement | HTMLTextAreaElement} Field */

const NOTED = "; on the stage in your notes alone";
const PAUSE_MS = 900; // without a key, after which typed words are sent
const WHAT =
  "A tour is a list of steps. A step is a graph with your words. You share a tour as a link or a file.";

/** @param {string} label @param {string} name of its icon @param {() => void} click @param {boolean} [disabled] */
const small = (label, name, click, disabled = false) =>
  html(
    "button",
    {
      type: "button",
      class: "small",
      title: label,
      "aria-label": label,
      "data-does": label.split(" ")[0].toLowerCase(),
      disabled,
      click,
    },
    icon(name),
  );

/** @param {string} label @param {() => void} click @param {string} [does] its name when it is drawn anew */
const button = (label, click, does = label) =>
  html("button", { type: "button", class: "plain", "data-does": does, click }, label);

export class TourPanel {
  /** @param {Editor} editor @param {HTMLElement} host @param {() => number} last number of the edit that was sent last */
  constructor(editor, host, last) {
    this.editor = editor;
    this.host = host;
    this.last = last;
    /** @type {TourData | null} */
    this.tour = null;
    this.shown = "";
    this.lesson = false;
    this.unfolded = -1; // step whose answer the author looks at though it still asks
    /** What has the focus once a step has been moved. @type {string | null} */
    this.follows = null;
    /** Fields on view, by what they are of. @type {Map<string, Pen>} */
    this.pens = new Map();
    this.host.addEventListener("keydown", (event) => this.key(event));
    // Streamlit's own shortcuts (r, c) would answer these keys too.
    for (const kind of ["keyup", "keypress"])
      this.host.addEventListener(kind, (event) => event.stopPropagation());
  }

  /** @param {TourData | null} tour @param {number} ack @param {boolean} lesson whether one is open */
  receive(tour, ack, lesson) {
    this.tour = tour;
    this.lesson = lesson;
    for (const pen of this.pens.values()) pen.acknowledge(ack);
    this.draw();
  }

  get editing() {
    return Boolean(this.tour?.editing); // Python knows, since it sends a reader fewer texts
  }

  /** Begin to edit, or end it. @param {boolean} on */
  edit(on) {
    this.send();
    this.editor.send({ kind: "tour_edit", on });
    if (on) showPanel("tour"); // on a phone the sheet opens
  }

  /** Send what has been typed. */
  send() {
    for (const pen of this.pens.values()) pen.send();
  }

  /** Draw the panel anew where more has changed than words in fields, and write into the fields what others changed. */
  draw() {
    const { tour, editing } = this;
    const form = tour &&
      editing && [
        tour.at,
        tour.steps.map(({ title }, i) => (i === tour.at ? "" : title)), // its field has it
        tour.changed,
        tour.answered,
        this.lesson,
      ];
    const shown = JSON.stringify(editing && tour ? form : [tour, !this.editor.drawing.asking]);
    if (shown !== this.shown) {
      const focus = this.focus();
      this.shown = shown;
      if (!tour) this.host.replaceChildren();
      else this.host.replaceChildren(...(editing ? this.form(tour) : this.page(tour)));
      focus();
    }
    if (!tour || !editing) return;
    this.pens.get("title")?.write(tour.title);
    this.pens.get("intro")?.write(tour.text);
    this.pens.get("summary")?.write(tour.summary);
    const step = tour.steps[tour.at];
    if (step)
      for (const name of /** @type {Words[]} */ (["title", "caption", "text", "notes"]))
        this.pens.get(`${tour.at} ${name}`)?.write(step[name]);
  }

  get focused() {
    const active = /** @type {ShadowRoot | Document} */ (this.host.getRootNode()).activeElement;
    return active instanceof HTMLElement && this.host.contains(active) ? active : null;
  }

  /** How to give the focus back to what has it now, if that is drawn anew; it follows a step that is moved.
   * @returns {() => void} */
  focus() {
    if (!this.focused) return () => {};
    const does = this.follows ?? this.focused.dataset.does;
    this.follows = null;
    return () => {
      const all = /** @type {HTMLElement[]} */ ([...this.host.querySelectorAll("[data-does]")]);
      const same = all.find((each) => each.dataset.does === does && !each.matches(":disabled"));
      const row = /\d+$/.exec(does ?? "")?.[0];
      /** @type {HTMLElement | null} */ (
        same ??
          this.host.querySelector(`[data-step="${row}"] button:not(:disabled)`) ??
          this.host.querySelector("h2, [data-does=add]")
      )?.focus();
    };
  }

  /** @param {number} step */
  go(step) {
    this.send();
    this.editor.send({ kind: "tour_go", step });
  }

  /** The row that stays in view. @param {TourData} tour */
  head(tour) {
    const { at, steps } = tour;
    const of = steps.length ? `${at + 1} of ${steps.length}` : "no step yet";
    return html(
      "div",
      { class: "head" },
      html("span", { class: "place" }, `Tour, ${of}`),
      small("Previous step", "back", () => this.go(at - 1), !steps.length || at === 0),
      small("Next step", "step", () => this.go(at + 1), at + 1 >= steps.length),
      tour.changed && small("Restart the step", "undo", () => this.go(at)),
      may("tour_edit") &&
        button(this.editing ? "Done" : "Edit", () => this.edit(!this.editing), "edit"),
      may("tour_close") &&
        button("Close", () => (this.send(), this.editor.send({ kind: "tour_close" }))),
    );
  }

  /** @param {TourData} tour */
  page(tour) {
    this.pens.clear();
    const step = tour.steps[tour.at];
    const next = tour.steps[tour.at + 1];
    return [
      this.head(tour),
      html("p", { class: "of" }, tour.title),
      html("h2", { tabindex: "-1" }, step ? step.title : tour.title),
      ...(tour.at === 0 ? prose(tour.text) : []),
      ...(step ? [...prose(step.caption), ...prose(step.text)] : prose(WHAT)),
      next &&
        html(
          "button",
          { type: "button", class: "next", "data-does": "on", click: () => this.go(tour.at + 1) },
          `Next: ${next.title}`,
        ),
      next ? undefined : this.copyResults(tour),
      tour.steps.length > 1 && html("ol", { class: "list" }, ...tour.steps.map(this.line(tour))),
    ].filter((part) => part !== false && part !== undefined);
  }

  /** What the steps were answered, for the class; nothing if none asked, or beside a question, which has that button itself.
   * @param {TourData} tour */
  copyResults(tour) {
    const results = !this.editor.drawing.asking && resultsOf(tour);
    return results
      ? button("Copy my results", () => copy(this.editor, "Results", results), "results")
      : undefined;
  }

  /** @param {TourData} tour */
  line =
    (tour) =>
    (/** @type {TourData["steps"][number]} */ { title }, /** @type {number} */ i) =>
      html(
        "li",
        {},
        html(
          "button",
          {
            type: "button",
            "aria-current": i === tour.at ? "step" : null,
            "data-does": `go ${i}`,
            click: () => this.go(i),
          },
          title || `Step ${i + 1}`,
        ),
      );

  /** @param {TourData} tour */
  form(tour) {
    const pens = this.pens;
    this.pens = new Map();
    const full = tour.steps.length >= shared.limits.tour_steps;
    const keep = (
      /** @type {string} */ name,
      /** @type {string} */ label,
      /** @type {string} */ text,
      /** @type {(text: string, fresh: boolean) => void} */ send,
      rows = 0,
    ) => {
      const pen = pens.get(name) ?? new Pen(label, rows, this.last);
      pen.post = send;
      pen.field.ariaLabel = label; // another one once the step asks
      pen.write(text);
      this.pens.set(name, pen);
      return html("label", {}, html("span", {}, label), pen.field);
    };
    const whole =
      (/** @type {"title" | "summary" | "text"} */ field) =>
      (/** @type {string} */ text, /** @type {boolean} */ fresh) =>
        this.editor.send({ kind: "tour_words", field, text, fresh });
    const lines = tour.steps.map((step, i) => this.row(tour, step, i, keep));
    const made = [
      this.head(tour),
      keep("title", "Title of the tour", tour.title, whole("title")),
      keep("intro", "Introduction", tour.text, whole("text"), 1),
      html(
        "div",
        { class: "acts" },
        html(
          "button",
          {
            type: "button",
            class: "main",
            "data-does": "add",
            disabled: full,
            click: () => (this.send(), this.editor.send({ kind: "tour_add" })),
          },
          "Add this graph",
        ),
        tour.steps.length > 0 &&
          button(`Replace step ${tour.at + 1} with this graph`, () => {
            this.send();
            this.editor.send({ kind: "tour_update", step: tour.at });
          }),
        !tour.steps.length &&
          this.lesson &&
          button("Begin with the steps of this lesson", () =>
            this.editor.send({ kind: "tour_new", of: "lesson" }),
          ),
      ),
      !tour.steps.length && html("p", { class: "quiet" }, WHAT),
      html("ol", { class: "steps" }, ...lines),
      tour.steps.length > 0 &&
        keep("summary", "Summary, in one sentence", tour.summary, whole("summary")),
      html(
        "div",
        { class: "acts" },
        tour.steps.length > 0 && button("Copy the link", () => takeTourLink(this.editor)),
        tour.steps.length > 0 &&
          button("Save as JSON", () => pressDownload(this.editor, "download_tour")),
        button("Open a file", () => chooseFile(this.editor)),
        tour.steps.length > 0 &&
          button("New tour", () => (this.send(), this.editor.send({ kind: "tour_new" }))),
      ),
    ];
    for (const [name, pen] of pens) if (!this.pens.has(name)) pen.send();
    return made.filter((part) => part !== false);
  }

  /** A step in the list; the one on view has its fields.
   * @param {TourData} tour @param {TourData["steps"][number]} step @param {number} i
   * @param {(name: string, label: string, text: string, send: (text: string, fresh: boolean) => void, rows?: number) => HTMLElement} keep */
  row(tour, step, i, keep) {
    const move = (/** @type {number} */ to) => {
      this.send();
      const does = this.focused?.dataset.does;
      this.follows = does?.endsWith(` ${i}`) ? does.replace(/\d+$/, String(to)) : null;
      this.editor.send({ kind: "tour_move", step: i, to });
    };
    const write =
      (/** @type {Words} */ field) => (/** @type {string} */ text, /** @type {boolean} */ fresh) =>
        this.editor.send({ kind: "tour_step_words", step: i, field, text, fresh });
    const open = i === tour.at;
    const grip = html(
      "span",
      { class: "grip", "aria-hidden": "true", title: "Drag to move" },
      "\u2261",
    );
    const root = html(
      "li",
      { class: open ? "step open" : "step", "data-step": i },
      html(
        "div",
        { class: "line" },
        grip,
        html("span", { class: "number" }, `${i + 1}.`),
        open
          ? keep(`${i} title`, "Title of the step", step.title, write("title"))
          : html(
              "button",
              {
                type: "button",
                class: "name",
                "aria-current": open ? "step" : null,
                "aria-description": "Alt and an arrow key move it",
                "data-does": `go ${i}`,
                title: "Show this step",
                click: () => this.go(i),
              },
              step.title || `Step ${i + 1}`,
              step.asks > 0 &&
                html("span", { class: "asks" }, step.asks === 1 ? " asks" : ` asks ${step.asks}`),
            ),
        small("Up", "before", () => move(i - 1), i === 0),
        small("Down", "after", () => move(i + 1), i === tour.steps.length - 1),
        small("Remove", "delete", () => {
          this.send();
          this.editor.send({ kind: "tour_remove", step: i });
        }),
      ),
    );
    for (const small of root.querySelectorAll(".small"))
      if (small instanceof HTMLElement) {
        small.dataset.does += ` ${i}`;
        small.setAttribute("aria-label", `${small.title}: step ${i + 1}`);
      }
    root.addEventListener("keydown", (event) => {
      const to = event.altKey && { ArrowUp: i - 1, ArrowDown: i + 1 }[event.key];
      if (typeof to !== "number" || event.target instanceof HTMLTextAreaElement) return;
      event.preventDefault();
      if (to >= 0 && to < tour.steps.length) move(to);
    });
    this.drag(grip, i, move);
    if (open) {
      if (!step.text && !step.notes) this.unfolded = i; // it stays open while it is written
      const said = step.asks ? "Text after the answer" : `Text of the step${NOTED}`;
      const telling = [
        keep(`${i} text`, said, step.text, write("text"), 1),
        keep(
          `${i} notes`,
          "Speaker's notes; whoever has the link can read them",
          step.notes,
          write("notes"),
          1,
        ),
      ];
      root.append(
        keep(`${i} caption`, `Caption${step.asks ? NOTED : ""}`, step.caption, write("caption"), 1),
        ...(tour.answered || !step.asks || this.unfolded === i ? telling : [this.fold(i, telling)]),
      );
    }
    return root;
  }

  /** What names the answer to a question that is still open: a reader who presses *Edit* has to ask for it.
   * @param {number} i @param {HTMLElement[]} telling */
  fold(i, telling) {
    const fold = html(
      "details",
      { class: "telling" },
      html("summary", { "data-does": `telling ${i}` }, "Text after the answer, and notes"),
      ...telling,
    );
    fold.addEventListener("toggle", () => {
      if (fold instanceof HTMLDetailsElement) this.unfolded = fold.open ? i : -1;
    });
    return fold;
  }

  /** Let a step be dragged by its grip. @param {HTMLElement} grip @param {number} from @param {(to: number) => void} move */
  drag(grip, from, move) {
    grip.addEventListener("pointerdown", (event) => {
      const rows = /** @type {HTMLElement[]} */ ([...this.host.querySelectorAll(".step")]);
      const middles = rows.map((row) => {
        const { top, height } = row.getBoundingClientRect();
        return top + height / 2;
      });
      let to = from;
      event.preventDefault();
      grip.setPointerCapture(event.pointerId);
      rows[from].classList.add("dragged");
      const over = (/** @type {PointerEvent} */ { clientY }) => {
        to = placeAt(middles, from, clientY);
        rows[from].style.transform = `translateY(${clientY - event.clientY}px)`;
        for (const [i, row] of rows.entries()) {
          row.classList.toggle(
            "gap-above",
            i !== from && to !== from && (to < from ? i === to : i === to + 1),
          );
          row.classList.toggle(
            "gap-below",
            to !== from && to === rows.length - 1 && i === to && i !== from,
          );
        }
      };
      const end = (/** @type {boolean} */ done) => () => {
        grip.removeEventListener("pointermove", over);
        for (const row of rows) {
          row.classList.remove("dragged", "gap-above", "gap-below");
          row.style.transform = "";
        }
        if (done && to !== from) move(to);
      };
      grip.addEventListener("pointermove", over);
      grip.addEventListener("pointerup", end(true), { once: true });
      grip.addEventListener("pointercancel", end(false), { once: true });
    });
  }

  /** Undo by key works in the panel too, but in a field it is the field's own. @param {KeyboardEvent} event */
  key(event) {
    event.stopPropagation();
    const [key, action] = actionOf(event);
    const inField =
      event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (!action?.undoes || inField) return;
    event.preventDefault();
    this.send();
    action.do?.(this.editor, NO_FOCUS, key);
  }
}

/** A field that sends its words once the typing pauses or the field is left, and is never overwritten before. */
class Pen {
  /** @param {string} label @param {number} rows 0 for one line @param {() => number} last */
  constructor(label, rows, last) {
    this.last = last;
    /** @type {(text: string, fresh: boolean) => void} */
    this.post = () => {};
    this.fresh = true;
    this.dirty = false;
    this.sent = -1;
    this.acknowledged = Infinity;
    this.timer = 0;
    const most = label.startsWith("Title") ? shared.limits.title : shared.limits.prose;
    this.field = /** @type {Field} */ (
      html(rows ? "textarea" : "input", {
        "aria-label": label,
        rows: rows || null,
        type: rows ? null : "text",
        maxlength: most,
        autocomplete: "off",
        "data-does": label,
        input: () => this.typed(),
        change: () => this.leave(),
        blur: () => this.leave(),
      })
    );
  }

  typed() {
    this.dirty = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), PAUSE_MS);
  }

  send() {
    clearTimeout(this.timer);
    if (!this.dirty) return;
    this.dirty = false;
    this.post(this.field.value, this.fresh);
    this.fresh = false;
    this.sent = this.last();
  }

  leave() {
    this.send();
    this.fresh = true;
  }

  /** @param {number} ack number of the last edit that Python has applied */
  acknowledge(ack) {
    this.acknowledged = ack;
  }

  /** Show the words that Python has, unless the visitor's are still under way. @param {string} text */
  write(text) {
    if (this.dirty || this.sent > this.acknowledged || this.field.value === text) return;
    this.field.value = text;
  }
}

// @ts-check
// Build the lab component of one visitor: canvas, formula, sliders, selected node and check, with one outbox
// for all edits and one message from Python for all parts.

import { closeFromOutside } from "./base/dismiss.js";
import { html } from "./base/dom.js";
import { listen, dispatch } from "./base/events.js";
import { host } from "./base/host.js";
import { explainTerms } from "./base/term.js";
import { showOutput } from "./canvas/actions/bring.js";
import { saveTwins } from "./canvas/actions/commands.js";
import { openEditor } from "./canvas/open.js";
import { pointedAt } from "./asking/questions.js";
import { noteVisit } from "./base/visits.js";
import { whenRefused } from "./canvas/popovers/notice.js";
import { Drawings } from "./canvas/state/delta.js";
import { readDrawing } from "./canvas/state/read_drawing.js";
import { IdleRefresh, STILL_MS } from "./connection/idle_refresh.js";
import { Dock } from "./dock/dock.js";
import { isHigh, isLarge, presentLook, secondFigure, showLook, watchLook } from "./dock/layout.js";
import { listenToMarker } from "./dock/marker.js";
import { Panels, showPanel } from "./dock/panels.js";
import { FigureVisibility } from "./dock/visibility.js";
import { TwinsTable } from "./explain/compare.js";
import { listenToBars } from "./explain/cotangents.js";
import { PathHighlight, PathsList } from "./explain/paths.js";
import { listenToSweeps } from "./explain/sweep.js";
import { VerificationLine } from "./explain/verification.js";
import { WhyZero } from "./explain/zero.js";
import { may } from "./embed/gate.js";
import { listenToKeys } from "./formula/caret.js";
import { WaitingLine } from "./canvas/draw/highlights.js";
import { Formula } from "./formula/editor.js";
import { readingLine } from "./formula/reading_line.js";
import { Inspector } from "./inspector/panel.js";
import { loadWhenIdle, withPart } from "./later.js";
import { keepFocus } from "./lesson/focus.js";
import { Seat } from "./lesson/seat.js";
import { SliderSeat } from "./lesson/slider_seat.js";
import { Board } from "./sliders/sliders.js";
import { SourceSync } from "./source_sync.js";
import { TourPlace } from "./tour/place.js";
import { listenToSteps } from "./training/steps.js";

// Clicks on exercises whose outcome is beside the graph: a plot, the pass as it is played, or the numbers of
// a node. Streamlit draws them, and ui/panels/claims.py names them by what they do.

/** Call the function of a button's kind when it is clicked: "do_play" is the kind of "do_play_neuron_0".
 * @param {Record<string, () => void>} acts @returns {() => void} ends it */
export function listenToTries(acts) {
  const ending = new AbortController();
  document.addEventListener(
    "click",
    ({ target }) => {
      const kind = Object.keys(acts).find(
        (name) => target instanceof Element && target.closest(`[class*="st-key-${name}_"]`),
      );
      if (kind) acts[kind]();
    },
    { signal: ending.signal },
  );
  return () => ending.abort();
}

/** @typedef {import("./types.js").Answer & { early?: boolean }} Word `early`: it has come with the page */
/** @typedef {import("./connection/edit_sender.js").Post} Post */

const LESSONS = ".st-key-pages > :nth-child(2) a"; // the link to the page of lessons

const drawings = new Drawings(); // of the session, so that a page that is left and entered again continues from them

export class Lab {
  /** @param {ParentNode & Node} parent @param {Record<string, string>} css by folder @param {import("./types.js").Constants} constants */
  constructor(parent, css, { palette, words, tabs }) {
    this.editor = openEditor(palette);
    this.mail = this.editor.mail;
    this.formula = new Formula(words, this.mail.desk("type"));
    this.sync = new SourceSync(this.editor, this.formula);
    this.board = new Board(this.mail.desk("slide"));
    this.inspector = new Inspector({ send: (edit, refused) => this.send(edit, refused) });
    this.cause = new WhyZero(this.editor);
    const pathLight = new PathHighlight(this.editor);
    this.check = new VerificationLine({
      select: (name) => this.editor.select([name]),
      light: (path) => pathLight.show(path),
      ask: (on) => this.editor.send({ kind: "check", on }),
      look: () => this.mail.ask({ rest: this.question.turn }),
      mend: (edit, refused) => this.send(edit, refused),
    });
    this.editor.watchers.push(() =>
      this.inspector.hintAt(
        this.editor.single ? [] : [...this.editor.selection],
        this.editor.lastStep,
      ),
    );
    this.editor.leaving.push(
      () => this.formula.send(),
      () => this.board.send(),
      () => this.tour.send(),
    );
    this.twins = new TwinsTable({
      select: (name) => this.editor.select([name]),
      save: () => saveTwins(this.editor),
    });
    this.paths = new PathsList((path) => pathLight.show(path));
    this.tour = new TourPlace(this.editor, () => this.mail.outbox.last);
    this.panels = new Panels();
    this.dock = new Dock(tabs, (figure) => this.editor.send({ kind: "figure", figure }));
    const around = host.around(
      this.editor,
      (figure) => this.editor.send({ kind: "figure", figure }),
      this.board.host,
    );
    this.formula.area.readOnly = !may("type");
    if (around)
      for (const part of [this.inspector, this.check]) part.host.dataset.edit = around.edit;
    this.seat = around ? null : new Seat(this.editor);
    this.sliderSeat = around ? null : new SliderSeat(this.board);
    this.editor.showExercise = (exercise) => {
      this.sliderSeat?.receive(exercise);
      this.panels.bends = exercise && !exercise.done ? exercise.bends : [];
    };
    this.reading = new WaitingLine(this.editor.stage.host, () =>
      readingLine(() => this.mail.tell({ stop: true })),
    );
    this.places = host.mount(parent, css, {
      ...(this.seat && { asking: this.seat.host }),
      ...(this.sliderSeat && { slider_seat: this.sliderSeat.host }),
      ...(around && { panes: around.panes }),
      editor: this.editor.root,
      bar: html("div", { class: "canvas-tools" }, this.editor.tools),
      panels: this.panels.host,
      plots: this.dock.host,
      formula: this.formula.host,
      sliders: around?.sliders ?? this.sliderSeat?.home ?? this.board.host,
      node: this.inspector.host,
      check: this.check.host,
      twins: this.twins.host,
      paths: this.paths.host,
      notes: this.check.notes,
      tour: this.tour.host,
    });
    this.around = around;
    /** The lesson that was noted last, and whether it was answered. */
    this.visited = "";
    /** Whether the first drawing has come. @type {true | undefined} */
    this.opened = undefined;
    this.awaited = ""; // a plot that the next graph has
    /** The graph that was drawn last. @type {string | undefined} */
    this.document = undefined;
    this.unexplain = explainTerms();
    this.unmark = listenToMarker((input) => this.board.rows.get(input));
    this.unsweep = listenToSweeps();
    this.unbar = listenToBars();
    this.steps = listenToSteps(
      (step) => this.editor.send({ kind: "step", step }),
      () => this.mail.outbox.pending.some(({ kind }) => kind === "step"),
      () => this.editor.drawing.moment,
    );
    this.untry = listenToTries({
      do_segments: () => this.showPlot("segments"),
      do_training: () => this.showPlot("training"),
      do_play: () => this.editor.startPlay(),
      do_answer: () => this.editor.goToQuestion(),
      do_lessons: () => {
        const link = /** @type {HTMLAnchorElement | null} */ (document.querySelector(LESSONS));
        if (!link) return;
        link.href = this.editor.drawing.lesson?.page ?? link.href; // of the path that is followed
        link.click();
      },
      show_node: () => showPanel("node"),
      ...Object.fromEntries(tabs.map(({ name }) => [`show_${name}`, () => this.showPlot(name)])),
    });
    this.unkeep = keepFocus();
    this.question = new IdleRefresh(this.mail);
    this.sight = new FigureVisibility(() => this.question.ask());
    this.channel = host.openChannel(
      (word) => this.receive(word, this.component),
      () => (this.mail.wake(), this.question.wait(STILL_MS)),
    );
    /** The component's own channel. @type {Post} */
    this.component = () => {};
    this.throughPage = false; // whether a request for the rest of the page needs a run of Streamlit
    this.looked = JSON.stringify(this.look);
    /** Keys of the tables that sliders wait for, by input. @type {Map<string, string>} */
    this.wanted = new Map();
    /** State of the numbers whose steps the transport waits for. @type {number | null} */
    this.plays = null;
    /** State of the numbers whose pass the user has stepped back and forth. @type {number | null} */
    this.stepped = null;
    /** Links that the stage or the dialog of sharing waits for, with who does. @type {{ of: string, wish: Record<string, string> } | null} */
    this.shares = null;
    this.large = isLarge();
    this.unwatch = watchLook(() => this.relook());
    showLook();
    this.mail.note = () => ({
      have: drawings.have,
      seen: this.sight.seen,
      ...(this.sight.panel && { panel: this.sight.panel }),
      ...this.look,
      ...(this.editor.noticed.length && { noticed: this.editor.noticed }),
      ...(this.check.open && { details: true }),
      ...(this.wanted.size && { want: [...this.wanted] }),
      ...(this.plays !== null && { play: this.plays }),
      ...(this.stepped !== null && { stepped: this.stepped }),
      ...(this.shares && { share: this.shares.wish }),
    });
    this.formula.leave = () => this.editor.stage.surface.focus({ preventScroll: true });
    this.formula.asFormula = () => (
      this.formula.confirm(),
      this.editor.send({ kind: "as_formula" })
    );
    this.formula.again = () => (this.formula.confirm(), this.editor.send({ kind: "read_again" }));
    this.formula.find = () =>
      withPart(this.editor, "find", (find) => find.openFind(this.editor, this.formula.area));
    listenToKeys(this.formula);
    const gone = () => !this.isHere && this.question.turn > 0;
    listen("formula", (about) => (about.text = this.formula.area.value), gone);
    listen(
      "lag",
      ({ on, says, check }) => (
        this.inspector.lag(on ? says : null),
        this.paths.lag(on ? says : null),
        this.check.wait(on ? check : null)
      ),
      gone,
    );
    listen(
      "numbers",
      ({ numbers }) => (
        this.inspector.follow(numbers),
        this.twins.host.classList.toggle("late", numbers !== null)
      ),
      gone,
    );
    listen("play", ({ isComputed }) => this.inspector.play(isComputed), gone);
    closeFromOutside(
      () => this.check.opened,
      () => this.check.fold(),
      gone,
    );
    listen("plot", ({ name }) => this.showPlot(name), gone);
    listen("tour", () => this.tour.edit(true), gone);
    listen("want", ({ inputs }) => this.want(inputs), gone);
    listen("wants-play", ({ state }) => this.wantPlay(state), gone);
    listen("wants-share", ({ of, parameters }) => this.wantShare(of, parameters), gone);
    listen("stepped", ({ state }) => ((this.stepped = state), this.mail.ask({})), gone);
  }

  get isHere() {
    return this.editor.stage.host.isConnected;
  }

  /** Take a message from Python, over either connection. @param {Word} word @param {Post} post sends through the component */
  receive(word, post) {
    this.places.fill();
    this.component = post;
    if (word.key === this.mail.outbox.key && word.turn < this.question.turn) return; // overtaken on the other connection
    this.channel.open(word.socket);
    this.throughPage = word.page;
    if (word.query !== undefined) host.showAddress(word.query);
    const sent = drawings.read(word);
    const opening = word.key !== this.mail.outbox.key;
    if (opening) this.editor.noticed = []; // the session before numbered its edits for itself
    const first = opening && !word.early ? this.editor.keeping.open(word) : [];
    const drawing = sent && readDrawing({ ...sent, key: word.key, ack: word.ack, rev: word.rev });
    const document = Number((drawing ?? this.editor.drawing).graph ?? 0);
    this.mail.receive({ ...word, document }, (message) => this.post(message), first);
    this.question.answered(word, this.sight.seen);
    if (!word.due) this.sight.watch();
    if (!drawing) return this.editor.resync();
    this.editor.receive(drawing);
    if (opening && !word.early) loadWhenIdle(); // before, Streamlit's own code is on its way
    this.steps.answered();
    this.formula.receive({ ...drawing.formula, ack: word.ack });
    this.reading.tell(Boolean(drawing.being_read));
    this.sync.receive(drawing);
    if (this.formula.takePasted()) showOutput(this.editor);
    this.board.receive(this.around?.slidersOf(drawing.sliders) ?? drawing.sliders, document);
    this.inspector.receive(drawing.node, word.ack);
    this.cause.receive(drawing.forward ? undefined : drawing.node, drawing.check?.origin); // a cause is one of cotangents
    this.cause.point(pointedAt(drawing.asking));
    if (!this.around && drawing.lesson) this.visit(drawing.lesson.key, drawing.asking?.summary);
    this.check.receive(drawing.check ?? {});
    this.twins.receive(drawing.twins, drawing.nodes);
    this.paths.receive(drawing.paths);
    this.tour.receive(drawing.tour ?? null, word.ack, Boolean(drawing.lesson));
    this.panels.receive(
      drawing.lesson ? `${drawing.lesson.key} ${drawing.lesson.variant}` : null,
      Boolean(drawing.tour),
      drawing.sliders?.rows?.length ?? 0,
      Boolean(drawing.asking?.hiding),
    );
    this.dock.receive(
      drawing,
      this.editor.pending.some(({ kind }) => kind === "figure"),
    );
    if (drawing.graph !== this.document) {
      this.document = drawing.graph;
      const { awaited } = this;
      if (awaited) (this.showPlot(awaited), (this.awaited = ""));
    }
    for (const table of word.tables) this.keep(table);
    for (const [input, key] of this.wanted)
      if (drawing.sweeps?.[input] !== key) this.wanted.delete(input);
    if (this.plays !== drawing.state) this.plays = null;
    if (this.stepped !== drawing.state) this.stepped = null;
    if (word.play) this.played(word.play);
    if (this.around) this.around.drawn();
    else if (opening) this.openAtStep();
    if (word.share) this.sharing(word.share);
    if ((this.wanted.size || this.plays !== null || this.shares) && word.rest === null)
      this.question.wait(STILL_MS);
  }

  /** Keep for the page of lessons that a lesson is open. @param {string} key @param {string} [summary] of the answers, once all are given */
  visit(key, summary) {
    const now = `${key} ${Boolean(summary)}`;
    if (now === this.visited) return;
    this.visited = now;
    noteVisit(key, summary);
  }

  /** Show the step of the pass that the address names, as of a frame that was opened here. */
  openAtStep() {
    const step = new URLSearchParams(location.search).get("step") ?? "";
    if (/^[0-9]{1,9}$/.test(step) && !this.editor.drawing.moment && this.opened === undefined)
      this.editor.play?.seek(Number(step));
    this.opened = true;
  }

  /** @param {Parameters<Post>[0]} message */
  post(message) {
    const draws = "rest" in message && this.throughPage;
    if (draws || !this.channel.send(message)) this.component(message);
  }

  /** Do what was done to the picture of the lab before it stood. @param {import("./opening/picture.js").Done} done */
  again(done) {
    const { editor, formula } = this;
    if ("node" in done) {
      editor.stage.surface.focus({ preventScroll: true });
      editor.select([done.node]);
    } else if ("edit" in done) editor.send(done.edit);
    else if ("panel" in done) this.panels.press(done.panel);
    else if ("formula" in done) formula.area.focus();
    else if ("play" in done) editor.startPlay();
    else {
      const how = { ...done.key, bubbles: true, cancelable: true, composed: true };
      editor.stage.surface.dispatchEvent(new KeyboardEvent("keydown", how));
    }
  }

  /** Send an edit; `refused` is called with the reason if Python refuses it. Without it the canvas shows the reason.
   * @param {import("./connection/edit_sender.js").NewEdit} edit @param {(reason: string) => void} [refused] */
  send(edit, refused) {
    this.editor.send(edit);
    if (edit.kind === "mend") this.editor.stage.surface.focus({ preventScroll: true }); // its button goes; undo is a key of the canvas
    if (refused) whenRefused(this.editor, refused);
    return this.mail.outbox.last;
  }

  /** Show a plot, if the graph has it; where the plots are a panel, that too. @param {string} name */
  showPlot(name) {
    const isThere = this.dock.others.includes(name) || name in this.dock.figures;
    this.awaited = isThere ? "" : name; // of the graph that an exercise has just asked for
    if (!isThere) return;
    this.dock.press(name);
    if (["narrow", "low"].includes(this.panels.room)) this.panels.press("plots", true);
  }

  /** Request tables; the request is repeated in every message until they arrive, since Streamlit may lose one.
   * @param {[input: string, key: string][]} inputs */
  want(inputs) {
    for (const [input, key] of inputs) this.wanted.set(input, key);
    this.mail.ask({});
  }

  /** What the figures depend on besides the graph: `second` beside the first, large type, and room to be `high`. */
  get look() {
    const second = secondFigure();
    return {
      ...(second && document.documentElement.dataset.avSecond === second && { second }),
      ...(isLarge() && { large: true }),
      ...(isHigh() && { high: true }),
    };
  }

  /** Request the figures anew if they look different now; the canvas's text has another size in large type. */
  relook() {
    if (!this.around)
      this.editor.root.classList.toggle("contrast", presentLook().theme === "contrast");
    if (this.large !== isLarge()) {
      this.large = isLarge();
      this.editor.resized();
    }
    const look = JSON.stringify(this.look);
    if (look !== this.looked && this.question.turn > 0) this.question.ask();
    this.looked = look;
  }

  /** Request the steps of the pass, as `want` does tables. @param {number} state of the numbers on view */
  wantPlay(state) {
    this.plays = state;
    this.mail.ask({});
  }

  /** Request links, as `want` does tables. @param {string} of who waits @param {Record<string, string>} parameters */
  wantShare(of, parameters) {
    this.shares = { of, wish: { base: location.origin + location.pathname, ...parameters } };
    this.mail.ask({});
  }

  /** @param {import("./share/links.js").Shared} shared */
  sharing(shared) {
    const { shares } = this;
    if (!shares || JSON.stringify(shared.wish) !== JSON.stringify(shares.wish)) return; // another one has been wished for since
    this.shares = null;
    dispatch("shared", { of: shares.of, shared });
  }

  /** @param {import("./explain/play.js").Sent} sent */
  played(sent) {
    if (this.plays === sent.state) this.plays = null;
    dispatch("played", sent);
  }

  /** @param {import("./canvas/scrub.js").Sent} table */
  keep(table) {
    if (this.wanted.get(table.input) === table.key) this.wanted.delete(table.input);
    dispatch("sweep", table);
  }

  close() {
    this.formula.close();
    this.editor.close();
    this.question.close();
    this.channel.close();
    this.unexplain();
    this.unmark();
    this.unsweep();
    this.unbar();
    this.steps.close();
    this.untry();
    this.unkeep();
    this.places.close();
    this.panels.close();
    this.dock.close();
    this.sight.close();
    this.unwatch();
    this.seat?.close();
    this.sliderSeat?.close();
  }
}

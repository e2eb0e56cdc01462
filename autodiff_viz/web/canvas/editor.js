// @ts-check
// Edit one graph: hold Python's last drawing, the pending edits, the selection and the stage that shows them.

import { dispatch } from "../base/events.js";
import { host } from "../base/host.js";
import { EditSender } from "../connection/edit_sender.js";
import { showOffline } from "../connection/network.js";
import { fromFragment } from "../dock/layout.js";
import { isDraft } from "../formula/places.js";
import { dragFrame, groundOf, endDragFrame } from "./draw/drag_frame.js";
import { markStale, PointedNodes, WaitingLine } from "./draw/highlights.js";
import {
  isLarge,
  setView,
  measureCanvas,
  openStage,
  paint,
  partView,
  viewMovedTo,
  showsWhole,
  sizeOf,
  wholeView,
} from "./draw/stage.js";
import { SessionStore } from "./files/session_store.js";
import { diffNodes, replaces } from "./state/differences.js";
import { folding, namesIn, visibleCard } from "./state/fold.js";
import { withMoves } from "./state/membership.js";
import { edited, turning } from "./state/downwards.js";
import { bounds, CARD, padded, viewShowing, viewOf } from "./state/geometry.js";
import { areBehind } from "./scrub.js";
import { BESIDE, withPositions, NO_MATTER, predict } from "./state/predict.js";
import { stackTabs } from "./state/tabs.js";

/** @typedef {import("../types.js").Drawing} Drawing */
/** @typedef {import("../types.js").NewEdit} NewEdit */
/** @typedef {import("../types.js").Point} Point */

/** @type {Drawing} */
const NOTHING = {
  rev: -1,
  ack: 0,
  key: "",
  nodes: [],
  wires: [],
  regions: [],
  groups: [],
  selected: null,
  history: {},
  notice: [],
};

export class Editor {
  constructor() {
    this.stage = openStage();
    this.root = this.stage.host; // with the strip of tools, once they are made
    this.tools = this.stage.host; // the buttons of the page's bar
    this.waiting = new WaitingLine(this.stage.host);
    this.drawing = NOTHING; // as Python sent it
    this.shown = NOTHING; // with the pending edits applied (optimistic update)
    this.seen = NOTHING; // and with collapsed groups as cards: what is on the canvas
    this.fold = folding();
    this.turn = turning();
    this.mail = new EditSender("lab", this.stage.host, {
      changed: () => this.tell(),
      going: () => this.keeping.keep(true),
      leaving: () => this.leaving.forEach((leave) => leave()),
    });
    /** Callbacks for when the page is left or suspended. @type {(() => void)[]} */
    this.leaving = [() => this.keeping.keep(true)];
    this.selection = /** @type {Set<string>} */ (new Set());
    /** The single selected node that was last sent to Python. @type {string | null} */
    this.told = null;
    this.wire = /** @type {string | null} a wire's id */ (null);
    this.row = /** @type {import("./scrub.js").Row | null} */ (null); // of a dragged slider's position, in place of Python's numbers
    this.isComputed = /** @type {((place: string) => boolean) | null} */ (null); // by the pass that is played; null: all numbers are on view
    /** Positions of the nodes being dragged. @type {Record<string, Point> | null} */
    this.dragged = null;
    /** Regions that the dragged nodes would join or leave if dropped. @type {import("./state/membership.js").Moves | null} */
    this.memberMoves = null;
    this.fitted = false;
    this.hiding = false; // what takes no gradient
    this.isFixed = false; // whether nothing can be changed, as in a figure that lives without a server
    /** What the view shows: the first view, the whole graph, or the user's own view.
     * @type {"first" | "whole" | "own"} */
    this.choice = "first";
    /** @type {import("../types.js").PaletteGroup[]} */
    this.palette = [];
    /** Ops of the palette, by name. @type {Map<string, import("../types.js").PaletteOp>} */
    this.ops = new Map();
    /** Callbacks after every change. @type {(() => void)[]} */
    this.watchers = [];
    /** @type {import("./draw/drag_frame.js").Ground | null} */
    this.ground = null;
    this.frame = 0;
    /** What plays the pass. @type {import("../explain/play.js").Player | null} */
    this.play = null;
    /** Play the pass, or pause; end the play: false if nothing is played. */
    this.startPlay = () => {};
    /** @type {() => boolean} */
    this.endPlay = () => false;
    /** Show the step of the pass that computes a number. @type {(about: import("../explain/play.js").Quantity) => void} */
    this.playTo = () => {};
    /** Go to a question of those that are asked, by its index; none: the one on view. @type {(at?: number) => void} */
    this.goToQuestion = () => {};
    /** Show the cause of what arrives at a node; set by the question of a lesson, whose answer may have a reason. @type {(name: string, reason?: string) => void} */
    this.showCause = () => {};
    this.lastStep = ""; // what the last edit did
    /** Hears which exercise of the lesson is on view. @type {(exercise: import("../lesson/exercise.js").Exercise | undefined) => void} */
    this.showExercise = () => {};
    /** Cancel the gesture under way; false if there is none. @type {() => boolean} */
    this.giveUp = () => false;
    this.noticed = /** @type {(number | null)[]} */ ([]); // numbers of the refused edits whose reasons were shown last
    /** Part of the graph that the address asks for, until it is on view. */
    this.linked = fromFragment(location.hash).place;
    this.byHand = false; // whether the last edit moved nodes
    this.pointed = new PointedNodes(this);
    this.keeping = new SessionStore(this);
  }

  /** The pending edits of the canvas. */
  get pending() {
    return this.mail.outbox.pending.filter(({ kind }) => !BESIDE.has(kind));
  }

  /** Take Python's new drawing. @param {Drawing} drawing */
  receive(drawing) {
    const waiting = this.pending.some((edit) => edit.kind === "select");
    const other = drawing.graph !== this.drawing.graph;
    const most = replaces(this.drawing, drawing);
    const chosen = (drawing.selected !== this.told || other || most) && !waiting; // by Python, for example a node just added
    const { nodes } = this.seen;
    if (other) measureCanvas(this.stage); // now: once cards are drawn, it would lay all of them out before their level of detail is known
    this.drawing = drawing;
    if (chosen) {
      this.selection = new Set(drawing.selected ? [drawing.selected] : []);
      this.told = drawing.selected;
    }
    this.refresh();
    this.tell();
    markStale(this.stage.host, isDraft(drawing.formula) && !drawing.being_read); // most code is read at once
    this.stage.host.dataset.rev = String(drawing.rev);
    if (other) [this.fitted, this.choice] = [false, "first"];
    this.keeping.search = location.search;
    if (!this.keeping.resume() && this.fitted) this.reframe(nodes, most);
    this.fitOnce();
  }

  /** Request a full drawing, since Python's message was a patch of a drawing that never arrived. */
  resync() {
    if (this.pending.every(({ kind }) => kind !== "resync")) this.mail.send({ kind: "resync" });
    this.tell();
  }

  /** Whether a pending edit may change numbers. */
  get isUnsure() {
    return this.pending.some(({ kind }) => !NO_MATTER.has(kind));
  }

  /** Send an edit and show its predicted result at once (optimistic update). @param {NewEdit} edit */
  send(edit) {
    this.byHand = edit.kind === "move";
    this.mail.send(edited(edit, this.seen.turn, CARD));
    const { nodes } = this.seen;
    this.refresh(); // with new nodes, which Python's drawing then has already: they come into view now
    if (this.fitted && diffNodes(nodes, this.seen.nodes).came.length) this.reframe(nodes);
  }

  /** Show how many edits are pending, for the user and for tests. */
  tell() {
    const { length } = this.pending;
    this.stage.host.dataset.pending = String(length);
    showOffline(this.stage.host, length);
    // A slider moves its numbers itself; a first answer is judged by slopes that JAX may have to compile.
    const { pending } = this.mail.outbox;
    const awaits = pending.some(
      ({ kind }) => kind === "answer" || (kind !== "slide" && !NO_MATTER.has(kind)),
    );
    const isOffline = host.reach.isOffline();
    this.waiting.tell(awaits && !isOffline && !this.drawing.being_read);
    this.stage.host.classList.toggle("behind", isOffline && areBehind(pending, this.row));
  }

  /** Select exactly these nodes and the nodes of these cards; a single one is sent to Python. @param {string[]} ids @param {boolean} [quietly] opening no panel */
  select(ids, quietly = false) {
    this.choose(ids);
    if (this.tellSingle(quietly)) return;
    if (!quietly && this.single) dispatch("selected", { name: this.single }); // its panel may have been left since
    this.refresh();
  }

  /** Select these nodes, without drawing them and without telling Python yet. @param {string[]} ids */
  choose(ids) {
    this.selection = new Set(namesIn(this.seen, ids));
    this.wire = null;
  }

  /** Send Python the single selected node. @param {boolean} [quietly] @returns {boolean} whether it has changed */
  tellSingle(quietly = false) {
    if (this.single === this.told) return false;
    this.told = this.single;
    if (!quietly) dispatch("selected", { name: this.single });
    this.send({ kind: "select", node: this.single });
    return true;
  }

  /** Toggle a node, or all nodes of a card, in the selection. @param {string} id */
  toggle(id) {
    const names = namesIn(this.seen, [id]);
    const others = [...this.selection].filter((name) => !names.includes(name));
    this.select(this.isSelected(id) ? others : [...others, ...names]);
  }

  /** The selected node, if there is exactly one. */
  get single() {
    return this.selection.size === 1 ? [...this.selection][0] : null;
  }

  /** Whether a node, or all nodes of a card, are selected. @param {string} id */
  isSelected(id) {
    return namesIn(this.seen, [id]).every((name) => this.selection.has(name));
  }

  /** A node of the graph, or a card. @param {string | null | undefined} id */
  node(id) {
    const { shown, seen } = this;
    const [first, then] = seen.turn ? [seen, shown] : [shown, seen]; // where it stands on the canvas
    return first.nodes.find((node) => node.id === id) ?? then.nodes.find((node) => node.id === id);
  }

  /** Nodes and cards on the canvas that are selected. */
  get chosen() {
    return this.seen.nodes.filter(({ id, group }) =>
      group ? this.isSelected(id) : this.selection.has(id),
    );
  }

  /** Show a drag under way, at most once per frame. @param {Record<string, Point> | null} positions */
  drag(positions) {
    this.dragged = positions;
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() =>
      dragFrame(this) ? this.watchers.forEach((watch) => watch()) : this.refresh(),
    );
  }

  refresh() {
    const { stage } = this;
    const expected = predict(this.drawing, this.pending, this.ops);
    this.shown = this.dragged ? stackTabs(withPositions(expected, this.dragged)) : expected;
    if (this.dragged) this.ground = groundOf(this, expected);
    if (this.memberMoves) this.shown = withMoves(this.shown, this.memberMoves);
    this.seen = this.turn(this.fold(this.shown, this.hiding), sizeOf(stage));
    const names = new Set(this.shown.nodes.map((node) => node.id));
    for (const name of this.selection) if (!names.has(name)) this.selection.delete(name);
    const focused = /** @type {ShadowRoot} */ (stage.host.getRootNode()).activeElement;
    endDragFrame(stage);
    paint(stage, this.seen, this.dragged !== null);
    if (focused && !focused.isConnected) stage.surface.focus({ preventScroll: true }); // its node has been removed: keep the keyboard focus
    const chosen = new Set(this.chosen.map(({ id }) => id));
    for (const [id, { root }] of stage.cards) root.classList.toggle("selected", chosen.has(id));
    for (const [id, { root, number, wire }] of stage.strands) {
      root.classList.toggle("selected", id === this.wire);
      const near = chosen.has(wire?.from ?? "") || chosen.has(wire?.to ?? "");
      number.classList.toggle("near", near || id === this.wire);
    }
    this.watchers.forEach((watch) => watch());
  }

  /** Set the view. @param {import("../types.js").Viewport} view @param {boolean} [byUser] */
  look(view, byUser = true) {
    if (byUser) this.choice = "own";
    setView(this.stage, view);
    this.watchers.forEach((watch) => watch());
  }

  /** Show the whole graph, or the named nodes. @param {Set<string>} [names] */
  fit(names) {
    const some = names?.size
      ? partView(
          this.stage,
          this.seen,
          new Set([...names].map((name) => visibleCard(this.seen, name))),
        )
      : null;
    if (some) return this.look(some);
    this.choice = "whole";
    measureCanvas(this.stage);
    this.look(wholeView(this.stage, this.seen, false), false);
  }

  /** Bring nodes into view by the smallest move. @param {Iterable<string>} names */
  show(names) {
    const ids = new Set([...names].map((name) => visibleCard(this.seen, name)));
    const box = bounds(this.seen.nodes.filter(({ id }) => ids.has(id)));
    const view = box && viewShowing(this.stage.view, padded(box, 24), sizeOf(this.stage));
    if (view && view !== this.stage.view) this.look(view, this.choice === "own");
  }

  /** Fit the first drawing of a document, once the canvas has a size. */
  fitOnce() {
    if (this.fitted || !sizeOf(this.stage).w) return;
    this.fitted = true;
    const { linked } = this;
    this.linked = null;
    if (linked) return this.look(viewOf(linked, sizeOf(this.stage)));
    this.look(wholeView(this.stage, this.seen, this.choice === "first"), false);
  }

  /** Fit again after nodes have come, gone or moved, unless the user has chosen a view or moved them; then bring new nodes
   * into view. @param {import("../types.js").GraphNode[]} before what was on the canvas
   * @param {boolean} [replaced] whether the graph has taken the place of another */
  reframe(before, replaced = false) {
    const { stage, seen, choice } = this;
    const { came, moved, most: mostly } = diffNodes(before, seen.nodes);
    const most = mostly || replaced;
    if (this.dragged || !(came.length || moved) || (this.byHand && !came.length)) return;
    if (most) this.choice = "first";
    measureCanvas(stage);
    const whole = wholeView(stage, seen, this.choice === "first");
    const fits = choice !== "own" || most;
    if (fits && !(came.length && isLarge(seen) && !most)) {
      if (most || !showsWhole(stage, whole)) this.look(whole, false);
    } else if (came.length) {
      const view = viewMovedTo(
        stage,
        seen.nodes.filter(({ id }) => came.includes(id)),
      );
      if (view) this.look(view, false);
    }
  }

  /** After a change of the canvas's size, fit again unless the user has chosen a view. */
  resized() {
    this.stage.size = null;
    measureCanvas(this.stage);
    const { turn } = this.seen;
    if (this.seen.nodes.length) this.refresh();
    if (this.choice !== "own" || Boolean(turn) !== Boolean(this.seen.turn)) this.fitted = false;
    else this.look(this.stage.view);
    this.fitOnce();
  }

  close() {
    this.mail.close();
    this.keeping.close();
    cancelAnimationFrame(this.frame);
  }
}

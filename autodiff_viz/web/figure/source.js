// @ts-check
// Serve edits from the data of a file, in the place of the server: what is selected, collapsed and compared.
// Every number has been computed by JAX when the file was made. Pure.

/** @typedef {import("../types.js").NodeData} NodeData */
/**
 * A step of the file: a graph with all that can be asked about it. standalone/data.py writes it.
 *
 * @typedef {object} State
 * @property {string} title
 * @property {string} text what the step is about
 * @property {any} drawing as the server would send it
 * @property {Record<string, any>} nodes data of the panel, by node
 * @property {Record<string, import("../types.js").PathsData>} paths by node
 * @property {{ steps: import("../explain/play.js").Step[], says?: string }} play
 * @property {import("../canvas/scrub.js").Sent[]} tables
 * @property {string} says whether the numbers were checked
 * @property {string[]} notes
 * @property {string} link to this graph in the lab, "" if the lab's address is not known
 * @property {number} [twin] the state of the other graph of a comparison
 * @property {string} [hidden] packed: what judges the answers, and the states after them
 */
/** @typedef {import("../messages.js").Edit} Edit */

/**
 * What one has done with the questions of a state.
 *
 * @typedef {object} Asked
 * @property {number} level so many questions, the first ones, have been answered
 * @property {import("../types.js").AskedItem[]} items
 * @property {State[]} after the states after so many answers
 * @property {string} [summary] the result to copy, once all are answered
 */

export class Source {
  /** @param {State[]} states @param {number} shown of them is a step; the others are twins */
  constructor(states, shown = states.length) {
    this.states = states;
    this.shown = shown;
    this.at = 0;
    this.rev = 0;
    /** By state: the selected node. @type {Map<number, string | null>} */
    this.selected = new Map();
    /** By state: what was answered. @type {Map<number, Asked>} */
    this.asked = new Map();
    /** By state: the groups that are cards, once the user has changed them. @type {Map<number, Set<string>>} */
    this.collapsed = new Map();
  }

  /** @returns {State} the one on view, as far as its questions have been answered */
  get state() {
    const own = this.states[this.at];
    const asked = this.asked.get(this.at);
    return asked?.level ? { ...own, ...asked.after[asked.level - 1] } : own;
  }

  /** The step that is on view, itself or its twin. */
  get step() {
    return this.at < this.shown
      ? this.at
      : this.states.slice(0, this.shown).findIndex(({ twin }) => twin === this.at);
  }

  /** Answer an edit. @param {Edit} edit @returns {boolean} whether the file can */
  take(edit) {
    if (edit.kind === "select") this.selected.set(this.at, edit.node ?? null);
    else if (edit.kind === "collapse") this.fold(edit.group, edit.on);
    else if (edit.kind === "flip" && this.state.twin !== undefined) this.flip(this.state.twin);
    else return false;
    return true;
  }

  /** Show another step. @param {number} step */
  go(step) {
    this.at = Math.max(0, Math.min(this.shown - 1, step));
  }

  /** Show the other graph, with the node of the same name selected. @param {number} twin */
  flip(twin) {
    const { selected, at } = this;
    const name = selected.get(at) ?? null;
    this.at = twin;
    selected.set(twin, name && name in this.state.nodes ? name : null);
  }

  /** @param {string} group @param {boolean} on */
  fold(group, on) {
    const before =
      this.collapsed.get(this.at) ??
      new Set(
        this.state.drawing.groups?.flatMap((/** @type {any} */ one) =>
          one.collapsed ? [one.name] : [],
        ),
      );
    const after = new Set(before);
    if (on) after.add(group);
    else after.delete(group);
    this.collapsed.set(this.at, after);
  }

  /** The questions as the server would send them now. */
  get asking() {
    const asked = this.asked.get(this.at);
    const { asking } = this.states[this.at].drawing;
    if (!asking || !asked) return asking;
    const at = asked.items.findIndex(({ revealed }) => !revealed);
    const { items, summary } = asked;
    return { ...asking, items, summary, at: at < 0 ? undefined : at, hiding: at >= 0 };
  }

  /** Whether nothing that a step asks is open. */
  get isTold() {
    return this.states
      .slice(0, this.shown)
      .every(
        ({ hidden }, at) => !hidden || this.asked.get(at)?.items.every(({ revealed }) => revealed),
      );
  }

  /** The drawing as the server would send it now. @param {number} ack of the last edit */
  drawing(ack) {
    const { state, collapsed, at } = this;
    const selected = this.selected.get(at) ?? null;
    const cards = collapsed.get(at);
    const { groups = [] } = state.drawing;
    this.rev += 1;
    return {
      ...state.drawing,
      rev: this.rev,
      ack,
      key: "figure",
      history: {},
      asking: this.asking,
      notice: [],
      graph: this.step + 1,
      state: this.number,
      selected,
      node: selected === null ? undefined : state.nodes[selected],
      groups: cards
        ? groups.map((/** @type {any} */ one) => ({ ...one, collapsed: cards.has(one.name) }))
        : groups,
    };
  }

  /** Number of the numbers on view, which differs from that of all others. */
  get number() {
    return this.at + 1 + this.states.length * (this.asked.get(this.at)?.level ?? 0);
  }

  /** The paths of the selected node. */
  get paths() {
    const name = this.selected.get(this.at);
    return name ? this.state.paths[name] : undefined;
  }
}

/** The data that a text holds: JSON, deflated, as base64. @param {string} text @returns {Promise<any>} */
export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

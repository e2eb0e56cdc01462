// @ts-check
// Share the present state: links, a QR code, and the code of a frame, with all choices and a preview.

import { classPage } from "../asking/class_page.js";
import { html, setText } from "../base/dom.js";
import { dispatch, listen } from "../base/events.js";
import { icon } from "../base/icons.js";
import { pressDownload } from "../canvas/files/import_export.js";
import { closePopover } from "../canvas/popovers/popover.js";
import { presentLook, THEMES } from "../dock/layout.js";
import { Tabs } from "../dock/panels.js";
import { codeFile, codePicture } from "./code.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("./links.js").Shared} Shared */
/** @typedef {import("./links.js").Parameter} Parameter */

// What is chosen. Pure.

/**
 * @typedef {object} Choices
 * @property {boolean} whole whether the link is the whole one
 * @property {boolean} large whether the type is
 * @property {string} theme
 * @property {"" | "shown" | "hidden"} stage whether it opens on a stage, and how
 * @property {boolean} asks whether it asks first
 * @property {boolean} answers whether it has what was answered here
 * @property {"" | "here" | "alone"} tour what of a tour it has: all from its first step, all at this step, or this step
 * @property {Record<string, string>} frame parameters that are not as usual
 * @property {number} width px; 0 for all the width that there is
 * @property {number} height px
 * @property {boolean} ratio
 */

export const USUAL = /** @type {Choices} */ ({
  whole: false,
  large: false,
  theme: "auto",
  stage: "",
  asks: false,
  answers: false,
  tour: "",
  frame: {},
  width: 0,
  height: 420,
  ratio: false,
});

/** What the server is asked for. @param {Choices} choices @param {string} title @returns {Record<string, string>} */
export const wishOf = (
  { large, theme, stage, asks, answers, tour, frame, width, height, ratio },
  title,
) => ({
  ...frame,
  ...((large || theme !== USUAL.theme) && { fragment: fragmentOf({ large, theme }) }),
  ...(stage && { stage: stage === "hidden" ? "hidden" : "" }),
  ...(asks && { asks: "1" }),
  ...(answers && { answers: "1" }),
  ...(tour && { tour }),
  ...(width && { width: String(width) }),
  ...(ratio && { ratio: "1" }),
  ...(title && { title }),
  height: String(height),
});

/** What follows the # of a link. @param {Pick<Choices, "large" | "theme">} look */
const fragmentOf = ({ large, theme }) =>
  [large && "large=1", theme !== USUAL.theme && `theme=${theme}`].filter(Boolean).join("&");

/** The parameters with one of them set; one that is as usual is left out.
 * @param {Record<string, string>} frame @param {Parameter} parameter @param {string} value @returns {Record<string, string>} */
export function withParameter(frame, { name, usual }, value) {
  const { [name]: _, ...others } = frame;
  return value === usual ? others : { ...others, [name]: value };
}

/** The words of a list, with one of them on or off, in the order of the table.
 * @param {Parameter} parameter @param {string} value @param {string} word @param {boolean} on */
export function withWord({ values }, value, word, on) {
  const words = new Set(value.split(",").filter(Boolean));
  if (on) words.add(word);
  else words.delete(word);
  const known = Object.keys(values).filter((one) => words.has(one));
  return [...known, ...[...words].filter((one) => !(one in values))].join(",");
}

// The dialog.

const RESULTS =
  "Each student copies a line with the result and sends it to you. Nothing is stored here.";

const PARTS = [
  { name: "link", label: "Link and QR code" },
  { name: "frame", label: "Frame for a page" },
];
const PNG = 1024; // px a side of the picture of a code
const NARROW = 340; // px of the preview beside the choices

/** @param {Editor} editor */
export function openShare(editor) {
  closePopover(editor);
  editor.stage.host.querySelector("dialog.share")?.remove();
  const dialog = new ShareDialog(editor);
  editor.stage.host.append(dialog.root);
  dialog.root.setAttribute("closedby", "any"); // a press outside closes it too
  dialog.root.showModal();
  dialog.turnTo("link");
  dialog.ask();
}

class ShareDialog {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    const { large, theme } = presentLook();
    this.choices = { ...USUAL, large, theme };
    this.title = editor.drawing.talk?.title ?? "";
    /** @type {Shared | null} */
    this.shared = null;
    this.state = editor.drawing.state;
    this.tabs = new Tabs("What to share", (name) => this.turnTo(name));
    this.status = html("p", { class: "share-status", role: "status" });
    this.link = field("Link");
    this.length = html("span", { class: "share-length" });
    this.code = html("div", { class: "share-code" });
    this.asFile = html(
      "button",
      { type: "button", class: "tool main", hidden: true, click: () => this.saveGraph() },
      "Save as JSON",
    );
    this.says = html("p", { class: "share-says" });
    this.frameCode = /** @type {HTMLTextAreaElement} */ (
      html("textarea", {
        "aria-label": "Code of the frame",
        rows: 5,
        readonly: true,
        spellcheck: "false",
        focus: selectAll,
      })
    );
    this.parameters = html("div", { class: "share-parameters" });
    this.preview = /** @type {HTMLIFrameElement} */ (
      html("iframe", { title: "Preview of the frame" })
    );
    this.stand = html("div", { class: "share-stand" }, this.preview);
    this.shown = ""; // address of the preview
    this.root = /** @type {HTMLDialogElement} */ (
      html(
        "dialog",
        {
          class: "share",
          "aria-label": "Share",
          keydown: (/** @type {any} */ event) => event.stopPropagation(),
        },
        html(
          "div",
          { class: "share-head" },
          html("h2", {}, "Share"),
          this.tabs.root,
          this.status,
          html(
            "button",
            {
              type: "button",
              class: "tool",
              "aria-label": "Close",
              title: "Close  (Esc)",
              click: () => this.root.close(),
            },
            icon("close"),
          ),
        ),
        html(
          "div",
          { class: "share-body", tabindex: 0, role: "group", "aria-label": "What to share" },
          ...this.ofTour(),
          this.linkPart(),
          this.framePart(),
        ),
      )
    );
    this.root.addEventListener("close", () => {
      this.root.remove();
      editor.stage.surface.focus({ preventScroll: true });
    });
    this.root.addEventListener("click", (event) => event.target === this.root && this.root.close());
    listen(
      "shared",
      (answer) => this.take(answer),
      () => !this.root.isConnected && this.shared !== null,
    );
  }

  /** Which steps of the visitor's tour links and frames have. */
  ofTour() {
    const { talk } = this.editor.drawing;
    if (talk?.of !== "tour") return [];
    const step = `step ${talk.at + 1}`;
    return [
      select("Steps", ["all, from the first", `all, open at ${step}`, `${step} alone`], (at) =>
        this.choose({ tour: /** @type {Choices["tour"]} */ (["", "here", "alone"][at]) }),
      ),
    ];
  }

  /** Links, and the code of the short one. */
  linkPart() {
    const choose = (/** @type {Partial<Choices>} */ change) => this.choose(change);
    const items = this.editor.drawing.asking?.items ?? [];
    const isAnswered = items.some(({ tries, revealed }) => tries.length || revealed);
    return html(
      "section",
      { class: "share-part", id: "share-link", role: "tabpanel", "aria-label": "Link and QR code" },
      html(
        "div",
        { class: "share-line" },
        this.link,
        this.copyButton("link", () => this.link.value),
      ),
      this.length,
      html(
        "div",
        { class: "share-columns" },
        html(
          "div",
          { class: "share-column" },
          select(
            "Opens",
            ["in the lab", "as a presentation", "as a presentation, with what comes back hidden"],
            (at) =>
              choose({ stage: /** @type {Choices["stage"]} */ (["", "shown", "hidden"][at]) }),
          ),
          check(
            "For a class: ask first, and hide what comes back until it is answered",
            items.length > 0, // then it asks already
            (asks) => choose({ asks }),
            items.length > 0,
          ),
          html("p", { class: "share-hint" }, `${RESULTS} `, classPage()),
          ...(isAnswered
            ? [check("With my answers", false, (answers) => choose({ answers }))]
            : []),
          check("Large type, for a projector", this.choices.large, (large) => choose({ large })),
          select(
            "Light or dark",
            Object.values(THEMES),
            (at) => choose({ theme: Object.keys(THEMES)[at] }),
            { chosen: Object.keys(THEMES).indexOf(this.choices.theme) },
          ),
          ...(this.editor.drawing.lesson
            ? [
                check("Keep this graph, even if the lesson changes", false, (whole) =>
                  choose({ whole }),
                ),
              ]
            : []),
        ),
        html(
          "div",
          { class: "share-code-side" },
          this.code,
          this.says,
          this.asFile,
          html(
            "div",
            { class: "share-line" },
            html(
              "button",
              { type: "button", class: "tool framed", click: () => this.saveCode("svg") },
              "Save as SVG",
            ),
            html(
              "button",
              { type: "button", class: "tool framed", click: () => this.saveCode("png") },
              "Save as PNG",
            ),
          ),
        ),
      ),
    );
  }

  framePart() {
    const size = (/** @type {"width" | "height"} */ name, /** @type {string} */ label) =>
      html(
        "label",
        {},
        label,
        html("input", {
          type: "number",
          min: name === "height" ? 120 : 0,
          max: 4000,
          step: 10,
          value: this.choices[name] || "",
          placeholder: name === "width" ? "all" : "",
          change: (/** @type {any} */ { target }) =>
            this.choose({
              [name]: Math.max(0, Math.round(Number(target.value)) || 0) || USUAL[name],
            }),
        }),
      );
    return html(
      "section",
      {
        class: "share-part",
        id: "share-frame",
        role: "tabpanel",
        "aria-label": "Frame for a page",
        hidden: true,
      },
      html(
        "div",
        { class: "share-columns" },
        html(
          "div",
          { class: "share-column" },
          this.parameters,
          html(
            "div",
            { class: "share-sizes" },
            size("width", "Width"),
            size("height", "Height"),
            check("Keep the proportions", false, (ratio) => this.choose({ ratio })),
          ),
        ),
        html(
          "div",
          { class: "share-column share-result" },
          this.stand,
          html(
            "div",
            { class: "share-line" },
            this.frameCode,
            this.copyButton("code", () => this.frameCode.value),
          ),
        ),
      ),
    );
  }

  /** @param {Partial<Choices>} change */
  choose(change) {
    this.choices = { ...this.choices, ...change };
    this.ask();
  }

  /** @param {string} name of a part */
  turnTo(name) {
    this.tabs.show(PARTS, name);
    for (const part of this.root.querySelectorAll(".share-part"))
      /** @type {HTMLElement} */ (part).hidden = part.id !== `share-${name}`;
    if (this.shared) this.show(name === "frame" ? (this.shared.frame ?? "") : "");
  }

  /** Ask the server for links as they are chosen. */
  ask() {
    dispatch("wants-share", { of: "dialog", parameters: wishOf(this.choices, this.title) });
  }

  /** @param {{ of: string, shared: Shared }} answer */
  take({ of, shared }) {
    if (of !== "dialog" || !this.root.isConnected) return;
    const isFirst = this.shared === null;
    this.shared = shared;
    this.link.value = this.choices.whole ? shared.link : shared.short;
    const count = this.link.value.length.toLocaleString("en");
    setText(this.length, shared.elsewhere ? "" : `${count} characters.`);
    this.asFile.hidden = !shared.elsewhere;
    this.link.disabled = shared.elsewhere;
    if (shared.elsewhere) this.link.value = "";
    this.code.replaceChildren(
      ...(shared.code
        ? [codePicture(shared.code, `QR code of ${shared.alone ? "this step" : "the short link"}`)]
        : []),
    );
    setText(this.says, shared.says || "Of the short link. A phone's camera opens it.");
    for (const button of this.root.querySelectorAll(".share-code-side button"))
      /** @type {HTMLButtonElement} */ (button).disabled = !shared.code;
    this.frameCode.value = shared.frame_code ?? "";
    if (isFirst)
      this.parameters.replaceChildren(
        ...(shared.parameters ?? []).map((each) => this.parameter(each)),
      );
    const onView = !this.root.querySelector("#share-frame")?.hasAttribute("hidden");
    this.show(onView ? (shared.frame ?? "") : ""); // no frame is opened that nobody looks at
    if (isFirst) this.link.focus();
  }

  /** A widget for a parameter. @param {Parameter} parameter */
  parameter(parameter) {
    const { name, label = name, says, values, many, usual, idle = [] } = parameter;
    const set = (/** @type {string} */ value) =>
      this.choose({ frame: withParameter(this.choices.frame, parameter, value) });
    const words = Object.entries(values).filter(([word]) => !idle.includes(word));
    if (!many)
      return select(
        label,
        words.map(([, means]) => means),
        (at) => set(words[at][0]),
        {
          chosen: words.findIndex(([word]) => word === usual),
          says,
        },
      );
    const now = () => this.choices.frame[name] ?? usual;
    return html(
      "details",
      { class: "share-many" },
      html("summary", {}, label),
      ...words.map(([word, means]) =>
        check(means, usual.split(",").includes(word), (on) =>
          set(withWord(parameter, now(), word, on)),
        ),
      ),
    );
  }

  /** Show the frame at its size, scaled down to the room that there is. @param {string} address */
  show(address) {
    const { width, height } = this.choices;
    const room = Math.max(this.stand.clientWidth || NARROW, 200);
    const own = width || room;
    const scale = Math.min(1, room / own);
    Object.assign(this.preview.style, {
      width: `${own}px`,
      height: `${height}px`,
      transform: `scale(${scale})`,
    });
    this.stand.style.height = `${Math.round(height * scale)}px`;
    if (address && address !== this.shown) this.preview.src = this.shown = address;
  }

  /** @param {string} what @param {() => string} text */
  copyButton(what, text) {
    return html(
      "button",
      { type: "button", class: "tool main", click: () => this.copy(what, text()) },
      what === "link" ? "Copy link" : "Copy code",
    );
  }

  /** @param {string} what @param {string} text */
  async copy(what, text) {
    try {
      await navigator.clipboard.writeText(text);
      this.tell(`The ${what} is copied.`);
    } catch {
      const field = what === "link" ? this.link : this.frameCode;
      field.focus();
      field.select();
      this.tell("This browser lets no page copy by itself: press Ctrl+C.");
    }
  }

  /** @param {"svg" | "png"} kind */
  async saveCode(kind) {
    const { code } = this.shared ?? {};
    if (!code) return;
    const text = codeFile(code, PNG);
    const picture = new Blob([text], { type: "image/svg+xml" });
    const file = kind === "svg" ? picture : await bitmap(picture);
    const href = URL.createObjectURL(file);
    html("a", { href, download: `autodiff_link.${kind}` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000); // the browser reads it after the click
    this.tell(`Saved as autodiff_link.${kind}.`);
  }

  /** A graph or a tour that no link has room for is shared as a file. */
  saveGraph() {
    this.root.close();
    pressDownload(this.editor, this.shared?.file ?? "download_json");
  }

  /** @param {string} text */
  tell(text) {
    setText(this.status, text);
  }
}

/** @param {Blob} picture @returns {Promise<Blob>} */
async function bitmap(picture) {
  const href = URL.createObjectURL(picture);
  const image = new Image();
  image.src = href;
  await image.decode();
  const canvas = /** @type {HTMLCanvasElement} */ (html("canvas", { width: PNG, height: PNG }));
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.imageSmoothingEnabled = false;
  pen.drawImage(image, 0, 0, PNG, PNG);
  URL.revokeObjectURL(href);
  return new Promise((take, fail) =>
    canvas.toBlob((blob) => (blob ? take(blob) : fail(new Error("no picture"))), "image/png"),
  );
}

/** @param {string} label */
const field = (label) =>
  /** @type {HTMLInputElement} */ (
    html("input", {
      type: "text",
      "aria-label": label,
      readonly: true,
      spellcheck: "false",
      focus: selectAll,
    })
  );

const selectAll = (/** @type {any} */ { target }) => target.select();

/** @param {string} label @param {boolean} on @param {(on: boolean) => void} changed @param {boolean} [fixed] */
const check = (label, on, changed, fixed = false) =>
  html(
    "label",
    { class: "check-row" },
    html("input", {
      type: "checkbox",
      checked: on,
      disabled: fixed,
      change: (/** @type {any} */ { target }) => changed(target.checked),
    }),
    label,
  );

/** @param {string} label @param {string[]} options @param {(at: number) => void} changed @param {{ chosen?: number, says?: string }} [more] */
const select = (label, options, changed, { chosen = 0, says } = {}) =>
  html(
    "label",
    { class: "select-row", title: says },
    html("span", {}, label),
    html(
      "select",
      {
        "aria-label": label,
        change: (/** @type {any} */ { target }) => changed(target.selectedIndex),
      },
      ...options.map((text, i) => html("option", { value: i, selected: i === chosen }, text)),
    ),
  );

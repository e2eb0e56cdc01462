// @ts-check
// Declare the types of the data that Python and the browser send each other, and of the browser's own
// records. Types only; those of messages are in messages.js.

/**
 * A hint beside the check.
 *
 * @typedef {object} Hint
 * @property {string} name of the node or checkpoint region that it is about; `at` are the nodes that take part
 * @property {boolean} [later] whether it matters only for a derivative that the graph does not take
 */
/**
 * @typedef {import("./base/cure.js").Explanation & Hint} LintData
 */
/**
 * @typedef {object} CheckData
 * @property {string[]} [notes] what the check does not say by itself, and what is still to be wired
 * @property {import("./base/cure.js").Explanation} [origin] where a NaN or an infinity comes from
 * @property {"agrees" | "differs" | "part" | "checking" | "asks" | "waits" | "failed"} [state] none: there is nothing to
 *   check; "part": what is left of code of which something was refused agrees
 * @property {string} [says] the state in words
 * @property {string} [short] the same in a few words, for the bar
 * @property {LintData[]} [lints]
 * @property {boolean} [cancel] whether the check takes long and can be cancelled
 * @property {boolean} [again] whether the check was ended and can be tried again
 * @property {{ state: "agrees" | "differs" | "blocked" | "failed", says: string }} [forward] of the tangents, in forward mode
 * @property {[name: string, gradient: string, difference: string, equal: string][]} [rows] only while the table is open
 * @property {string[]} [why] the likely causes of differences, and the versions of the libraries
 */

// The drawing, and the edits that the browser sends back.

/** @typedef {[number, number]} Point world or screen pixels, x to the right and y down */
/**
 * @typedef {object} Box
 * @property {number} x of the top-left corner
 * @property {number} y of the top-left corner
 * @property {number} w width
 * @property {number} h height
 */
/**
 * Screen = world * k + (x, y).
 *
 * @typedef {object} Viewport
 * @property {number} x
 * @property {number} y
 * @property {number} k
 */
/** @typedef {[Point, Point, Point, Point]} Cubic one Bezier piece: start, two handles, end */
/**
 * @typedef {object} Slot
 * @property {string} label
 * @property {string | null} constant perhaps shortened
 * @property {string} [constantFull] the constant as typed, none where there is none
 * @property {boolean} wired
 */
/** @typedef {string} RuleKind  a name in `RULES` of web/base/constants.js */

/**
 * @typedef {object} Passed what goes down a wire, written by state/read_drawing.js
 * @property {string} passed its text; "" if it is not known
 * @property {string} [passedFull] the same with all digits
 * @property {import("./base/numbers.js").Num} [number] the number itself
 */
/**
 * @typedef {Passed & { width: number, sign: number }} Flow `width` from 0 to 1, relative to the largest of all wires; `sign`: -1, 0,
 *   1, or 2 for a tensor with both signs
 */
/**
 * @typedef {object} CardNumbers the numbers themselves of which a card shows texts; none where there is only a text
 * @property {import("./base/numbers.js").Num} [value]
 * @property {import("./base/numbers.js").Num} [cotangent]
 * @property {import("./base/numbers.js").Num} [tangent]
 */
/**
 * @typedef {object} NodeFields
 * @property {string} id
 * @property {string} op
 * @property {string} symbol
 * @property {Slot[]} slots
 * @property {CardNumbers} [numbers]
 * @property {string} value
 * @property {string} cotangent
 * @property {string} [valueFull]
 * @property {string} [cotangentFull]
 * @property {string} [shape]
 * @property {number[]} [dims] the shape of the value, also [] without a value
 * @property {("value" | "cotangent")[]} [hidden] which of its numbers are hidden while they are asked for
 * @property {string} [guess] what the visitor has answered about it
 * @property {string} [literal] an input's value as typed
 * @property {string} [text] the right side of `=` in the node's line of the formula; none if it is too long
 * @property {RuleKind} rule
 * @property {string} [ruleText]
 * @property {string} [ruleFull] the function of its rule
 * @property {boolean} isOutput
 * @property {boolean} [asked] whether a question is about it, which then names it
 * @property {boolean} isInput
 * @property {boolean} [isParameter]
 * @property {boolean} [muted]
 * @property {boolean} [cut] whether a segment ends at its output
 * @property {number} [segment] number of its segment, from 1
 * @property {boolean} connected
 * @property {string | null} [problem]
 * @property {string | null} [missing] what an unfinished node still needs
 * @property {string | null} [warning]
 * @property {string | null} [runs] how often it runs in both passes, as ×2; none for once
 * @property {number | null} [dropped] runs on the way back that JAX drops
 * @property {Heat} [heat]
 * @property {string[]} [state] a word and a sentence on its problem in training, or on the difference of
 *   its declared derivative from the true one
 * @property {string} [tangent] only in forward mode, as `tangentFull`
 * @property {string} [tangentFull]
 * @property {string} [tab] the layer below or `beside` which a parameter is folded
 * @property {boolean} [beside]
 * @property {[number, number]} [full] the size of a folded parameter's card when it is not
 * @property {number} [foot] px that its own tabs take below a node
 * @property {number} [above] px to the card above it, if that is near its chips
 * @property {boolean} [down] whether it is seen in a drawing that runs downwards
 * @property {{ ins: number[], outs: number[] }} [ports] their distances in px from the card's top, of a
 *   collapsed group
 * @property {{ name: string, nodes: string[], outs: string[], output: string | null, marks: GroupMark[],
 *   branches?: string[] }} [group] only on the card of a collapsed group: its nodes, those that feed
 *   other nodes (`outs`), and the one whose numbers the card shows
 */
/** @typedef {Box & NodeFields} GraphNode */
/**
 * Heat-maps of a tensor; in forward mode the tangent's in place of the value's.
 *
 * @typedef {object} Heat
 * @property {number} [columns]
 * @property {string} [value] cells row by row, a character each as display/heatmap.py encodes them
 * @property {string} [cotangent]
 * @property {string} [tangent]
 * @property {string} [valueTop] the number of the strongest shade
 * @property {string} [cotangentTop]
 * @property {string} [tangentTop]
 * @property {string} [says] the part of the tensor that is shown
 */
/**
 * @typedef {object} GroupMark
 * @property {string} kind
 * @property {number} count
 * @property {string} says
 */
/**
 * @typedef {object} WireFields
 * @property {string} from
 * @property {string} to
 * @property {number} slot
 * @property {Passed} [reverse] only in forward mode: what it passes back, where `passed` is what it adds
 *   to a tangent
 * @property {Point[]} via
 * @property {boolean} [alternative]
 * @property {boolean} [hidden] whether what it passes back is hidden while it is asked for
 * @property {string} [guess] what the visitor has answered about it
 * @property {number} [out] at the card of a collapsed group: the port that it leaves
 * @property {Wire[]} [of] at the card of a collapsed group: the wires of the graph that it stands for
 * @property {number[]} [dims] at the card of a collapsed group: the shape of their value
 */
/** @typedef {Flow & WireFields} Wire */
/**
 * A checkpoint region.
 *
 * @typedef {object} Region
 * @property {string} name
 * @property {string[]} nodes
 * @property {string} policy
 * @property {string} [head] the line that begins its block in the formula
 * @property {string | null} [badge] how often it runs in both passes, as ×2; none for once
 * @property {number | null} [dropped] runs on the way back that JAX drops, if it drops all of them
 * @property {string[]} [saved] the nodes that it saves, if its policy takes names
 * @property {string | null} [problem] why it cannot run
 * @property {string | null} [fault] the problem in a few words
 * @property {string[]} [path] the nodes that show the problem, in order
 * @property {string} [offer] words of a button that mends it
 * @property {NewEdit} [edit] what the button sends
 * @property {number} [column] start of its mistake in a typed text
 * @property {number} [end_column] end of that mistake
 */
/**
 * @typedef {object} Group
 * @property {string} name
 * @property {string[]} nodes
 * @property {boolean} [collapsed]
 * @property {string | null} [problem]
 * @property {(Flow & { from: string })[]} [sums] the total contribution of all wires from one node into
 *   the group, if there are several
 * @property {string[]} [branches] its branches, which are groups directly inside it
 * @property {string} [alone] the only branch that is trained
 * @property {boolean} [stopped] whether some parameters are stopped, but not all except one branch's
 * @property {boolean} [asked] whether another number of branches is requested
 */
/** @typedef {Region | Group} Frame */
/**
 * Why an edit was refused.
 *
 * @typedef {object} Notice
 * @property {number} [seq] number of the edit
 * @property {string} code
 * @property {string} message
 * @property {string} [hint]
 * @property {string} [node] where it occurred
 * @property {number} [slot]
 * @property {string[]} [path] the nodes that show the problem, in order
 * @property {string} [offer] words of a button that sends another edit
 * @property {NewEdit} [edit] what the button sends
 * @property {number} [column] start of the mistake in a typed text
 * @property {number} [end_column] end of that mistake
 */
/**
 * @typedef {object} PaletteOp
 * @property {string} op
 * @property {string} symbol on its card
 * @property {string[]} slots
 * @property {string} doc
 * @property {string} [formula]
 * @property {string[]} [aliases] other names in the search
 * @property {"broadcast" | "matmul" | "any"} [fits] the rule for the shapes of its slots
 * @property {boolean} [learns] whether it gets parameters, once it is wired to something whose shape is known
 * @property {boolean} [block] whether it is a group of several layers
 */
/** @typedef {{ group: string, ops: PaletteOp[] }} PaletteGroup */
/**
 * @typedef {object} Drawing
 * @property {number} rev its number
 * @property {number} ack the last edit that it contains
 * @property {string} key names the session
 * @property {string} [graph] number of the document; for another one the view is fitted again
 * @property {GraphNode[]} nodes
 * @property {Wire[]} wires
 * @property {Region[]} regions
 * @property {Group[]} groups
 * @property {Map<string, string>} [within] by node in a collapsed group, the id of its card
 * @property {number} [hidden] how many nodes are hidden since they take no gradient
 * @property {import("./canvas/state/downwards.js").Turn} [turn] of what is seen, if it runs downwards
 * @property {string | null} selected
 * @property {string[]} [picked] nodes just inserted
 * @property {History} history
 * @property {Notice[]} notice
 * @property {number} [state] number of the state of the numbers on view
 * @property {boolean} [live] whether the numbers change by themselves
 * @property {import("./training/steps.js").Moment} [moment] the step of the training that the numbers are of
 * @property {string} [figure] key of the figure on view
 * @property {string[]} [lacks] keys of the figures that have nothing to show
 * @property {LessonData | null} [lesson]
 * @property {import("./lesson/exercise.js").Exercise[] | null} [exercises] of the open lesson, once all that is asked is answered
 * @property {import("./present/course.js").Talk | null} [talk] what a presenter says of the open lesson
 * @property {TourData | null} [tour]
 * @property {boolean} [trains] whether the training is what to show first
 * @property {TwinsData} [twins]
 * @property {import("./explain/precision.js").Ranged | null} [ranged]
 * @property {{ says: string, blocked?: string[] }} [forward]
 * @property {AskingData} [asking]
 * @property {any} [formula]
 * @property {boolean} [being_read] whether code is being read, in the formula or of a document that is to open
 * @property {any} [sliders]
 * @property {NodeData} [node]
 * @property {CheckData} [check]
 * @property {PathsData} [paths]
 * @property {Record<string, string>} [sweeps] by input, the key of the table for its slider that matches this drawing
 * @property {import("./canvas/files/session_store.js").Trail} [trail]
 * @property {import("./canvas/files/session_store.js").Large} [large]
 */
/**
 * The visitor's tour, without its graphs.
 *
 * @typedef {object} TourData
 * @property {string} title
 * @property {string} summary
 * @property {string} text
 * @property {number} at the step that was opened or added last
 * @property {{ title: string, caption: string, text: string, notes: string, asks: number }[]} steps
 * @property {boolean} editing whether the visitor edits it
 * @property {boolean} answered whether nothing is asked that is still hidden
 * @property {boolean} changed whether the lab shows another state than that step's
 */
/**
 * What is said of an answer.
 *
 * @typedef {object} Verdict
 * @property {boolean} right
 * @property {boolean} near whether the idea is right and the rounding is not
 * @property {string} readAs how it was read
 * @property {string} says
 * @property {string} [wire] id of the wire to look at
 * @property {string} [mistake] code of the mistake behind it
 */
/**
 * One question (lab/judging.py).
 *
 * @typedef {object} AskedItem
 * @property {string} kind
 * @property {"value" | "cotangent" | "passed" | "kept" | "runs"} of
 * @property {string} node
 * @property {number} [slot]
 * @property {number[]} [element]
 * @property {[string, number]} [other] the second of two wires that are compared, as node and slot
 * @property {string[]} [options] of a choice, as its author writes them
 * @property {boolean} [own] whether the right answer is its author's
 * @property {string} [words] as its author asks it
 * @property {string} says the question
 * @property {AnswerForm} form what can be answered
 * @property {string[]} tries the answers so far
 * @property {boolean} [revealed]
 * @property {string} [gone] what of it the graph no longer has, in a sentence; only then
 * @property {string} [before] that the answers were about other numbers
 * @property {string} [hint] what can be typed
 * @property {string} [answer] the answer, once it is revealed
 * @property {string} [accepted] which numbers are accepted, once it is revealed
 * @property {string} [reason] why it is so, once it is revealed
 * @property {Verdict} [verdict] of the last answer
 */
/**
 * @typedef {object} AnswerForm
 * @property {"number" | "shape" | "choice"} form
 * @property {number} [count] how many numbers
 * @property {{ choice: string, words: string[] }[]} [choices]
 * @property {string} [number]
 */
/**
 * The open lesson, as lab/lessons.py sends it.
 *
 * @typedef {object} LessonData
 * @property {string} key
 * @property {string} title
 * @property {string} text
 * @property {string[]} variants titles of its graphs
 * @property {number} variant
 * @property {string} reveal what shows why an answer is so, as in lessons/tour.py
 * @property {string} [place] where on the path that is followed it is
 * @property {string} page address of the page of the path, or of all lessons
 * @property {string | null} [after] key of the next lesson
 */
/**
 * @typedef {object} AskingData
 * @property {"values" | "cotangents" | "asked"} hides
 * @property {AskedItem[]} items
 * @property {number} [at] the first question that is still to be answered
 * @property {boolean} hiding whether numbers are hidden
 * @property {string} [summary] the result to copy, once all are answered
 */
/**
 * @typedef {object} History
 * @property {string} [undo] name of the step that undo would take
 * @property {string} [redo] name of the step that redo would take
 * @property {Record<string, string>} [labels] names of all steps, by number
 * @property {number} [at] number of the present step
 * @property {number} [gone] how many older steps are no longer kept
 */
/** @typedef {import("./messages.js").Edit} Edit */
/** @typedef {import("./messages.js").NewEdit} NewEdit */

// The formula editor.

/**
 * @typedef {object} Place
 * @property {number} line from 1
 * @property {number} column from 0, in characters
 * @property {number} endLine from 1
 * @property {number} endColumn just behind the last character
 */
/** @typedef {Place & { label: string, text: string }} Correction a piece of the text, and what a press of `label` writes in its place */
/**
 * @typedef {object} MistakeFields
 * @property {string} message
 * @property {string} hint
 * @property {Correction} [correction]
 * @property {boolean} [again] whether the text is code that was not read to its end, and can be read again
 */
/** One without a place is about the whole text. @typedef {Partial<Place> & MistakeFields} Mistake */
/** @typedef {Place & { message: string }} Mark a problem of the graph, or a note, listed elsewhere on the page */
/**
 * @typedef {object} Word
 * @property {string} word
 * @property {"op" | "wrapper" | "keyword" | "name"} kind
 * @property {string} doc
 */
/**
 * @typedef {object} FormulaData
 * @property {number} ack the last edit that it contains
 * @property {string} text
 * @property {Mistake[]} mistakes
 * @property {boolean} [being_read] whether it is code that has not been read yet
 * @property {Mark[]} marks problems of the graph
 * @property {Mark[]} notes
 * @property {string[]} readings how a text was read that can be read in two ways
 * @property {CodeView | null} [code] what the page says of a text that is code
 * @property {string} [places] where the text has the nodes, in the order of the drawing; see places.js
 * @property {string} [heads] where it has the frames
 */
/**
 * Code that a graph was read from.
 *
 * @typedef {object} CodeView
 * @property {string} library such as "PyTorch"
 * @property {string} extent how many of its statements were read, and which names are unknown; "" if all were
 * @property {string} other whose numbers are others now than in the code; "" if none are
 * @property {{ lines: number[], says: string }[]} changes what became what, in one line or in several
 * @property {number} more how many more there are
 */
/**
 * A piece of one line, in UTF-16 units.
 *
 * @typedef {object} Token
 * @property {number} start
 * @property {number} end
 * @property {string} kind
 */
/**
 * A marked piece of one line.
 *
 * @typedef {object} Range
 * @property {number} start
 * @property {number} end
 * @property {"wrong" | "noted" | "chosen" | "lit"} kind
 * @property {string} [message]
 */
/**
 * A text with its selection.
 *
 * @typedef {object} Typing
 * @property {string} text
 * @property {number} start
 * @property {number} end
 */

// The selected node (lab/inspector/panel.py). Fields that are null are left out.

/** @typedef {import("./base/numbers.js").Num} Num */
/** @typedef {[what: Num | string, role: string, place?: string]} Term a piece of a line of numbers: a text, or a number with its `place` in a
 * slider's table, "" for none; `role` is "cotangent", "tangent" or "" */
/**
 * @typedef {object} WireRow
 * @property {string} to
 * @property {number} slot
 * @property {string} [label]
 * @property {string} [math] as MathML
 * @property {Term[]} [terms]
 * @property {Num | string} [passed] a number, or a sentence; none where `terms` have it
 * @property {string} [apart] both numbers, where a declared derivative is not the true one
 * @property {Term[]} [pushes] in forward mode: what it adds to the tangent
 */
/**
 * A field of the selected node.
 *
 * @typedef {object} FieldData
 * @property {string} id
 * @property {string} label
 * @property {"text" | "number" | "check" | "choice" | "several" | "button" | "file" | "note"} type
 * @property {any} [value]
 * @property {string} [help]
 * @property {string} [placeholder]
 * @property {[string, string][]} [choices] value and label of each
 * @property {string} [as] field of the edit that takes what the user sets; by default "value"
 * @property {NewEdit} [edit] what is sent, with what the user sets
 * @property {NewEdit} [table] the edit that takes a pasted table
 */
/**
 * @typedef {object} NodeData
 * @property {string} name
 * @property {string} [doc]
 * @property {string} [math]
 * @property {string} kind
 * @property {string[]} kinds
 * @property {string} [ruleSays]
 * @property {string[]} [declared]
 * @property {Num} [value]
 * @property {Num} [arriving]
 * @property {string[]} [hidden] "value", "cotangent": what is hidden while it is asked for
 * @property {Num | string} [tangent] a number, or why there is none
 * @property {Term[]} [added]
 * @property {Term[]} [fork]
 * @property {WireRow[]} [wires]
 * @property {FieldData[]} [fields]
 * @property {string[]} [runs]
 * @property {import("./base/cure.js").Explanation} [why]
 * @property {boolean} [awaited] whether a worker has still to say why
 * @property {{ value?: number[], tangent?: number[], cotangent?: number[] }} [elements]
 */

// Messages to the lab component.

/**
 * @typedef {object} Constants
 * @property {PaletteGroup[]} palette
 * @property {Word[]} words of the language
 * @property {import("./dock/dock.js").PlotTab[]} tabs of the dock
 */
/** @typedef {import("./messages.js").Answer} Answer */

/**
 * @typedef {object} WrittenFields
 * @property {string} [full]
 * @property {string} [patch]
 * @property {string} tables
 * @property {string} [play]
 * @property {string} [share]
 * @property {boolean} [notes] whether the window is that of a presenter's notes, in place of all else
 */
/**
 * An answer with these as JSON texts.
 *
 * @typedef {Omit<Answer, "full" | "patch" | "tables" | "play" | "share"> & WrittenFields} Written
 */

// The list of paths (explain/paths/view.py).

/**
 * @typedef {object} PathRow
 * @property {string} way the nodes, as text
 * @property {string} sum the factors with their product, as text
 * @property {string[]} nodes
 * @property {string[]} wires their ids
 * @property {boolean} [below] whether the product is negative
 * @property {string} [note]
 */
/**
 * @typedef {object} PathsData
 * @property {string} [name] the node; none while they are worked out
 * @property {string[]} says
 * @property {PathRow[]} [rows]
 * @property {string} [rest] all paths without a row
 */

// The sliders.

/**
 * One input.
 *
 * @typedef {object} Item
 * @property {string} name
 * @property {import("./base/numbers.js").SentNumber} value
 * @property {number} low below `high`
 * @property {number} high
 */
/**
 * @typedef {object} SliderData
 * @property {number} limit the largest number that an input may have
 * @property {Item[]} [rows]
 * @property {number} [more] how many inputs are not shown
 * @property {string} [says] which sliders have another value than the canvas
 */

// The comparison (explain/compare/view.py).

/** @typedef {[a: string, b: string]} Both */
/**
 * @typedef {object} TwinRow
 * @property {string} name
 * @property {Both} value
 * @property {Both} cotangent
 * @property {("value" | "cotangent")[]} apart which of the two differ
 * @property {boolean} [here] whether the present graph has the node
 */
/**
 * @typedef {object} TwinsData
 * @property {"A" | "B"} letter which of the two is on view
 * @property {"values" | "gradients" | "equal" | "waits"} kind
 * @property {string} says
 * @property {TwinRow[]} [rows]
 * @property {number} [more] differing nodes without a row
 * @property {string[]} [equal] nodes that do not differ
 * @property {string[]} [lit] ids of wires
 * @property {Both} [kept] elements that are kept, where a checkpoint differs
 * @property {Both} [again] runs that are made again
 * @property {string[]} [lines] of the formula that only A (-) or only B (+) has
 * @property {number} [more_lines]
 */

// The constants that Python and the browser share (lab/shared_constants.py).

/** @typedef {{ w: number, h: number }} Size px */
/**
 * A parameter of a frame's address, as embedding/contract.py describes it.
 *
 * @typedef {object} FrameParameter
 * @property {string} name
 * @property {string[]} values its words
 * @property {string} pattern of other words; "" for none
 * @property {string} otherwise the default
 * @property {boolean} many whether it is a list between commas
 */
/**
 * @typedef {{
 *   card: Size & { slot: number },
 *   pictured: Size,
 *   cells: { most: number, beside: number, head: number, line: number },
 *   group: { w: number, head: number, foot: number, port: number, numbers: number, steps: number },
 *   frame: { pad: number, level: number, tab: number },
 *   clear: number,
 *   tab: { h: number, gap: number, near: number, slack: number, aside: number, under: number },
 *   limits: { answer: number, branches: number, document: number, edits: number, line: number, message: number, name: number, npy: number, option: number, options: number, prose: number, title: number, tour_steps: number, words: number },
 *   files: Record<string, string>,
 *   drawings: number,
 *   written_out: string,
 *   data_of: string,
 *   alternative: string,
 *   letters: Record<string, string>,
 *   inputs: Record<string, { value: string, literal?: string }>,
 *   nothing: string,
 *   asked: string,
 *   minus: string,
 *   vector: number,
 *   shown: number,
 *   digits: number,
 *   thinnest: number,
 *   plain: Record<string, number>,
 *   halves: Record<string, { bits: number, least: number, digits: number }>,
 *   glossary: Record<string, string>,
 *   code_examples: { title: string, text: string }[],
 *   first_lesson: string,
 *   figures: string[],
 *   frames: { version: string, number: number, kinds: Record<string, string[]>, parameters: FrameParameter[] },
 *   heat: { alphabet: string, shades: number, marks: number, inks: Record<string, [number[], number[]]> },
 *   qr: { ground: string, ink: string },
 * }} Shared
 * - `card`: with one more slot
 * - `group`: the line with its name, what is below the ports, one more port, the two numbers where one
 *   value leaves it, and the line with the number of branches
 * - `frame`: px round nodes, and more for each frame inside
 * - `clear`: px kept free around nodes that are pasted
 * - `tab`: a parameter folded below its layer
 * - `drawings`: how many are kept
 * - `written_out`: end of a step's label if the formula has lost its loops
 * - `data_of`: begins the label of an edit that sets data
 * - `alternative`: the label of the slot that `backward_as` adds
 * - `letters`: of new inputs
 * - `inputs`: what the new inputs hold
 * - `nothing`: stands for no number
 * - `asked`: stands for a number that is hidden while it is asked for
 * - `vector`: characters of one that fit on a card
 * - `shown`: numbers of a vector that is written out
 * - `digits`: of numbers in the panel of a node
 * - `thinnest`: of what is not 0, of the thickness of the largest contribution
 * - `plain`: by dtype, from which number on all digits are written with a power of ten
 * - `halves`: of the dtypes of 16 bits the bits of the significand, the least exponent and the digits
 *   that are shown
 * - `figures`: the keys of all figures of a graph
 * - `frames`: what the address of a frame may have, the largest number of a message, and the edits by what
 *   may be changed
 * - `heat`: the letters of the cells of a picture, how many are on each side of 0, which is the first
 *   that is no number, and the inks of + and −
 * - `qr`: the colours of a QR code
 */

export {};

// @ts-check
// Declare the types of the messages between browser and server, as Python's records have them. Types only.
// `python -m autodiff_viz.lab.shared_constants` writes this file from autodiff_viz/messages.

/**
 * One end of a wire: the node that it comes from, and the slot of a new node that reads it.
 *
 * @typedef {object} Producer
 * @property {string} from the producer.
 * @property {number} slot of the new node.
 */

/**
 * The other end of a wire: a slot.
 *
 * @typedef {object} Consumer
 * @property {string} to the node that reads.
 * @property {number} slot its slot.
 */

/**
 * The history as the browser keeps it.
 *
 * @typedef {object} Trail
 * @property {number} at number of the present step.
 * @property {string} graph digest of the present graph.
 * @property {string} text digest of its text.
 * @property {Record<string, any>} steps each step by its number, as compact JSON.
 * @property {any} [documents] by the number of its first step, the other state of each document.
 * @property {string} [tour] digest of the tour beside the present graph.
 */

/**
 * A question, as `Question` of asking/question.py.
 *
 * @typedef {object} QuestionRecord
 * @property {string} kind number, zero, sign, larger, same, shape, cause or choice.
 * @property {string} of value, cotangent, passed, kept or runs.
 * @property {string} node a node; of passed the one that reads.
 * @property {number | null} [slot] of passed, the slot.
 * @property {number[] | null} [element] index of an element.
 * @property {[string, number | null] | null} [other] of larger the second of both, as node and slot; the slot of a wire alone.
 * @property {string} [words] as the author asks it.
 * @property {string[]} [options] of choice, what can be chosen.
 * @property {string} [right] of choice the right one, of number one that no trace has; where the browser knows it.
 * @property {boolean} [own] whether the right answer is the author's and stays as it was: the browser is not told it.
 */

/**
 * Add a node, with the parameters of a layer that reads something. With both `wire` and `feeds` the node is inserted into the wire between them.
 *
 * @typedef {object} AddEdit
 * @property {"add"} kind
 * @property {string} op its op, or the name of an input in the palette.
 * @property {[number, number] | null} [position] its place; null leaves it to the layout.
 * @property {Producer | null} [wire] what it reads.
 * @property {Consumer | null} [feeds] the slot that it feeds.
 * @property {string | null} [by] beside `wire`, the producer of its second slot; of a grad node the x.
 * @property {string | null} [rule] kind of its rule.
 */

/**
 * Select a node.
 *
 * @typedef {object} SelectEdit
 * @property {"select"} kind
 * @property {string | null} node its name; null for none.
 */

/**
 * Delete nodes.
 *
 * @typedef {object} DeleteEdit
 * @property {"delete"} kind
 * @property {string[]} nodes which ones.
 */

/**
 * Put a constant into a slot, or set the value of an input.
 *
 * @typedef {object} ConstantEdit
 * @property {"constant"} kind
 * @property {string} node the node that reads, or the input.
 * @property {number | null} slot null for the value of an input.
 * @property {string} text a number or a tensor, as in a formula.
 */

/**
 * Rename a node.
 *
 * @typedef {object} RenameEdit
 * @property {"rename"} kind
 * @property {string} node its name.
 * @property {string} name its new name.
 */

/**
 * Make a node the output.
 *
 * @typedef {object} OutputEdit
 * @property {"output"} kind
 * @property {string} node its name.
 */

/**
 * Connect a node to a slot.
 *
 * @typedef {object} ConnectEdit
 * @property {"connect"} kind
 * @property {string} from the producer.
 * @property {string} to the node that reads.
 * @property {number} slot its slot.
 */

/**
 * Remove the wire into a slot.
 *
 * @typedef {object} DisconnectEdit
 * @property {"disconnect"} kind
 * @property {string} to the node that reads.
 * @property {number} slot its slot.
 */

/**
 * Move the end of a wire to another slot.
 *
 * @typedef {object} RewireEdit
 * @property {"rewire"} kind
 * @property {string} from the producer.
 * @property {string} to the node that reads from now on.
 * @property {number} slot its slot.
 * @property {string} oldTo the node that has read.
 * @property {number} oldSlot its slot.
 */

/**
 * Insert a node into a wire.
 *
 * @typedef {object} InsertEdit
 * @property {"insert"} kind
 * @property {string} node its name.
 * @property {string} from the producer of the wire.
 * @property {string} to the node that reads the wire.
 * @property {number} slot its slot.
 * @property {[number, number]} position where the node was dropped.
 */

/**
 * Add the nodes of an expression, wired to the nodes that it names, and select them.
 *
 * @typedef {object} WriteEdit
 * @property {"write"} kind
 * @property {string} text the expression.
 * @property {[number, number] | null} [at] where to centre its nodes; null puts them beside what they read.
 * @property {Consumer | null} [feeds] the slot that it feeds.
 */

/**
 * Add a group of layers with its parameters.
 *
 * @typedef {object} BlockEdit
 * @property {"block"} kind
 * @property {string} block its name.
 * @property {string | null} [from] the node that it reads; null gives it an input of its own.
 * @property {[number, number] | null} [at] where to centre its nodes; null puts them beside what they read.
 * @property {Consumer | null} [feeds] the slot that it feeds.
 */

/**
 * Set positions of nodes. Successive nudges of the same nodes are one step of undo.
 *
 * @typedef {object} MoveEdit
 * @property {"move"} kind
 * @property {Record<string, [number, number]>} positions of the nodes that move.
 * @property {"across" | "bottom" | "centre" | "down" | "left" | "middle" | "nudge" | "right" | "top" | null} [how] what moves them; null for a drag.
 */

/**
 * Lay out nodes.
 *
 * @typedef {object} ArrangeEdit
 * @property {"arrange"} kind
 * @property {string[] | null} [nodes] null or none for the whole graph.
 */

/**
 * Copy nodes. Wires from outside are kept: the copy reads what the original reads.
 *
 * @typedef {object} DuplicateEdit
 * @property {"duplicate"} kind
 * @property {string[]} nodes what to copy.
 * @property {[number, number]} by px from the original to the copy.
 */

/**
 * Paste text from this canvas or from elsewhere, clear of all cards.
 *
 * @typedef {object} PasteEdit
 * @property {"paste"} kind
 * @property {string} text JSON or a formula.
 * @property {[number, number]} at the point around which its nodes go.
 * @property {string[]} [collapsed] names of its collapsed groups.
 */

/**
 * Delete nodes that the browser has copied to the clipboard.
 *
 * @typedef {object} CutEdit
 * @property {"cut"} kind
 * @property {string[]} nodes what to cut.
 */

/**
 * Mute nodes, or unmute them.
 *
 * @typedef {object} MuteEdit
 * @property {"mute"} kind
 * @property {string[]} nodes which ones.
 * @property {boolean} on whether they are to be muted.
 */

/**
 * Put a cut after nodes, or remove it.
 *
 * @typedef {object} CutAfterEdit
 * @property {"cut_after"} kind
 * @property {string[]} nodes which ones.
 * @property {boolean} on whether a segment is to end there.
 */

/**
 * Put one rule on nodes.
 *
 * @typedef {object} RulesEdit
 * @property {"rules"} kind
 * @property {string[]} nodes which ones.
 * @property {string} rule kind of the rule.
 */

/**
 * Set the function or the number of a node's rule.
 *
 * @typedef {object} FunctionEdit
 * @property {"function"} kind
 * @property {string} node its name.
 * @property {string} text a lambda or its body, or a number.
 */

/**
 * Put nodes into a new checkpoint region.
 *
 * @typedef {object} CheckpointEdit
 * @property {"checkpoint"} kind
 * @property {string[]} nodes which ones.
 */

/**
 * Remove a checkpoint region.
 *
 * @typedef {object} UncheckpointEdit
 * @property {"uncheckpoint"} kind
 * @property {string} region its name.
 */

/**
 * Set the nodes of a region.
 *
 * @typedef {object} SetRegionEdit
 * @property {"region"} kind
 * @property {string} region its name.
 * @property {string[]} nodes all of them.
 */

/**
 * Move nodes, and put them into regions and groups or take them out.
 *
 * @typedef {object} RegroupEdit
 * @property {"regroup"} kind
 * @property {Record<string, [number, number]>} positions of the nodes that move.
 * @property {Record<string, string[]>} join what they join.
 * @property {Record<string, string[]>} leave what they leave.
 */

/**
 * Set the policy of a checkpoint region.
 *
 * @typedef {object} PolicyEdit
 * @property {"policy"} kind
 * @property {string} region its name.
 * @property {string} policy a name of `jax.checkpoint_policies`.
 * @property {string[]} saved the nodes that are saved, if the policy takes names.
 */

/**
 * Rename a region or a group.
 *
 * @typedef {object} RenameRegionEdit
 * @property {"rename_region"} kind
 * @property {string} region its name.
 * @property {string} name its new name.
 */

/**
 * Put nodes into a new group.
 *
 * @typedef {object} MakeGroupEdit
 * @property {"group"} kind
 * @property {string[]} nodes which ones.
 */

/**
 * Dissolve a group; its nodes stay.
 *
 * @typedef {object} UngroupEdit
 * @property {"ungroup"} kind
 * @property {string} group its name.
 * @property {Record<string, [number, number]>} [positions] of other nodes, which have made room for them.
 */

/**
 * Collapse or expand a group.
 *
 * @typedef {object} CollapseEdit
 * @property {"collapse"} kind
 * @property {string} group its name.
 * @property {boolean} on whether it is to be one card.
 * @property {Record<string, [number, number]>} [positions] of other nodes, which make room for those of an opened group.
 */

/**
 * Set the number of branches of a group.
 *
 * @typedef {object} BranchesEdit
 * @property {"branches"} kind
 * @property {string} group its name.
 * @property {number} k the number.
 */

/**
 * Make nodes the only branch of a new group.
 *
 * @typedef {object} MakeBranchesEdit
 * @property {"make_branches"} kind
 * @property {string[]} nodes which ones.
 */

/**
 * Train one branch alone.
 *
 * @typedef {object} TuneEdit
 * @property {"tune"} kind
 * @property {string} group name of the group of branches.
 * @property {string | null} branch name of the branch; null for all of them.
 */

/**
 * Set the formula's text.
 *
 * @typedef {object} TypeEdit
 * @property {"type"} kind
 * @property {string} text all of it.
 * @property {boolean} [fresh] whether it begins a new step of undo.
 */

/**
 * Read code again that was not read to its end.
 *
 * @typedef {object} ReadAgainEdit
 * @property {"read_again"} kind
 */

/**
 * Write the graph of code as a formula.
 *
 * @typedef {object} AsFormulaEdit
 * @property {"as_formula"} kind
 */

/**
 * Set the value of an input by its slider.
 *
 * @typedef {object} SlideEdit
 * @property {"slide"} kind
 * @property {string} name the input.
 * @property {number} value its new value.
 * @property {boolean} [fresh] whether it begins a new step of undo.
 */

/**
 * Draw all random values anew.
 *
 * @typedef {object} ResampleEdit
 * @property {"resample"} kind
 */

/**
 * Add parameters in the empty slots of a layer.
 *
 * @typedef {object} LearnEdit
 * @property {"learn"} kind
 * @property {string} node the layer.
 */

/**
 * Set a parameter of a node's op.
 *
 * @typedef {object} SetParamEdit
 * @property {"param"} kind
 * @property {string} node its name.
 * @property {string} param name of the parameter.
 * @property {string | boolean} value a number as it was typed, a text, or whether it is ticked.
 */

/**
 * Make an input a parameter, or a parameter an input.
 *
 * @typedef {object} TrainableEdit
 * @property {"trainable"} kind
 * @property {string} node its name.
 * @property {boolean} value whether it is trained.
 */

/**
 * Set the numbers of an input.
 *
 * @typedef {object} NumbersEdit
 * @property {"numbers"} kind
 * @property {string} node its name.
 * @property {string} value as typed.
 */

/**
 * Set the shape of an input that is drawn.
 *
 * @typedef {object} ShapeEdit
 * @property {"shape"} kind
 * @property {string} node its name.
 * @property {string} value as typed.
 */

/**
 * Set the number of outputs of a layer.
 *
 * @typedef {object} UnitsEdit
 * @property {"units"} kind
 * @property {string} node its name.
 * @property {string} value as typed.
 */

/**
 * Set the value of an input to a table or a file, or add an input that has it. It has either `text` or `npy`.
 *
 * @typedef {object} DataEdit
 * @property {"data"} kind
 * @property {string | null} [text] a table.
 * @property {string | null} [npy] a file in base64.
 * @property {string | null} [node] the input; null adds one.
 * @property {[number, number] | null} [at] where to add it.
 * @property {number[]} [without] columns to leave out.
 * @property {boolean} [complete] whether rows with empty cells are left out.
 */

/**
 * Open an empty graph.
 *
 * @typedef {object} NewGraphEdit
 * @property {"new"} kind
 */

/**
 * Take back the last step.
 *
 * @typedef {object} UndoEdit
 * @property {"undo"} kind
 */

/**
 * Make a step again that was taken back.
 *
 * @typedef {object} RedoEdit
 * @property {"redo"} kind
 */

/**
 * Go to a step of the history.
 *
 * @typedef {object} JumpEdit
 * @property {"jump"} kind
 * @property {number} index of the step.
 */

/**
 * Replace the graph by a document from outside.
 *
 * @typedef {object} ImportEdit
 * @property {"import"} kind
 * @property {string} text JSON, a link, or a formula.
 */

/**
 * Put the stored history before that of this session.
 *
 * @typedef {object} KeptEdit
 * @property {"kept"} kind
 * @property {Trail} trail the history.
 * @property {string | null} [link] the graph of the address at which it was stored.
 */

/**
 * Open the stored query that was too long for the address.
 *
 * @typedef {object} RestoredEdit
 * @property {"restored"} kind
 * @property {Record<string, string>} query fields of the address.
 */

/**
 * Choose the figure on view.
 *
 * @typedef {object} ShowFigureEdit
 * @property {"figure"} kind
 * @property {string} figure its key.
 */

/**
 * Switch forward mode on or off.
 *
 * @typedef {object} ForwardEdit
 * @property {"forward"} kind
 * @property {boolean} on whether it is to be on.
 */

/**
 * Set the tangent of an input.
 *
 * @typedef {object} TangentEdit
 * @property {"tangent"} kind
 * @property {string} node the input.
 * @property {string} value as typed.
 */

/**
 * Show a step of the training.
 *
 * @typedef {object} ShowStepEdit
 * @property {"step"} kind
 * @property {number} step its number.
 */

/**
 * Open another graph of the open lesson.
 *
 * @typedef {object} OpenVariantEdit
 * @property {"variant"} kind
 * @property {string} lesson key of the lesson.
 * @property {number} variant index of the graph.
 */

/**
 * Apply the cure of an explanation.
 *
 * @typedef {object} MendEdit
 * @property {"mend"} kind
 * @property {string} of the explanation.
 * @property {string} mend the text of the cure that the page showed.
 * @property {string | null} [node] the node that it is about, if any.
 */

/**
 * Pin the present graph as A.
 *
 * @typedef {object} PinEdit
 * @property {"pin"} kind
 */

/**
 * Unpin the pinned graph.
 *
 * @typedef {object} UnpinEdit
 * @property {"unpin"} kind
 */

/**
 * Exchange the present graph and the pinned one.
 *
 * @typedef {object} FlipEdit
 * @property {"flip"} kind
 */

/**
 * Pin the present graph as A, and go on as B without a rule, a mute or a checkpoint region.
 *
 * @typedef {object} WithoutEdit
 * @property {"without"} kind
 * @property {"mute" | "region" | "rule"} what which of the three.
 * @property {string} name of the node, or of the region.
 */

/**
 * Begin a tour; undo brings the one before back.
 *
 * @typedef {object} NewTourEdit
 * @property {"tour_new"} kind
 * @property {"lesson" | "nothing"} [of] what it begins with: no step, or those of the open lesson.
 */

/**
 * Begin to edit the tour, or end it; it is no step of undo.
 *
 * @typedef {object} EditTourEdit
 * @property {"tour_edit"} kind
 * @property {boolean} on whether it is edited from now on.
 */

/**
 * Add the present state to the tour, after the step that was opened last; without a tour begin one.
 *
 * @typedef {object} AddStepEdit
 * @property {"tour_add"} kind
 */

/**
 * Put the present state into a step, which keeps its words.
 *
 * @typedef {object} UpdateStepEdit
 * @property {"tour_update"} kind
 * @property {number} step its place.
 */

/**
 * Move a step of the tour.
 *
 * @typedef {object} MoveStepEdit
 * @property {"tour_move"} kind
 * @property {number} step its place.
 * @property {number} to its place afterwards.
 */

/**
 * Remove a step of the tour.
 *
 * @typedef {object} RemoveStepEdit
 * @property {"tour_remove"} kind
 * @property {number} step its place.
 */

/**
 * Set a text of a step.
 *
 * @typedef {object} WriteStepEdit
 * @property {"tour_step_words"} kind
 * @property {number} step its place.
 * @property {"caption" | "notes" | "text" | "title"} field which text.
 * @property {string} text all of it.
 * @property {boolean} [fresh] whether it begins a new step of undo.
 */

/**
 * Set a text of the tour.
 *
 * @typedef {object} WriteTourEdit
 * @property {"tour_words"} kind
 * @property {"summary" | "text" | "title"} field which text.
 * @property {string} text all of it.
 * @property {boolean} [fresh] whether it begins a new step of undo.
 */

/**
 * Open a step of the tour as it was made; undo returns to the present state.
 *
 * @typedef {object} GoEdit
 * @property {"tour_go"} kind
 * @property {number} step its place.
 */

/**
 * Close the tour; undo brings it back.
 *
 * @typedef {object} CloseTourEdit
 * @property {"tour_close"} kind
 */

/**
 * Ask these questions in place of those before; answers to questions that stay are kept.
 *
 * @typedef {object} AskEdit
 * @property {"ask"} kind
 * @property {string} hides values, cotangents, or asked for what the questions are about alone.
 * @property {QuestionRecord[]} questions in their order.
 */

/**
 * Answer a question.
 *
 * @typedef {object} AnswerEdit
 * @property {"answer"} kind
 * @property {number} at its index.
 * @property {string} text as typed.
 */

/**
 * Show the answer of a question.
 *
 * @typedef {object} RevealEdit
 * @property {"reveal"} kind
 * @property {number} at its index.
 */

/**
 * Show all numbers; the questions are gone.
 *
 * @typedef {object} StopAskingEdit
 * @property {"stop_asking"} kind
 */

/**
 * Request a full drawing.
 *
 * @typedef {object} ResyncEdit
 * @property {"resync"} kind
 */

/**
 * Request the check of a large graph, or cancel it.
 *
 * @typedef {object} CheckEdit
 * @property {"check"} kind
 * @property {boolean} [on] whether it is wanted.
 */

/**
 * An edit without its number.
 *
 * @typedef {(
 *   AddEdit |
 *   SelectEdit |
 *   DeleteEdit |
 *   ConstantEdit |
 *   RenameEdit |
 *   OutputEdit |
 *   ConnectEdit |
 *   DisconnectEdit |
 *   RewireEdit |
 *   InsertEdit |
 *   WriteEdit |
 *   BlockEdit |
 *   MoveEdit |
 *   ArrangeEdit |
 *   DuplicateEdit |
 *   PasteEdit |
 *   CutEdit |
 *   MuteEdit |
 *   CutAfterEdit |
 *   RulesEdit |
 *   FunctionEdit |
 *   CheckpointEdit |
 *   UncheckpointEdit |
 *   SetRegionEdit |
 *   RegroupEdit |
 *   PolicyEdit |
 *   RenameRegionEdit |
 *   MakeGroupEdit |
 *   UngroupEdit |
 *   CollapseEdit |
 *   BranchesEdit |
 *   MakeBranchesEdit |
 *   TuneEdit |
 *   TypeEdit |
 *   ReadAgainEdit |
 *   AsFormulaEdit |
 *   SlideEdit |
 *   ResampleEdit |
 *   LearnEdit |
 *   SetParamEdit |
 *   TrainableEdit |
 *   NumbersEdit |
 *   ShapeEdit |
 *   UnitsEdit |
 *   DataEdit |
 *   NewGraphEdit |
 *   UndoEdit |
 *   RedoEdit |
 *   JumpEdit |
 *   ImportEdit |
 *   KeptEdit |
 *   RestoredEdit |
 *   ShowFigureEdit |
 *   ForwardEdit |
 *   TangentEdit |
 *   ShowStepEdit |
 *   OpenVariantEdit |
 *   MendEdit |
 *   PinEdit |
 *   UnpinEdit |
 *   FlipEdit |
 *   WithoutEdit |
 *   NewTourEdit |
 *   EditTourEdit |
 *   AddStepEdit |
 *   UpdateStepEdit |
 *   MoveStepEdit |
 *   RemoveStepEdit |
 *   WriteStepEdit |
 *   WriteTourEdit |
 *   GoEdit |
 *   CloseTourEdit |
 *   AskEdit |
 *   AnswerEdit |
 *   RevealEdit |
 *   StopAskingEdit |
 *   ResyncEdit |
 *   CheckEdit
 * )} NewEdit
 */

/** An edit with its number in the session. @typedef {NewEdit & { seq: number }} Edit */

/**
 * A message of the browser.
 *
 * @typedef {object} Message
 * @property {string | null} [key] names the session that it is for.
 * @property {Record<string, any>[]} [edits] those that have not been acknowledged, in order; each is one of `messages/edits.py`.
 * @property {number | null} [have] number of the drawing that the browser has.
 * @property {boolean} [seen] whether the place of the figure is in view.
 * @property {string} [panel] name of the plot that is in view in place of figures, such as the training; "" for none.
 * @property {string | null} [second] name of the figure beside it.
 * @property {boolean} [large] whether the type is large.
 * @property {boolean} [high] whether the place of the figures is high.
 * @property {(number | null)[]} [noticed] numbers of the refused edits whose reasons the browser has shown.
 * @property {boolean} [details] whether the table of the check is open.
 * @property {[string, string][]} [want] tables that sliders wait for, by input with the key of its table.
 * @property {number | null} [play] state of the numbers whose pass is to be played.
 * @property {number | null} [stepped] state of the numbers whose pass the user has stepped back and forth.
 * @property {Record<string, string>} [share] the page's own address and what is to be added to a link, if links and a QR code are requested.
 * @property {number} [rest] number of the last answer, in a request for the other parts of the page.
 * @property {boolean} [stop] whether the code that is being read is not to be read on.
 * @property {string | null} [refused] in place of all else, why the server has not read the message.
 */

/**
 * A message to the browser. Whatever message is lost, browser and server agree: it has the difference from the drawing that the browser says that it has, or all of the drawing.
 *
 * @typedef {object} Answer
 * @property {number} rev number of the newest drawing.
 * @property {number} [base] number of the drawing that `patch` changes.
 * @property {any} [full] the whole drawing.
 * @property {any} [patch] the difference, as `canvas/delta.py` writes it.
 * @property {string} socket name of the session, a secret, for the lab's own websocket.
 * @property {import("./canvas/scrub.js").Sent[]} tables for sliders.
 * @property {boolean} page whether a run of Streamlit has to draw the rest of the page.
 * @property {boolean} due whether the rest of the page is to be drawn.
 * @property {number | null} rest ms after which the browser asks for the rest of the page; null for never.
 * @property {number} turn number of the message.
 * @property {boolean} seen whether the server knows that the figure is in view.
 * @property {string} key names the session.
 * @property {number} ack number of the last edit that has been applied.
 * @property {[string, number] | null} from the session whose graph this one has opened, and the last edit in that graph.
 * @property {import("./explain/play.js").Sent} [play] the steps of the pass, once requested.
 * @property {import("./share/links.js").Shared} [share] links and a QR code, once requested.
 * @property {string} [query] of the address, over the lab's own websocket.
 */

export {};

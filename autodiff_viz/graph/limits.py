"""Limit the size of all data from outside; messages quote these numbers."""

from __future__ import annotations

NODES = 2_000  # nodes in a graph; tracing is linear, but one visitor must not stall the others
SLOTS = 64  # input slots of one node (concatenate and stack take many)
REGIONS = 64  # checkpoint regions in a graph
REGION_DEPTH = 6  # regions inside regions; each level re-runs the block once more
GROUPS = 64  # groups in a graph
CUTS = 64  # cuts in a graph, which make at most one segment more
GROUP_DEPTH = 6  # groups inside groups
GRADS = 64  # grad nodes in a graph; steps of a training by hand have one each, and share their program
GRAD_ORDER = 2  # derivatives of derivatives; the pass through the graph differentiates once more
GRAD_STEPS = 2_000  # ops of a grad node, forward and backward, with those of grad nodes inside it
GRAD_STEPS_IN_ALL = 32_000  # of all grad nodes, each of which may be a program of its own: 80 s to compile
LOOP = 32  # steps of a loop in a formula; each is a group
COPIED = 300_000  # names, numbers and ops in all copies that loops and functions of a formula make
BRANCHES = 16  # branches of one group; each has its own nodes
TEXT = 1_700_000  # characters of formula text; a tensor of ELEMENTS numbers with all their digits fits
TOKENS = 600_000  # names, numbers and signs of formula text; a tensor of ELEMENTS rows of one number fits
LINES = 26_500  # of formula text; 2,000 nodes fit, each in blocks nested to the greatest depth
LINE = 2_000  # characters in one line of formula text
PROBLEMS = 50  # reported of one text or document; more would not help its author, and each costs time
NESTING = 60  # brackets inside brackets; Python's own parser fails near 100
NAME = 64  # characters in a name of a node, a region or a group; the longest op has 41
ELEMENTS = 65_536  # elements of one tensor, literal or computed
TOTAL_ELEMENTS = 2_000_000  # elements of all node values together
RANK = 6  # axes of a tensor
PARSED_TOKENS = (
    330_000  # names, numbers and signs for Python's parser; ELEMENTS rows of one signed number fit
)
PARSED_NAMES = 60_000  # names and words among them, each of several objects
PARSED_LINES = 95_000  # line breaks and semicolons among them; ELEMENTS rows and LINES others fit
PARSER_COPIES = 100_000_000  # characters that it copies for f-strings and dotted imports; see syntax_tree.py
ACCENTS = 64  # accents on one letter; languages have up to four
LAMBDA_TERMS = 200  # operations and values in one lambda
JSON = 2_000_000  # characters of a JSON document
MESSAGE = 3 * JSON  # characters of a message over the lab's websocket, in which a document is a string
MESSAGE_BYTES = 8_000_000  # of a message over any websocket; also in .streamlit/config.toml
MESSAGE_PARTS = 100_000  # values in a message, each an object; 2,000 nodes arranged have 8,000
LINK = 60_000  # characters of a link's payload
ADDRESS = 64_000  # characters of the query of an address: a link, and what stands beside it
HISTORY = 500  # undo steps kept
HISTORY_BYTES = 64_000_000  # of all undo steps but the present one; of the largest graphs two fit
SEED = 2**31 - 1  # seed of a random draw; JAX takes 32 bits, one of them for the sign
NUMBER = 1e30  # magnitude of a literal; its square still fits float64, and float32 has room
COORDINATE = 1e6  # distance of a node from the canvas origin, in pixels
KERNELS = 96  # compiled ops in one graph, one per shapes and parameters; each takes a while to compile
PROGRAMS, PROGRAMS_A_MINUTE = 400, 120  # that one address may have compiled: at once, and from then on
PROGRAMS_OF_ALL, PROGRAMS_OF_ALL_A_MINUTE = 800, 240  # the same of all addresses together
STEPS = 20_000  # of one training
JACOBIAN = 2_000_000  # elements of the Jacobians of one segment
SEGMENT_STEPS = 300  # of a training by segments, three times over, for which the page waits
SEGMENT_WORK = 30_000_000  # elements of values in all those steps
TRAINING_SECONDS = 600  # of work for all trainings of one visit
MESSAGE_DEPTH = 32  # nesting of brackets in a message from a component of the page; ours have 8
KEPT_DEPTH = 400  # the same in state kept by an address or a browser; the deepest lambda has about 120
EDIT_SECONDS = 3.0  # of work for the edits of one message; the rest of them are refused
SHARED = 32  # parameters that are added to a link that is shared
EDITS = 1_000  # in one message; more than a person makes between two runs
TOUR_STEPS = 40  # steps of a tour; a course of six hours has some thirty
TOUR_NODES = 8_000  # nodes of all graphs of a tour, each of which is parsed when the tour is read
TOUR = 400_000  # characters of a tour as JSON; each change of it is a step of undo
TITLE = 120  # characters of the title of a tour or of one of its steps
PROSE = 4_000  # characters of any other text of a tour; a lesson's has 150 words
EXERCISES = 24  # exercises of a lesson, parts of an exercise, and edits of a part
CLAIMS = 100  # of a lesson
VISITORS = 400  # pages on view that one server process serves at once; see ui/server/admission.py

QUESTIONS = 40  # asked of one graph
ANSWER = 120  # characters of an answer as it was typed
WORDS = 400  # characters of a question, or of what its author says to an answer
TOLD = 12  # answers to which its author says something
OPTIONS = 6  # answers to choose from, each of which is a button
OPTION = ANSWER  # characters of one of them

VERIFIED_AT_ONCE = 150  # nodes; a larger graph is verified on request, since tracing holds the GIL

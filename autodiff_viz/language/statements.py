"""Read statements to a graph: assignments, blocks by indentation, `return`, and positions in comments."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import IDENTITY, INPUT, Graph, Group, Node, Region, params
from autodiff_viz.graph.policies import POLICIES, TAKING_NAMES
from autodiff_viz.graph.problem import Correction, GraphError, Problem
from autodiff_viz.graph.text import quoted, region_name_fault
from autodiff_viz.language.corrections import assignments, free_letter, removed
from autodiff_viz.language.expression_tree import Applied, Namer, Operand, flatten
from autodiff_viz.language.reader import FILLS, Reader
from autodiff_viz.language.scanner import POSITIONS, LogicalLine, Source, Span, problem_at, writing
from autodiff_viz.language.suggestions import FUNCTIONS, LAMBDA, block_hint, did_you_mean
from autodiff_viz.language.syntax import Names, first_word, is_head, target_of

# Policies of regions: `checkpoint("name", policy=..., names=...)`.


EXAMPLE = 'Write with checkpoint("name"): or with group("name"): and indent the lines inside it.'


@dataclass(slots=True)
class Policy:
    """The policy of a region that is being read.

    Attributes:
      name: of the policy.
      saved: names of the nodes to save, with their places in the text.
    """

    name: str = POLICIES[0]
    saved: dict[str, Span] = field(default_factory=dict)

    def saves_as(self, other: Policy) -> bool:
        """Return whether both save the same."""
        return (self.name, self.saved.keys()) == (other.name, other.saved.keys())


def read_policy(line: LogicalLine, node: ast.Call) -> Policy:
    """Read the policy in a region's head.

    Raises:
      GraphError: a keyword, a policy or a name is invalid.
    """
    policy, given = Policy(), {keyword.arg: keyword.value for keyword in node.keywords}
    for keyword in node.keywords:
        if keyword.arg not in ("policy", "names"):
            message = f"checkpoint has no {quoted(keyword.arg or '**')}."
            raise line.error(keyword, "keyword", message, "It takes a name, policy and names.")
    if "policy" in given:
        policy.name = text_of(line, given["policy"])
        if policy.name not in POLICIES:
            hint = did_you_mean(policy.name, POLICIES) or f"The policies are {', '.join(POLICIES)}."
            message = f"There is no policy {quoted(policy.name)}."
            raise line.error(given["policy"], "policy", message, hint)
    if "names" in given:
        if "policy" not in given:
            hint = f'Write policy="{TAKING_NAMES[0]}", names=(...).'
            raise line.error(given["names"], "policy", "Names are kept by one policy only.", hint)
        names = given["names"]
        parts = names.elts if isinstance(names, (ast.Tuple, ast.List)) else [names]
        policy.saved = {text_of(line, part): line.span(part) for part in parts}
    elif policy.name in TAKING_NAMES:
        message = f"The policy {policy.name} needs the names of the nodes to keep."
        raise line.error(node, "policy", message, 'Add names=("a", "b").')
    return policy


def text_of(line: LogicalLine, node: ast.expr) -> str:
    """Return the text of a string literal.

    Raises:
      GraphError: `node` is no string literal.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    word = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else "name"
    raise line.error(node, "region", "A name in quotes is needed here.", f'Write "{word[: limits.NAME]}".')


# Blocks: `with checkpoint("name"):`, `with group("name"):` and `with branches("name"):`. Those of one
# name make up one region or one group.


CHECKPOINT, GROUP, BRANCHES = "checkpoint", "group", "branches"
CALLED = {CHECKPOINT: "region", GROUP: "group", BRANCHES: "group"}
MOST = {"region": limits.REGIONS, "group": limits.GROUPS}
DEEPEST = {"region": limits.REGION_DEPTH, "group": limits.GROUP_DEPTH}


_KINDS = {**CALLED, BRANCHES: "group of branches"}


@dataclass(slots=True)
class Draft:
    """A region or a group that is being read.

    Attributes:
      kind: word of its head: checkpoint, group or branches.
      line: its first head.
      policy: of a region.
      nodes: names of its nodes so far.
    """

    kind: str
    line: LogicalLine
    policy: Policy
    nodes: set[str] = field(default_factory=set)


Drafts = dict[str, Draft]


def read_heads(
    line: LogicalLine, statement: ast.With, around: tuple[str, ...], drafts: Drafts
) -> tuple[str, ...]:
    """Read the heads of a `with` block into `drafts`; return the names of all frames around its lines.

    Raises:
      GraphError: a head is not `checkpoint("name", policy=..., names=...)`, `group("name")` or
        `branches("name")`.
    """
    for item in statement.items:
        if item.optional_vars is not None:
            raise line.error(item.optional_vars, "region", "A block has no 'as'.", EXAMPLE)
        around = (*around, _read_head(line, item.context_expr, around, drafts))
    return around


def _read_head(line: LogicalLine, node: ast.expr, around: tuple[str, ...], drafts: Drafts) -> str:
    kind = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    if kind not in CALLED:
        # The last word of `torch.no_grad()`, `torch.no_grad` or `no_grad()` tells what the block is for.
        func = node.func if isinstance(node, ast.Call) else node
        word = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        hint = block_hint(word) or did_you_mean(kind, CALLED) or EXAMPLE
        message = "After 'with' comes checkpoint(...), group(...) or branches(...)."
        raise line.error(node, "region", message, hint)
    called = CALLED[kind]
    if len(node.args) != 1:
        raise line.error(node, "region", f"A {called} needs one name.", f'Write {kind}("name").')
    name = text_of(line, node.args[0])
    if fault := region_name_fault(name):
        raise line.error(node.args[0], "region", f"The {called}'s name {quoted(name)} {fault}.", "Change it.")
    if name in around:
        message = f"This line is inside {CALLED[drafts[name].kind]} {name!r} already."
        raise line.error(node, "region", message, "Use another name.")
    if sum(CALLED[drafts[outer].kind] == called for outer in around) >= DEEPEST[called]:
        message = f"{called.capitalize()}s are more than {DEEPEST[called]} deep here."
        raise line.error(node, "too-deep", message, "Remove an outer one.")
    if name not in drafts and sum(CALLED[draft.kind] == called for draft in drafts.values()) >= MOST[called]:
        message = f"There are more than {MOST[called]} {called}s."
        raise line.error(node, "region", message, "Remove some.")
    if called == "group" and node.keywords:
        message = "A group takes a name and nothing else: it changes no number."
        raise line.error(node.keywords[0], "keyword", message, f'Write with {kind}("name"):')
    _continue(line, node, Draft(kind, line, read_policy(line, node)), drafts, name)
    return name


def _continue(line: LogicalLine, node: ast.Call, head: Draft, drafts: Drafts, name: str) -> None:
    """Record the head of a new name, or check it against the first one.

    A later block of a name must have the same kind, and the same policy or none.
    """
    first = drafts.setdefault(name, head)
    if first.kind != head.kind:
        message = f"{name!r} is a {_KINDS[first.kind]} in line {first.line.number}."
        raise line.error(node.args[0], "region", message, "Use another name.")
    if node.keywords and not first.policy.saves_as(head.policy):
        message = f"Region {name!r} has another policy in line {first.line.number}."
        raise line.error(node, "region", message, f'Only continue it here: with checkpoint("{name}"):')


def finish(
    drafts: Drafts, known: set[str], source: list[str], problems: list[Problem]
) -> tuple[tuple[Region, ...], tuple[Group, ...]]:
    """Build the regions and groups from their drafts.

    A saved name that is not in `known` becomes a problem, and so does a group without a line.
    """
    regions = {name: draft for name, draft in drafts.items() if draft.kind == CHECKPOINT}
    groups = {name: draft for name, draft in drafts.items() if draft.kind != CHECKPOINT}
    for draft in regions.values():
        for name in draft.policy.saved.keys() - known:
            message = f"{quoted(name)} is no node of the graph."
            hint = did_you_mean(name, known) or "Keep the name of a line, or give the step a name."
            problems.append(problem_at(source, draft.policy.saved[name], "unknown-name", message, hint))
    # Where a line has a mistake, its group may be empty for that alone.
    for draft in groups.values() if not problems else ():
        if not draft.nodes:
            hint = "Indent the lines that belong to it."
            error = draft.line.error(draft.line.whole(), "empty-group", "This group holds no node.", hint)
            problems.extend(error.problems)
    return (
        tuple(
            Region(name, frozenset(draft.nodes), draft.policy.name, frozenset(draft.policy.saved))
            for name, draft in regions.items()
        ),
        tuple(Group(name, frozenset(draft.nodes), draft.kind == BRANCHES) for name, draft in groups.items()),
    )


# Positions on the canvas, in a comment: `# positions: x 0 40, sin_1 120 40`.


_LONG = limits.LINE - 4 * limits.NAME  # a new comment line begins beyond this length


def read_positions(source: Source, problems: list[Problem]) -> dict[str, tuple[float, float]]:
    """Read the positions by node name, in pixels; malformed entries are added to `problems`."""
    positions: dict[str, tuple[float, float]] = {}
    for number, text in source.positions:
        start = text.index(POSITIONS) + len(POSITIONS)
        for entry in text[start:].split(","):
            words = entry.split()
            position = _position(words)
            if position:
                positions[words[0]] = position
            elif words:
                span = Span(number, start, number, start + len(entry))
                message = "A position is a name and two numbers, at most a million."
                hint = f"Write {POSITIONS} x 0 40, y 120 40 or delete the comment."
                problems.append(problem_at(source.text, span, "positions", message, hint))
                if len(problems) >= limits.PROBLEMS:
                    return positions
            start += len(entry) + 1
    return positions


def _position(words: list[str]) -> tuple[float, float] | None:
    try:
        _, left, top = words
        position = _number(left), _number(top)
    except ValueError:
        return None
    return position if all(abs(c) <= limits.COORDINATE for c in position) else None  # False for NaN too


def show_positions(nodes: Iterable[Node]) -> list[str]:
    """Write the comment, as several lines where one would be too long; [] when no node has a position."""
    lines: list[str] = []
    for node in nodes:
        if node.position is None:
            continue
        entry = f"{node.name} {node.position[0]!r} {node.position[1]!r}"
        if lines and len(lines[-1]) < _LONG:
            lines[-1] += f", {entry}"
        else:
            lines.append(f"{POSITIONS} {entry}")
    return lines


def _number(text: str) -> float:
    """Read a whole number as an int, so that positions are read back as they were written."""
    return int(text) if text.lstrip("-").isdecimal() else float(text)


# Statements, which build the graph one by one.


_NO_STATEMENT = {
    ast.AugAssign: "A name is assigned once: write y = x + 1.0 with a new name.",
    ast.AnnAssign: "Leave the type out: x = 1.0.",
    ast.Assign: "One name stands left of one =: y = sin(x).",
}


SHOWN = 60  # characters of a line that a button shows


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of one indentation.

    Attributes:
      width: columns of indentation.
      around: names of the regions and groups that hold the lines.
    """

    width: int
    around: tuple[str, ...]


class Program:
    """Builder of a graph from the statements of a text; mistakes go to `problems`, one per statement."""

    def __init__(self, source: Source, names: Names, problems: list[Problem]):
        self.spans: dict[str, Span] = {}
        self.heads: dict[str, list[int]] = {}  # lines that begin a frame, by its name
        self._source, self._names, self._problems = source, names, problems
        self._positions = read_positions(source, problems)
        self._fresh: Namer | None = None
        self._nodes: list[Node] = []
        self._cuts = 0
        self._drafts: Drafts = {}
        self._output: str | None = None
        self._returned: int | None = None
        self._blocks = [Block(source.lines[0].width if source.lines else 0, ())]
        self._head: tuple[LogicalLine, tuple[str, ...]] | None = None
        self._skipped: int | None = None  # width of a line whose block is skipped, being not in the language

    def add(self, line: LogicalLine, statements: list[ast.stmt] | None) -> None:
        """Read one line; `statements` is None where it could not be parsed."""
        if self._skipped is not None and line.width > self._skipped:
            self._names.forgive(line)
            return
        self._skipped = None
        try:
            around = self._around(line)
            # Of a block whose head is not in the language the lines inside are read if it is a `with`, and
            # skipped if it is anything else.
            if statements is None and is_head(line):
                self._head = line, around
            elif statements is None and line.text.endswith(":"):
                self._skipped = line.width
            for statement in statements or ():
                self._statement(line, statement, around)
        except GraphError as error:
            self._problems.extend(error.problems)
            self._names.forgive(line)  # so that lines that use its name are no further problems

    def graph(self) -> Graph:
        """Return the graph. It is meaningless when there are problems."""
        if self._head is not None:
            self._problems.extend(_empty_block(self._head[0]).problems)
        known = {node.name for node in self._nodes} | self._names.broken
        regions, groups = finish(self._drafts, known, self._source.text, self._problems)
        return Graph(tuple(self._nodes), regions, self._output, groups)

    def _around(self, line: LogicalLine) -> tuple[str, ...]:
        """Return the frames around a line, from its indentation."""
        head, self._head = self._head, None
        if line.width > self._blocks[-1].width:
            around = head[1] if head else self._blocks[-1].around
            self._blocks.append(Block(line.width, around))
            if head is None:  # reported once: lines beside it are in the block that has just begun
                hint = "Only lines inside a with block are indented."
                raise line.error(line.whole(), "indentation", "This line is indented too far.", hint)
            return around
        if head is not None:
            self._problems.extend(_empty_block(head[0]).problems)
        while line.width < self._blocks[-1].width and len(self._blocks) > 1:
            self._blocks.pop()
        if line.width != self._blocks[-1].width:
            message = "The indentation fits no line above."
            raise line.error(line.whole(), "indentation", message, "Begin it below the line it belongs to.")
        return self._blocks[-1].around

    def _statement(self, line: LogicalLine, statement: ast.stmt, around: tuple[str, ...]) -> None:
        if self._returned is not None:
            message = f"Nothing comes after the return in line {self._returned}."
            raise line.error(statement, "after-return", message, "Move the return to the end.")
        if (target := target_of(statement)) is not None:
            self._assign(line, statement, target, around)
        elif isinstance(statement, ast.With):
            self._block(line, statement, around)
        elif isinstance(statement, ast.Return):
            self._return(line, statement)
        elif not (around and _does_nothing(statement)):
            raise _not_a_line(line, statement, self._names)

    def _assign(
        self, line: LogicalLine, statement: ast.stmt, target: ast.Name, around: tuple[str, ...]
    ) -> None:
        self._names.check_target(line, target)
        if isinstance(given := statement.value, ast.Lambda):  # type: ignore[attr-defined]
            args = line.piece(given)[len("lambda") :].partition(":")[0].strip()
            better = f"{target.id}({args}) = {line.piece(given.body)}"
            message, hint = "A lambda is no value of the graph.", f"A function is written {better}. {LAMBDA}"
            correction = writing(line.span(statement), better)
            raise line.error(given, "not-in-language", message, hint, correction)
        try:
            value = Reader(line, self._names).read(statement.value)  # type: ignore[attr-defined]
        except GraphError:
            self._names.broken.add(target.id)
            raise
        tree = replace(rooted(value, line.span(statement)), span=line.span(statement))
        self._fresh = self._fresh or Namer(self._names.assigned)
        nodes = flatten(tree, target.id, self._fresh, self._positions, self.spans)
        self._nodes.extend(nodes)
        if len(self._nodes) > limits.NODES:
            message = f"The graph has more than {limits.NODES} nodes."
            raise line.error(statement, "too-many-nodes", message, "Split the graph in two.")
        self._cuts += sum(node.cut for node in nodes)
        if self._cuts > limits.CUTS:
            message = f"The graph has more than {limits.CUTS} cuts."
            raise line.error(statement, "too-many-cuts", message, "Remove some.")
        for name in around:
            self._drafts[name].nodes.update(node.name for node in nodes)
        self._names.defined.add(target.id)
        self._output = target.id

    def _block(self, line: LogicalLine, statement: ast.With, around: tuple[str, ...]) -> None:
        head = is_head(line)
        if head:
            self._head = line, around  # so that the lines inside are read even after a faulty head
        outer, around = around, read_heads(line, statement, around, self._drafts)
        for name in around[len(outer) :]:
            self.heads.setdefault(name, []).append(line.number + statement.lineno - 1)
        if head:
            self._head = line, around
            return
        for inner in statement.body:
            self._statement(line, inner, around)

    def _return(self, line: LogicalLine, statement: ast.Return) -> None:
        if not isinstance(statement.value, ast.Name):
            hint, correction = "Give the expression a name on a line above.", None
            if statement.value is not None and not isinstance(statement.value, ast.Tuple):
                span, value = line.span(statement), line.piece(statement.value)
                correction = writing(span, f"{free_letter(self._names.taken(line))} = {value}")
                hint = f"{correction.label}."
            raise line.error(statement, "return", "After return comes one name.", hint, correction)
        self._names.check_use(line, statement.value)
        self._output, self._returned = statement.value.id, line.number


def rooted(value: Operand, span: Span) -> Applied:
    """Convert the right side of an assignment to a node.

    A literal becomes an input, a bare name an identity.
    """
    if not isinstance(value, Applied):
        bare = Applied(IDENTITY, (value,), (), span, IDENTITY)
        return bare if value is None or isinstance(value, str) else _as_input(bare)
    marked = value.cut or value.muted  # no segment ends at an input, and an input cannot be muted
    wraps = value.op == IDENTITY and value.stem != IDENTITY and not marked
    constant = wraps and not isinstance(value.operands[0], (Applied, str, type(None)))
    return _as_input(value) if constant else value


def _as_input(tree: Applied) -> Applied:
    """Convert a wrapped literal to an input: `x = stop_gradient(10.0)` sets the rule of an input."""
    literal, *alternative = tree.operands
    return replace(tree, op=INPUT, operands=tuple(alternative), params=params(value=literal))


def _does_nothing(statement: ast.stmt) -> bool:
    """Return whether the statement is `pass` or a lone `...`, the placeholders of a block's lines."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return statement.value.value is Ellipsis
    return isinstance(statement, ast.Pass)


def _not_a_line(line: LogicalLine, statement: ast.stmt, names: Names) -> GraphError:
    if not isinstance(statement, ast.Expr):
        hint = _NO_STATEMENT.get(type(statement), "A line is name = expression.")
        message = f"A line that begins with {first_word(line)!r} is not one of the language."
        if isinstance(statement, tuple(_NO_STATEMENT)):
            message = "This is not an assignment of one name."
        return line.error(
            statement, "not-in-language", message, hint, assignments(line, statement, names.taken(line))
        )
    value = statement.value
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return line.error(
            statement, "not-in-language", "Formulas do not have text here.", "Begin a note with #."
        )
    called = value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""
    if called == "print":
        message = "Formulas do not have print: every value is shown."
        return line.error(statement, "not-in-language", message, "Leave the line out.", removed(line))
    if (
        isinstance(value, ast.Compare)
        and isinstance(value.ops[0], ast.Eq)
        and isinstance(value.left, ast.Name)
    ):
        better = f"{value.left.id} = {line.piece(value.comparators[0])}"
        message = "Two signs = compare; one gives a name its value."
        return line.error(statement, "not-in-language", message, f"Write {better}.", better)
    bare = value
    while isinstance(bare, ast.UnaryOp) and isinstance(bare.op, (ast.USub, ast.UAdd)):
        bare = bare.operand
    calls_known = isinstance(bare, ast.Call) and getattr(bare.func, "id", "") in (*FUNCTIONS, *FILLS)
    if not calls_known and not isinstance(bare, (ast.BinOp, ast.Subscript, ast.Name, ast.Constant)):
        try:  # a better message than "no name": x := 1.0, __import__("os")
            Reader(line, Names()).read(value)
        except GraphError as error:
            return error
    begins = f"{free_letter(names.taken(line))} = "
    span = line.span(statement)
    shown = f"{begins}{line.piece(value)}"
    label = f"Write {shown}" if len(shown) <= SHOWN else f"Write {begins}before it"
    correction = Correction(label, span.line, span.column, span.line, span.column, begins)
    hint = f"Write {begins}before it."
    return line.error(statement, "no-name", "This expression has no name.", hint, correction)


def _empty_block(head: LogicalLine) -> GraphError:
    return head.error(
        head.whole(), "indentation", "This block is empty.", "Indent the lines that belong to it."
    )

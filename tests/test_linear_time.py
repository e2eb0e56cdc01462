"""Test that the time of every pattern and parser of text from outside grows with the text, not its square."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest
from starlette.requests import Request
from streamlit.proto.BackMsg_pb2 import BackMsg

from autodiff_viz.asking import answers, summary
from autodiff_viz.embedding.contract import CONTRACT, PARAMETERS, frame_code, read_embed
from autodiff_viz.export.footer import HEAD, footer_in
from autodiff_viz.graph import codec, limits, link
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.short_text import formula_in, read_short_text, short_text
from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.graph.text import well_formed
from autodiff_viz.lab import code, glossary, own_data
from autodiff_viz.lab.code import code_in
from autodiff_viz.lab.edits import document
from autodiff_viz.lab.edits.document import imported
from autodiff_viz.lab.inspector.parameters import read_shape as inspector_shape
from autodiff_viz.lab.lesson_checks import numbers_in
from autodiff_viz.lab.own_data import read_npy, read_table
from autodiff_viz.lab.persistence import address, json_text
from autodiff_viz.lab.persistence.link_preview import preview
from autodiff_viz.lab.persistence.training import read_plan, read_step, read_training
from autodiff_viz.lab.state import start
from autodiff_viz.language.amend import amended
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.language.parse import (
    parse,
    parse_addition,
    parse_lambda,
    parse_literal,
    parse_piece,
    parse_with_spans,
    places_in,
)
from autodiff_viz.language.readings import readings
from autodiff_viz.language.scanner import scan
from autodiff_viz.lessons.codec import is_tour, read_tour
from autodiff_viz.lessons.search import meant
from autodiff_viz.lessons.text import read_lesson
from autodiff_viz.ops import indexing
from autodiff_viz.reading.notebooks import notebook_code
from autodiff_viz.training.run import USUAL
from autodiff_viz.ui.inbox import read_stamp
from autodiff_viz.ui.server.admission import is_from_own_page, origin
from autodiff_viz.ui.server.wire_format import has_more_fields
from tests.linear_time import FLOOR, PIECES, TAILS, repeated, slow_at, texts_of
from tests.own_lesson import KEY

Parser = Callable[[str], object]

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "autodiff_viz"
ONCE = {"match", "search", "fullmatch"}
METHODS = {*ONCE, "findall", "finditer", "sub", "subn", "split"}

OF_OUR_OWN = {
    "standalone/modules.py": "scripts of web/, when a figure's file is written",
    "standalone/tokens.py": "scripts and styles of web/",
    "standalone/styles.py": "styles of web/",
    "messages/typedefs.py": "docstrings of the messages",
    "ops/op.py": "words of the catalog",
    "ops/latex.py": "LaTeX of the catalog",
    "ui/server/poster.py '<!--.*?-->'": "Streamlit's page",
    "ui/server/poster.py '<script [^>]*></script>|<link [^>]*>'": "Streamlit's page",
    "ui/server/poster.py 'rel=\"(modulepreload|stylesheet|preload)\"|<script'": "Streamlit's page",
    "ui/bundle.py OF_RULES": "styles of web/",
    "ui/server/routes.py _CODE": "Streamlit's page",
    "ui/server/routes.py '<title>.*?</title>'": "Streamlit's page",
    "ui/server/security_headers.py '<script>(.*?)</script>'": "Streamlit's page",
    "standalone/posters.py _NOTICE": "the figures of lessons, written by the project",
}
"""Patterns that read nothing but texts of the project's own, or files of such patterns, and which texts."""

MADE = {("embedding/contract.py", "pattern"): [each.pattern for each in CONTRACT if each.pattern]}
"""Patterns that a call within a function has from elsewhere, by its file and its words."""


class Use(NamedTuple):
    """A pattern, with the file that has it, its name or its place, and how it is used."""

    file: str
    name: str
    pattern: re.Pattern
    methods: frozenset[str]


def sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        file = str(path.relative_to(PACKAGE))
        yield file, ast.parse(path.read_text("utf-8"))


def flags_of(nodes: list[ast.expr]) -> int:
    """The flags among the arguments of a call, such as `re.MULTILINE | re.ASCII`."""
    named = [node.attr for each in nodes for node in ast.walk(each) if isinstance(node, ast.Attribute)]
    return sum({getattr(re, name) for name in named if name.isupper()}, re.NOFLAG)


def written(node: ast.expr) -> str | bytes | None:
    """The text of a pattern; a part that is made as the program runs is 40, a word or a number."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "40" for part in node.values)
    return None


@cache
def uses() -> tuple[Use, ...]:
    """Every pattern of the package, by the source: those that have a name, and those within a call."""
    found, used = [], {}
    for file, tree in sources():
        origin = {
            alias.asname or alias.name: (
                node.module.removeprefix("autodiff_viz.").replace(".", "/") + ".py",
                alias.name,
            )
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS:
                used.setdefault(origin.get(node.value.id, (file, node.value.id)), set()).add(node.attr)
        named = {
            id(node.value): node.targets[0].id
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for node in ast.walk(tree):
            function = node.func if isinstance(node, ast.Call) else None
            if not (isinstance(function, ast.Attribute) and getattr(function.value, "id", "") == "re"):
                continue
            if function.attr == "compile":
                name = named.get(id(node))
                assert name, f"{file}, line {node.lineno}: give this pattern a name, so that it can be found"
                text = written(node.args[0]) if isinstance(node.args[0], ast.Constant) else None
                if text is None:  # made of others
                    module = importlib.import_module(
                        "autodiff_viz." + file.removesuffix(".py").replace("/", ".")
                    )
                    found.append(Use(file, name, getattr(module, name), frozenset({name})))
                else:
                    flags = flags_of([*node.args[1:], *(each.value for each in node.keywords)])
                    found.append(Use(file, name, re.compile(text, flags), frozenset({name})))
            elif function.attr in METHODS:
                text, words = written(node.args[0]), ast.unparse(node.args[0])
                flags = flags_of([*node.args[1:], *(each.value for each in node.keywords)])
                for one in MADE[file, words] if text is None else [text]:
                    found.append(Use(file, words, re.compile(one, flags), frozenset({function.attr})))
    return tuple(
        use._replace(methods=frozenset(used.get((use.file, use.name), {"search"})))
        if use.methods == {use.name}
        else use
        for use in found
    )


def runner(pattern: re.Pattern, method: str) -> Callable[[str], object]:
    run = getattr(pattern, method if method in ONCE else "findall")  # sub and split find the same
    return (lambda text: run(text.encode("utf-8", "replace"))) if isinstance(pattern.pattern, bytes) else run


def slow_texts(pattern: re.Pattern, methods: frozenset[str]) -> Iterator[str]:
    """Say which repeated pieces take more than linear time."""
    pairs = dict.fromkeys([*(("", piece) for piece in PIECES), *texts_of(pattern)])
    for method in sorted({name if name in ONCE else "findall" for name in methods}):
        run = runner(pattern, method)
        for before, piece in pairs:
            for tail in TAILS if piece else ():
                if slow := slow_at(run, repeated(piece, before, tail)):
                    text = f"{before!r} + {piece!r} * n + {tail!r}"
                    yield f"{method} of {text}: {slow[1]:.0f} times at {slow[0]}"
                    break


FROM_OUTSIDE = [
    use for use in uses() if use.file not in OF_OUR_OWN and f"{use.file} {use.name}" not in OF_OUR_OWN
]


@pytest.mark.every
@pytest.mark.parametrize("use", FROM_OUTSIDE, ids=lambda use: f"{use.file}-{use.name}")
def test_a_pattern_takes_linear_time(use):
    assert [*islice(slow_texts(use.pattern, use.methods), 3)] == []


def test_what_is_left_out_is_there():
    names = {use.file for use in uses()} | {f"{use.file} {use.name}" for use in uses()}
    assert OF_OUR_OWN.keys() <= names


@pytest.mark.every
@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"[a-z]+://", "search"),  # these were in the project
        (r"^\s*(import|from)\s", "search"),
        (r"\S*[?&](g|f)=\S*", "fullmatch"),
        (r"[+-]?(\d+\.?\d*|\.\d+)", "fullmatch"),
        (r"<[^>]*>", "sub"),
        (r"(a|aa)+$", "match"),  # exponential
    ],
)
def test_a_slow_pattern_is_found(pattern, method):
    assert next(slow_texts(re.compile(pattern, re.MULTILINE), frozenset({method})), None)


# Parsers: each is run on repeated pieces, alone and behind what it accepts.

LONG = (250, 1_000, 4_000, 16_000)
"""Characters of a text for a parser, which limits the length by itself."""

GRAPH = parse("x = 1.0\ny = sin(x)")
NUMBER = {"kind": "number"}
KEYS = (
    *address.LARGE,
    *address.PINNED.values(),
    "pinned",
    "f",
    "tour",
    "at",
    "lesson",
    "variant",
    "dtype",
    "node",
)


def packed_link(text: str) -> str:
    return link.VERSION + link.packed(text, 1)


def of_key(key: str) -> Parser:
    """What reads an address with the text as this parameter, beside a graph and without one."""
    return lambda text: address.from_query({"g": link.to_link(GRAPH), "plan": "", "ask": "", key: text})


STARTS = (
    "x = ",
    "x = sin(",
    "x = [",
    "def f(x):\n    return ",
    "for i in range(",
    'with group("',
    "f(x) = ",
    "# positions: ",
)
NPY = b"\x93NUMPY\x02\x00\x00\xff\x00\x00"


def scope_of(**headers: str) -> dict:
    """The scope of a request with these headers."""
    pairs = [(name.encode(), text.encode("utf-8", "replace")) for name, text in headers.items()]
    return {
        "type": "http",
        "headers": pairs,
        "scheme": "http",
        "client": None,
        "path": "/",
        "query_string": b"",
    }


PARSERS: dict[str, tuple[Parser, Sequence[str]]] = {
    "asking.answers.read_numbers": (lambda text: answers.read_numbers(text or "0", 3), ("1", "1/", "1,5")),
    "asking.answers.read_shape": (answers.read_shape, ("2x", "(", "1 ")),
    "asking.summary.count": (
        summary.count,
        ("av1 ", f"av1 {KEY}: ", f"av1 {KEY}: number 1 try ", 'av1 a: choice "'),
    ),
    "asking.summary.read_line": (summary.read_line, ("av1 ", f"av1 {KEY}: ", "av9")),
    "export.footer.footer_in": (footer_in, (HEAD + "\n",)),
    "graph.codec.parsed": (codec.parsed, ('{"a":', '"', "[")),
    "graph.link.document_in": (link.document_in, ("1", "?g=1", "https://", "?")),
    "graph.link.unpacked": (lambda text: link.unpacked(text, limits.JSON), ("eJ",)),
    "graph.short_text.read_short_text": (lambda text: read_short_text(text, limits.TEXT), ("1",)),
    "graph.short_text.formula_in": (formula_in, ("?f=1", "?f=")),
    "lab.lesson_checks.numbers_in": (numbers_in, ("1", "1.", "1e", "-")),
    "lab.code.code_in": (code_in, ("import a\n", "a.b\n", "x = f'")),
    "lab.glossary.words_in": (glossary.words_in, ("[a](", "`", "*")),
    "lab.inspector.parameters.read_shape": (inspector_shape, ("[", "3, ")),
    "lab.own_data.read_table": (read_table, ("a,b\n", "1;", '"', "1,000\n")),
    "lab.own_data.read_npy": (
        lambda text: read_npy(NPY + text.encode("utf-8", "replace")[: own_data.BYTES]),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (", "1, "),
    ),
    "lab.persistence.json_text.unsqueezed": (json_text.unsqueezed, ("~", "[", '"')),
    "lab.persistence.training.read_plan": (read_plan, ("sgd,0.1,", "sgd,0.1,0,")),
    "lab.persistence.training.read_step": (read_step, ("1",)),
    "lab.persistence.training.read_training": (lambda text: read_training(text, GRAPH, USUAL), ("~", "[10,")),
    "lessons.text.read_lesson": (
        lambda text: read_lesson(text, "k"),
        ("+++\n", '+++\na = "', "+++\n+++\n- ", "+++\n+++\n# Claims\n| a | ", "+++\n+++\n```part\n", "\n"),
    ),
    "language.documents.from_json": (from_json, ('{"version": 1, "nodes": [',)),
    "language.documents.from_link": (from_link, ("1", "https://a.b/?g=1", "?f=1")),
    "language.parse.parse": (parse, STARTS),
    "language.parse.parse_with_spans": (lambda text: parse_with_spans(text, GRAPH), ("x = ",)),
    "language.parse.places_in": (places_in, ("x = ",)),
    "language.parse.parse_piece": (parse_piece, STARTS),
    "language.parse.parse_lambda": (parse_lambda, ("lambda v: ", "lambda v, ")),
    "language.parse.parse_literal": (parse_literal, ("[", "1.0", "[1.0, ")),
    "language.parse.parse_addition": (lambda text: parse_addition(text, GRAPH.by_name), ("q = ", "x * ")),
    "language.readings.readings": (readings, ("f(x) = ", "x ^ ", "def f(x):\n")),
    "language.amend.amended": (lambda text: amended(text, GRAPH), ("x = 1.0\ny = sin(x) # ",)),
    "lessons.codec.is_tour": (is_tour, ("{", "?tour=")),
    "lessons.codec.read_tour": (read_tour, ('{"tour": ', "?tour=", "[")),
    "ops.indexing.from_text": (indexing.from_text, ("0, ", "1:")),
    "reading.notebooks.notebook_code": (notebook_code, ('{"cells": [',)),
    "ui.inbox.read_stamp": (read_stamp, ("0123456789.",)),
    "ui.server.wire_format.has_more_fields": (
        lambda text: has_more_fields(text.encode("utf-8", "replace"), BackMsg.DESCRIPTOR, 20_000),
        ("\x0a", "\x12"),
    ),
    # Besides those that are found by their names:
    "imported": (lambda text: imported(start(), text), ("{", "?g=", "https://", '{"cells": [')),
    "notebook_code": (notebook_code, ('{"cells": [',)),
    "syntax_tree": (syntax_tree, ("x = f'", "import a", "a", "x = (")),
    "scan": (scan, STARTS),
    "meant": (meant, (KEY,)),
    "preview": (lambda text: preview("/", {"tour": text, "lesson": ""}), ("eJ",)),
    "packed link": (lambda text: from_link(packed_link(text), limits.JSON), ('{"version": 1, "nodes": [',)),
    "packed formula": (lambda text: address.from_query({"f": short_text(text)}), STARTS),
    "read_embed": (
        lambda text: read_embed({"embed": "1", "v": "1", **dict.fromkeys(PARAMETERS, text)}),
        ("slider:",),
    ),
    "frame_code": (lambda text: frame_code(f"https://a.b/?{text}", text, 300), ("embed=1&v=1&",)),
    "well_formed": (well_formed, ()),
    "too_deep_or_many": (lambda text: json_text.too_deep_or_many(text, 32, 100_000), ('"', "[")),
    "explained": (glossary.explained, ("gradient ",)),
    "explained_html": (lambda text: glossary.explained_html(text, set()), ("<a", "<")),
    "host": (lambda text: origin(Request(scope_of(host=text))), ("a.b", "[")),
    "page of a websocket": (lambda text: is_from_own_page(Request(scope_of(origin=text))), ("https://",)),
    **{f"?{key}=": (of_key(key), ("1", "~", "eJ", "x:")) for key in KEYS},
}
"""By name, what reads a text from outside, and beginnings that it accepts."""

NOT_FROM_OUTSIDE = {
    "lessons.search.words_in": "texts of lessons, and 60 characters that `meant` looks at",
    "lessons.evaluate.graph_in": "hands its text to `parse`, which is in the record",
    "lab.code.is_read": "code of lessons",
    "lab.code.read_ours": "code of lessons, and texts of a process that reads in no other",
    "lab.code.read_whole": "a worker that ends; reading/test_costs.py counts what each step of a text takes",
    "lab.code.read_bounded": "likewise",
    "reading.numpy.memory.read_here": "gets names of our own tables",
}
"""Functions that are named as parsers, and whose text they read."""

NAMED = re.compile(r"(?!_)((?:read|parse|from)_\w+|parse|is_tour|is_read|unpacked|unsqueezed|\w+_in)")


def parsers() -> Iterator[str]:
    """The public functions of the package that are named as parsers of a text."""
    for file, tree in sources():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and NAMED.fullmatch(node.name) and node.args.args:
                first = node.args.args[0].annotation
                if first is not None and ast.unparse(first) in ("str", "bytes", "str | None"):
                    yield f"{file.removesuffix('.py').replace('/', '.')}.{node.name}"


def test_every_parser_is_in_the_record():
    missing = {*parsers()} - PARSERS.keys() - NOT_FROM_OUTSIDE.keys()
    assert missing == set()


@pytest.fixture(autouse=True)
def _code_is_not_read(monkeypatch):
    """Code is read by `reading/`, which has its own tests."""

    def refuse(text: str) -> None:
        raise GraphError(Problem("code", "Not read here."))

    for module in (address, document, code):
        monkeypatch.setattr(module, "reading_of", refuse)


def quiet(parser: Parser) -> Parser:
    """A parser refuses in words, or with a ValueError where its callers say why."""

    def run(text: str) -> None:
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            parser(text)

    return run


@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_takes_linear_time(name):
    parser, starts = PARSERS[name]
    run = quiet(parser)
    slow = []
    # What an address carries is packed, so that few pieces reach what reads it; those are tested above.
    for piece in PIECES[::6] if name.startswith("?") else PIECES:
        for before in ("", *starts):
            if found := slow_at(run, repeated(piece, before), LONG, 2 * FLOOR):
                slow.append(f"{before!r} + {piece!r} * n: {found[1]:.0f} times at {found[0]}")
    assert slow == []

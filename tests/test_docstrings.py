"""Test that each module, and each public function, says first what it does: a verb in the imperative."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_architecture import APP, BENCHMARKS, SCRIPTS, TESTS, name, tree

VERBS = """
Access Acknowledge Add Align Analyse Animate Answer Apply Arrange Ask Assign Bind Bound Break Build Bundle
Cache Call Cancel Chain Check Choose Close Collect Compare Compile Complete Compress Compute Construct Convert
Copy Count Create Cull Cure Cut Declare Decode Define Delay Deliver Delta-encode Derive Describe Detect
Diagnose Differentiate Dispatch Display Divide Drag Draw Drive Drop Duplicate Edit Embed Encode End Enlarge
Estimate Evaluate Exchange Explain Explore Export Extrapolate Fail Fill Filter Find Fit Fix Flatten Fold
Follow Fork Format Generate Give Handle Highlight Hint Hold Identify Import Inline Inspect Interpret
Isolate Join Keep Kill Lay Let Limit Lint List Log Look Make Map Mark Measure Memoise Move Multiply Mute Name
Navigate Nest Number Offer Open Outline Paint Pan Parse Pinch Place Play Precompute Predict Prepare Print Push
Put Quote Read Record Redraw Reduce Refuse Register Rehearse Release Remember Remove Replace Report Represent
Request Resolve Restore Route Run Scale Scan Schedule Search Select Send Serve Set Share Show Simulate
Sort Stack Start Store Suggest Summarise Sweep Switch Take Teach Tell Test Time Tokenise Trace Train
Tune Turn Undo Unroll Update Verify Visit Wait Warm Watch Wire Write Zoom
"""
"""Words with which a module's docstring may open. Another verb is added here; a noun is not."""

TAKES_A_SENTENCE = {"Check", "Show", "Teach", "Test"}
NO_VERBS = re.compile(
    r"(an?|the|its?|all|such|for|by|in|of|if|wh\w+|how|callback|context|whether|\S+s'?|\S+tion|\S+ment)$",
    re.IGNORECASE,
)
"""Words that open no docstring of a function; what ends in -s, -tion or -ment is a noun but for these."""
VERBS_ALL_THE_SAME = {"Pass", "Compress", "Decompress", "Focus", "Process", "Express", "Address", "Position"}


def opens_with_a_verb(text: str) -> bool:
    """Whether a module's text opens with a verb, which is not used as a noun ("Search of", "Edit that")."""
    first, second = (*text.split(maxsplit=2), "", "")[:2]
    first = first.rstrip(",:.;")
    return first in VERBS.split() and second != "of" and (second != "that" or first in TAKES_A_SENTENCE)


def opens_without_a_verb(text: str) -> bool:
    """Whether a function's text opens with a word that is certainly no verb."""
    first = text.split(maxsplit=1)[0].rstrip(",:.;")
    return first not in VERBS_ALL_THE_SAME and (not first[0].isalpha() or bool(NO_VERBS.match(first)))


def head(script: Path) -> str:
    """The comment at the head of a script, without the mark for the checker of types."""
    first = script.read_text("utf-8").removeprefix("// @ts-check\n").split("\n", 1)[0]
    return first.removeprefix("//") if first.startswith("//") else ""


def is_public_function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function is public and no property, which is described as what it is."""
    return not node.name.startswith("_") and "property" not in "".join(map(ast.unparse, node.decorator_list))


def public_functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Public functions, and public methods of all classes."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from public_functions(node.body)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_public_function(node):
            yield node


def test_a_module_says_first_what_it_does():
    """Also a test's, where it has a docstring."""
    texts = {path: ast.get_docstring(tree(path)) for path in (*APP, *BENCHMARKS, *TESTS)}
    texts |= {path: head(path) for path in SCRIPTS}
    broken = [path for path, text in texts.items() if text is not None and not opens_with_a_verb(text)]
    assert [name(path) for path in broken] == []


def test_a_public_function_says_first_what_it_does():
    broken = [
        f"{name(path)}:{node.lineno}: {text.splitlines()[0]}"
        for path in (*APP, *BENCHMARKS)
        for node in public_functions(tree(path).body)
        if (text := ast.get_docstring(node)) and opens_without_a_verb(text)
    ]
    assert broken == []


@pytest.mark.parametrize(
    "text",
    [
        "Check of a graph: structure first, then ops.",
        "Comparison of arrays that were computed in two ways.",
        "`memory`: what is live after each step.",
        "What the forward pass keeps.",
        "Edit that applies the cure of an explanation.",
        "Branches of a group.",
        "The graph as frozen data.",
        "",
    ],
)
def test_a_module_that_opens_with_a_noun_is_refused(text):
    assert not opens_with_a_verb(text)


@pytest.mark.parametrize(
    "text",
    [
        "Whether a node is cut.",
        "The cotangent of x.",
        "Where a wire ends.",
        "Callback of a button.",
        "(a, b).",
    ],
)
def test_a_function_that_opens_with_a_noun_is_refused(text):
    assert opens_without_a_verb(text)


@pytest.mark.parametrize("text", ["Check a graph.", "Test that it runs.", "Undo, redo.", "Delta-encode it."])
def test_a_verb_is_accepted(text):
    assert opens_with_a_verb(text)
    assert not opens_without_a_verb(text)

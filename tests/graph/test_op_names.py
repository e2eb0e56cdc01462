"""Test that `graph` names no op: what an op means is in the folders above it."""

import ast
from pathlib import Path

from autodiff_viz.graph import model
from autodiff_viz.ops.catalog import OPS

FOLDER = Path(model.__file__).parent


def test_no_module_names_an_op_but_the_identity_that_carries_rules_and_the_derivative_of_the_graph():
    named = {
        node.value
        for path in FOLDER.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in OPS
    }
    assert named == {"identity", "grad"}

"""Test notebooks: valid by nbformat's rules, and their cells run and find the numbers they expect."""

import ast
import json

import numpy as np
import pytest

import autodiff_viz as av
from tests.export.programs import loaded
from tests.export.test_rules import RULES

TEXTS = {
    "rules": RULES["a rule on a rule"],
    "noise": "x = input(shape=(3,), seed=2)\ny = sum(dropout(x, seed=1) * normal(shape=(3,), seed=4))",
    "names": "_wanted = 2.0\nvalue = [1.0, 2.0]\nmo = value * _wanted",
    "region": 'x = 2.0\nwith checkpoint("r"):\n    y = sin(x) * x\nz = rewrite(y, lambda v: v * 2.0) * x',
    "nan": "x = [0.0, 1.0]\ny = norm(x * 0.0)",
    "no input": "y = exp(2.0)",
}


def assert_valid(book: dict) -> None:
    """Hold a notebook to the schema of nbformat 4.5, as far as it has what we write."""
    assert book["nbformat"] == 4
    assert book["nbformat_minor"] == 5
    assert set(book) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert {"name", "display_name"} <= set(book["metadata"]["kernelspec"])
    assert book["metadata"]["language_info"]["name"] == "python"
    ids = [cell["id"] for cell in book["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in book["cells"]:
        assert 1 <= len(cell["id"]) <= 64
        assert cell["metadata"] == {}
        assert all(isinstance(line, str) for line in cell["source"])
        own = {"outputs", "execution_count"} if cell["cell_type"] == "code" else set()
        assert set(cell) == {"cell_type", "id", "metadata", "source"} | own
        if own:
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


def cells_of(text: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_jupyter_notebook_is_valid_and_its_check_passes(text, capsys):
    book = av.to_notebook(av.parse(text))
    assert_valid(json.loads(book))
    loaded("\n".join(cells_of(book)), "__main__")
    assert capsys.readouterr().out.endswith("All numbers are as expected.\n")


def test_the_check_fails_where_a_number_is_another():
    cells = cells_of(av.to_notebook(av.parse("x = 3.0\ny = x * x")))
    with pytest.raises(AssertionError, match="gradient of x"):
        loaded("\n".join([*cells[:2], "gradients = (jnp.array(6.001),)", cells[2]]), "__main__")


def test_double_precision_is_checked_in_double_precision(capsys):
    book = av.to_notebook(av.parse("x = 3.0\ny = sin(x)"), dtype="float64")
    loaded("\n".join(cells_of(book)), "__main__")
    assert str(np.cos(3.0)) in book


class App:
    """What stands for `marimo.App`: the cells in order, each called with the names that it reads."""

    def __init__(self) -> None:
        self.cells: list = []

    def cell(self, function):
        self.cells.append(function)
        return function

    def run(self) -> dict:
        made: dict = {}
        for cell in self.cells:
            wanted = cell.__code__.co_varnames[: cell.__code__.co_argcount]
            given = cell(**{name: made[name] for name in wanted})
            made |= self.returned(cell, given)
        return made

    def returned(self, cell, given) -> dict:
        names = self.names[self.cells.index(cell)]
        return dict(zip(names, given or (), strict=True))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_marimo_app_runs_cell_by_cell(text, capsys):
    source = av.to_marimo(av.parse(text))
    tree = ast.parse(source)
    app = App()
    app.names = []
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        last = function.body[-1].value
        parts = last.elts if isinstance(last, ast.Tuple) else []
        app.names.append([part.id for part in parts])
    assert len({name for names in app.names for name in names}) == sum(map(len, app.names))
    body = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    module = ast.Module([*body, ast.parse("app.run()").body[0]], [])
    shown: list[str] = []
    mo = type("marimo", (), {"md": staticmethod(shown.append)})
    names = {"app": app, "__name__": "app"}
    first = app.names[0]
    assert first == ["mo"]
    module.body[0].body = ast.parse("def _():\n    return (stand_in,)").body[0].body
    names["stand_in"] = mo
    exec(compile(ast.fix_missing_locations(module), "app.py", "exec"), names)
    assert capsys.readouterr().out.endswith("All numbers are as expected.\n")
    assert len(shown) == 3

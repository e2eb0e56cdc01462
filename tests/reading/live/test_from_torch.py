"""Test that a live model is read: its gradients are those that PyTorch recorded, and nothing of it runs.

PyTorch need not be installed: `stand_in.py` keeps what a model consists of, and computes nothing.
"""

from __future__ import annotations

import ast
import importlib
import json
import linecache
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from _pytest.assertion.rewrite import rewrite_asserts

import autodiff_viz as av
from autodiff_viz.lab.launch import graph_of
from autodiff_viz.reading.live.comparison import check_of
from tests.reading.live import stand_in
from tests.reading.live.record import ANSWERS
from tests.readme import ROOT, claimed

RECORDED = json.loads(ANSWERS.read_text("utf-8"))
MODELS = "tests.reading.live.models"


@pytest.fixture
def torch(monkeypatch):
    """The stand-in, where PyTorch would be."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
        monkeypatch.delitem(sys.modules, name)
    for name, module in stand_in.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    return sys.modules["torch"]


@pytest.fixture
def models(torch, monkeypatch):
    """The models, made of the stand-in's classes."""
    monkeypatch.delitem(sys.modules, MODELS, raising=False)
    yield importlib.import_module(MODELS)
    sys.modules.pop(MODELS, None)


@pytest.mark.every
@pytest.mark.parametrize("name", RECORDED)
def test_the_answers_are_those_of_pytorch(name, models):
    model, call, inputs = models.CASES[name]()
    recorded = RECORDED[name]
    stand_in.load(model.tensors(), recorded["state"])
    reading = av.from_torch(call, *inputs)
    answers = reading.answers()
    assert {*answers} == {*recorded["gradients"]}
    for key, expected in recorded["gradients"].items():
        if expected is None:
            assert answers[key] is None, key
        else:
            np.testing.assert_allclose(answers[key], expected, rtol=2e-5, atol=2e-6, err_msg=key)
    if "output" in reading.values():
        np.testing.assert_allclose(reading.values()["output"].sum(), recorded["value"], rtol=1e-5)


def test_each_node_has_the_file_and_the_line_that_it_comes_from(models):
    _, call, inputs = models.mlp()
    reading = av.from_torch(call, *inputs)
    source = Path(models.__file__).read_text("utf-8").splitlines()
    (node,) = [node.name for node in reading.graph.nodes if node.op == "gelu"]
    assert reading.files[node][0].endswith("tests/reading/live/models.py")
    assert "self.act(self.fc1(x))" in source[reading.lines[node][0] - 1]


def test_what_exporters_drop_stays_in_the_graph(models):
    _, call, inputs = models.checkpointed()
    assert len(av.from_torch(call, *inputs).graph.regions) == 2
    _, call, inputs = models.siamese()
    changes = [str(one) for one in av.from_torch(call, *inputs).changes]
    assert any("models.py, line" in one and "detach() became stop_gradient()" in one for one in changes)
    _, call, inputs = models.custom_function()
    rules = {node.rule.kind for node in av.from_torch(call, *inputs).graph.nodes}
    assert "pullback" in rules


def test_the_graph_opens_in_the_lab_and_is_written_as_files(models):
    _, call, inputs = models.checkpointed()
    reading = av.from_torch(call, *inputs)
    assert graph_of(reading, ()) == reading.graph
    assert av.from_json(av.to_json(reading.graph)) == reading.graph
    assert av.verify(av.trace(reading.graph)).agrees
    assert "checkpoint" in av.to_torch(reading.graph)


def test_what_is_unknown_since_then_is_refused_with_the_reason(torch):
    def f(x):
        print(x.unheard_of())  # which may change x
        return (x * 2.0).sum()

    with pytest.raises(av.GraphError) as caught:
        av.from_torch(f, torch.tensor([0.5], requires_grad=True))
    first, second = caught.value.problems
    assert "unheard_of" in first.message
    assert second.message == f"`x` is unknown: line {first.line} was not read."


def test_reading_a_model_changes_nothing_of_it(models):
    model, call, inputs = models.hooked()
    before = {name: one.numbers.copy() for name, one in model.tensors().items()}
    av.from_torch(call, *inputs)
    assert all(one.grad is None for one in model.tensors().values())
    assert all(np.array_equal(one.numbers, before[name]) for name, one in model.tensors().items())


# What is refused.


def refused(call, *inputs, **options):
    with pytest.raises(av.GraphError) as caught:
        av.from_torch(call, *inputs, **options)
    (problem,) = caught.value.problems
    return problem


def test_a_refusal_has_the_file_and_the_line_of_the_program(models):
    model, _, inputs = models.mlp()
    problem = refused(model, *inputs)
    assert problem.code == "not-scalar"
    assert "grad can be implicitly created only for scalar outputs" in problem.message
    assert "sum_output=True" in problem.hint
    assert problem.file.endswith("models.py")
    assert "self.fc2(self.act(self.fc1(x)))" in problem.caret
    assert str(problem).startswith(f"{problem.file}, line {problem.line}, column ")


def test_the_sum_is_taken_where_it_is_asked_for(models):
    model, _, inputs = models.mlp()
    stand_in.load(model.tensors(), RECORDED["mlp"]["state"])
    by_hand = av.from_torch(lambda x: model(x).sum(), *inputs).answers()
    answers = av.from_torch(model, *inputs, sum_output=True).answers()
    assert np.abs(by_hand["fc1.weight"]).max() > 0
    np.testing.assert_allclose(answers["fc1.weight"], by_hand["fc1.weight"], rtol=1e-6)


def test_dropout_that_draws_is_refused_and_told(models):
    model, call, inputs = models.inherited()
    model.train()
    problem = refused(call, *inputs)
    assert (problem.code, problem.hint) == ("drawn", "Call eval(), or write the mask.")


def test_a_large_parameter_is_refused_by_its_name(torch):
    layer = torch.nn.Linear(300, 300)
    problem = refused(torch.nn.Sequential(layer), stand_in.zeros(1, 300))
    assert problem.code == "too-large"
    assert "`model.0.weight` has 90,000 numbers" in problem.message
    assert "65,536" in problem.message
    assert "smaller model" in problem.hint


def test_a_setting_that_is_not_read_is_refused(torch):
    layer = torch.nn.Embedding(3, 2)
    layer.max_norm = 1.0
    problem = refused(lambda x: layer(x).sum(), torch.tensor([0, 1]))
    assert "nn.Embedding is read with max_norm=None, and this one has 1.0" in problem.message


def test_two_lambdas_in_a_line_are_told_apart(torch):
    both = (lambda x: x.exp().sum(), lambda x: x.cos().sum())
    x = torch.tensor([0.5], requires_grad=True)
    slopes = [av.from_torch(one, x).answers()["x"][0] for one in both]
    np.testing.assert_allclose(slopes, [np.exp(0.5), -np.sin(0.5)], rtol=1e-6)


def test_lambdas_that_cannot_be_told_apart_are_refused(torch, tmp_path, monkeypatch):
    (tmp_path / "own_twins.py").write_text("twins = [lambda x: x.sum() for _ in 'ab']\n")
    monkeypatch.syspath_prepend(tmp_path)
    twins = importlib.import_module("own_twins").twins  # one lambda, twice: that is no question
    x = torch.tensor([0.5], requires_grad=True)
    assert av.from_torch(twins[1], x).answers()["x"] == [1.0]


MADE_OF_TEXT = "def f(x):\n    return x.sum()\n"


def test_a_function_without_source_is_refused(torch):
    names = {}
    exec(compile(MADE_OF_TEXT, "<stdin>", "exec"), names)
    problem = refused(names["f"], torch.tensor([0.5], requires_grad=True))
    assert problem.code == "no-source"
    assert "`f` has no source: it was typed at Python's prompt" in problem.message


def test_a_cell_of_a_notebook_has_its_source(torch):
    text = "def f(x):\n    return x.exp().unheard_of() if x.ndim else x.exp()\n"
    name, names = "/tmp/ipykernel_1/234.py", {"__name__": "__main__"}
    linecache.cache[name] = len(text), None, text.splitlines(True), name  # as IPython does
    exec(compile(text, name, "exec"), names)
    try:
        answers = av.from_torch(names["f"], torch.tensor(0.0, requires_grad=True)).answers()
        problem = refused(names["f"], torch.tensor([0.0], requires_grad=True))
    finally:
        del linecache.cache[name]
    assert answers["x"] == 1.0
    assert (problem.file, problem.line) == ("a cell of this notebook", 2)


EDITS = {
    "another number": ("0.25", "0.75"),
    "another function": (".exp()", ".cos()"),
    "a line before it": ("def f", "\n\ndef f"),
    "one more factor": ("x.exp()", "x * x.exp()"),
    "another option": ("'mean'", "'none'"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_file_that_was_edited_after_it_was_loaded_is_refused(edit, torch, tmp_path):
    text = "def f(x):\n    kind = 'mean'\n    return 0.25 * x.exp().sum()\n"
    file, names = tmp_path / "edited.py", {"__name__": "edited"}
    file.write_text(text)
    exec(compile(text, str(file), "exec"), names)
    x = torch.tensor([0.0], requires_grad=True)
    assert av.from_torch(names["f"], x).answers()["x"] == [0.25]
    file.write_text(text.replace(*EDITS[edit]))
    problem = refused(names["f"], x)
    assert problem.code == "no-source"
    assert "the file was changed after it was loaded" in problem.message


def test_what_python_warned_of_as_it_loaded_a_file_is_not_said_again(torch, tmp_path):
    text = "def other():\n    return 1 is 1, '\\d'\n\n\ndef f(x):\n    return 0.25 * x.exp().sum()\n"
    file, names = tmp_path / "warned.py", {"__name__": "warned"}
    file.write_text(text)
    with pytest.warns((SyntaxWarning, DeprecationWarning)) as said:
        exec(compile(text, str(file), "exec"), names)
    assert len(said) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert av.from_torch(names["f"], torch.tensor([0.0], requires_grad=True)).answers()["x"] == [0.25]


def test_a_function_with_rewritten_assertions_is_read_and_an_edit_of_it_refused(torch, tmp_path):
    text = "def f(x):\n    assert x.ndim == 1, 'a vector'\n    return 0.25 * x.exp().sum()\n"
    file, names, tree = tmp_path / "asserting.py", {"__name__": "asserting"}, ast.parse(text)
    file.write_text(text)
    rewrite_asserts(tree, text.encode())
    exec(compile(tree, str(file), "exec"), names)
    x = torch.tensor([0.0], requires_grad=True)
    assert any("@" in name for name in names["f"].__code__.co_varnames)
    assert av.from_torch(names["f"], x).answers()["x"] == [0.25]
    file.write_text(text.replace("0.25", "0.75"))
    assert refused(names["f"], x).code == "no-source"


def test_two_files_have_their_own_lines(torch, tmp_path, monkeypatch):
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text("import second\ndef f(x):\n    return second.g(x)\n")
    second.write_text("\n\n\ndef g(x):\n    return x.unheard_of()\n")
    module = type(sys)("second")
    exec(compile(second.read_text(), str(second), "exec"), vars(module))
    monkeypatch.setitem(sys.modules, "second", module)
    names = {"__name__": "first"}
    exec(compile(first.read_text(), str(first), "exec"), names)
    problem = refused(names["f"], torch.tensor([0.5], requires_grad=True))
    assert (problem.file, problem.line) == (str(second), 5)
    assert "unheard_of" in problem.message


class Odd:
    """An object whose class Python has not written down."""

    __slots__ = ("value",)


def test_an_object_that_is_not_read_may_be_kept_and_not_used(torch):
    model = torch.nn.Linear(2, 1)
    model.odd = Odd()

    def without(x):
        return model.weight.sum() + x.sum() if model.odd is not None else 0.0

    def using(x):
        return x.sum() * model.odd.value

    x = torch.tensor([0.5], requires_grad=True)
    assert av.from_torch(without, x).answers()["x"] == [1.0]
    problem = refused(using, x)
    assert "`odd` is an object of the class tests.reading.live.test_from_torch.Odd" in problem.message
    assert problem.line == using.__code__.co_firstlineno + 1


def test_a_hook_of_pytorchs_own_and_a_parametrization_are_refused(torch):
    norm = type("WeightNorm", (), {"__module__": "torch.nn.utils.weight_norm"})
    model = torch.nn.Linear(1, 1)
    model._forward_pre_hooks[0] = norm()
    x = torch.tensor([[0.5]])
    assert "torch.nn.utils.weight_norm.WeightNorm is not read" in refused(model, x).message
    model = torch.nn.Linear(1, 1)
    model._modules["parametrizations"] = torch.nn.ModuleDict({})
    assert "parametrization" in refused(model, x).message


def test_what_a_program_puts_in_the_place_of_a_function_of_pytorch_is_read(torch, monkeypatch):
    x = torch.tensor([0.5], requires_grad=True)
    monkeypatch.setattr(torch, "cos", lambda x: x * 3.0)
    assert av.from_torch(lambda x: torch.cos(x).sum(), x).answers()["x"] == [3.0]
    monkeypatch.setattr(torch.Tensor, "cos", lambda self: self * 4.0, raising=False)
    assert av.from_torch(lambda x: x.cos().sum(), x).answers()["x"] == [4.0]
    monkeypatch.setattr(torch.nn.Linear, "forward", lambda self, x: x)
    problem = refused(torch.nn.Linear(1, 1), torch.tensor([[0.5]]))
    assert "has replaced forward() of `torch.nn.Linear`" in problem.message


def test_a_file_of_the_program_may_be_called_like_a_library(torch, tmp_path, monkeypatch):
    text = "def relu(x):\n    return x * 5.0\n"
    for name in ("nn", "autograd"):  # names that the reader knows from JAX and HIPS autograd
        file, module = tmp_path / f"{name}.py", type(sys)(name)
        file.write_text(text)
        module.__file__ = str(file)
        exec(compile(text, str(file), "exec"), vars(module))
        monkeypatch.setitem(sys.modules, name, module)
        x = torch.tensor([0.5], requires_grad=True)
        assert av.from_torch(module.relu, x, sum_output=True).answers()["x"] == [5.0]


def test_a_name_of_a_class_and_of_its_object_is_refused(torch):
    class Twice(torch.nn.Module):
        part = None

    model = Twice()
    model._modules["part"] = torch.nn.Linear(1, 1)  # Python gives None for model.part
    assert "both in an object of Twice and in its class" in refused(model, torch.tensor([[0.5]])).message


PLAIN = {
    "a format": "return x.sum() * len('%s-%s' % (1, 2))",
    "numbers that Python joins": "return x.sum() * (2 * 3 - 1)",
    "a class": "class Local:\n        rate = 5.0\n    return x.sum() * Local.rate",
    "a nested function": "def g(y, *, k: int = 5) -> float:\n        return y * k\n    return g(x.sum())",
    "a comprehension": "return sum([x.sum() for _ in range(5)])",
    "what never runs": "if False:\n        x = unheard_of(x)\n    return x.sum() * 5.0",
}


@pytest.mark.parametrize("words", PLAIN)
def test_what_python_compiles_otherwise_than_it_is_written_is_known(words, torch, tmp_path):
    text = f"def f(x):\n    {PLAIN[words]}\n"
    file, names = tmp_path / "plain.py", {"__name__": "plain"}
    file.write_text(text)
    exec(compile(text, str(file), "exec"), names)
    x = torch.tensor([0.5], requires_grad=True)
    scale = 3.0 if words == "a format" else 5.0
    try:
        assert av.from_torch(names["f"], x).answers()["x"] == [scale]
    except av.GraphError as error:
        assert error.problems[0].code != "no-source"  # noqa: PT017
        assert words == "a format"  # whose text is not read


def test_a_forward_of_one_object_alone_is_refused(torch):
    model = torch.nn.Linear(1, 1)
    model.forward = lambda x: x
    assert "forward() of its own" in refused(model, torch.tensor([[0.5]])).message


def test_a_tensor_that_was_computed_before_is_refused(torch):
    x = torch.tensor([0.5], requires_grad=True)
    x.grad_fn = object()
    assert refused(lambda x: x.sum(), x).code == "not-leaf"


def test_a_change_of_memory_that_two_tensors_share_is_refused(torch):
    whole = torch.tensor([1.0, 2.0, 3.0])
    part = whole._with(whole.numbers[:2])
    weight = torch.tensor([0.5], requires_grad=True)

    def f(whole, part, weight):
        part.mul_(2.0)
        return (whole * weight).sum()

    assert refused(f, whole, part, weight).code == "shared-memory"
    assert av.from_torch(lambda whole, part, weight: (whole.sum() + part.sum()) * weight, whole, part, weight)


def test_infinities_of_a_mask_are_read(torch):
    mask = torch.tensor([0.0, -np.inf])
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    answers = av.from_torch(lambda mask, x: (mask + x).exp().sum(), mask, x).answers()
    np.testing.assert_allclose(
        answers["x"], [np.e, 0.0], rtol=1e-6
    )  # by hand: exp(x) where it is let through


def test_a_model_that_was_not_made_is_refused(models):
    assert refused(models.MLP, 1.0).message.endswith("found a class.")
    assert refused("model", 1.0).message.endswith("found a str.")


def test_a_named_tuple_has_its_names(torch, tmp_path):
    text = (
        "from typing import NamedTuple\nclass Out(NamedTuple):\n    loss: float\n    logits: float\n"
        "def f(x):\n    return Out((x * x).sum(), x)\ndef g(x):\n    return f(x).loss\n"
    )
    file, names = tmp_path / "named.py", {"__name__": "named"}
    file.write_text(text)
    exec(compile(text, str(file), "exec"), names)
    x = torch.tensor([0.5], requires_grad=True)
    assert av.from_torch(names["g"], x).answers()["x"] == [1.0]
    assert "returns an Out of 2" in refused(names["f"], x).message


def test_draws_of_the_call_are_told_with_their_place(torch):
    torch.randn = stand_in.stands_in("torch.randn")
    reading = av.from_torch(
        lambda x: (x * torch.randn(2)).sum(), torch.tensor([0.5, 1.0], requires_grad=True)
    )
    with pytest.raises(av.GraphError, match=r"depends on what torch\.randn") as caught:
        reading.answers()
    (problem,) = caught.value.problems
    assert problem.hint == "Draw them before the call, and give them to it."
    assert problem.file.endswith("test_from_torch.py")


def test_two_of_one_name_keep_their_names_apart(models):
    a, b = models.MLP(), models.MLP()
    for one in (a, b):
        stand_in.load(one.tensors(), RECORDED["mlp"]["state"])
    x = stand_in.Tensor([[0.5, 0.25, 0.125]])
    answers = av.from_torch(lambda x: (a(x) * b(x)).sum(), x).answers()
    assert {"a.fc1.weight", "b.fc1.weight"} <= {*answers}
    np.testing.assert_allclose(answers["a.fc1.weight"], answers["b.fc1.weight"], rtol=1e-6)


# The comparison with PyTorch's run.


def test_a_comparison_tells_roundings_from_errors():
    right = np.array([1.0, -2.0])
    wrong = {"sign": -right, "half": right / 2, "NaN": right * np.nan, "shape": right[:1], "none": None}
    gradients = {name: (right, one, "float32") for name, one in wrong.items()}
    gradients["roundings"] = (right, right * (1 + 2.0**-22), "float32")
    gradients["no gradient"] = (None, None, "float32")
    check = check_of("2.13", (3.0, 3.0), gradients, "float32")
    assert {one.name for one in check.compared if one.agrees} == {"value", "roundings", "no gradient"}
    assert str(check).startswith("Beside PyTorch 2.13, 8 arrays: sign, half, NaN, shape and none differ.")
    assert "sign[2]: DIFFERS, by 4 of at most 0.00026" in str(check)
    assert "no gradient: no gradient, in both" in str(check)


def test_double_precision_is_compared_more_closely():
    gradients = {kind: (1.0, 1.0 + 1e-6, kind) for kind in ("float32", "float64")}
    check = check_of("2.13", (1.0, 1.0), gradients, "float64")
    assert [one.name for one in check.compared if not one.agrees] == ["float64"]


def test_the_example_of_the_documents_is_true(torch, tmp_path):
    section = (ROOT / "docs" / "python.md").read_text("utf-8").partition("## A model of PyTorch")[2]
    block = re.search(r"```py\n(.*?)```", section, re.DOTALL)[1]
    file, names = tmp_path / "example.py", {"__name__": "example"}
    file.write_text(block, "utf-8")
    exec(compile(block, str(file), "exec"), names)
    for line, claim in claimed(block).items():
        expression = block.splitlines()[line - 1].partition("#")[0]
        assert np.array_equal(eval(expression, names), eval(claim)), expression
    assert len(claimed(block)) == 3

"""Test that each check of the tests refuses what it must: a forged trace, a wrong rule, a hidden wire.

Others have such tests beside them: the verification of the page (`engine/test_verify.py`),
claims (`lessons/test_lessons.py`), axe (`browser/page/test_axe.py`), types (`web/test_typecheck.py`),
assertions (`test_asserting.py`), the README (`test_readme.py`), LaTeX (`ops/test_latex.py`).
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.canvas.delta import delta
from autodiff_viz.canvas.layout.sugiyama import Layout
from autodiff_viz.engine.trace import trace
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS
from tests import accepted, test_architecture
from tests.canvas.layout.test_sugiyama import crossed_nodes, leftward, overlaps
from tests.canvas.test_delta import applied
from tests.engine.references import hips, test_against_autograd, test_against_tape
from tests.engine.references.executions import executions
from tests.engine.test_verify import bent, forged
from tests.export.programs import assert_same, run_alone, run_here
from tests.lab.canvas_steps import after
from tests.ops import test_catalog, test_latex, test_pullbacks, test_values
from tests.ops.samples import name_of, sample
from tests.work import lines_run, programs_compiled

RULED = "x = 0.7\ny = 1.3\na = rewrite(sin(x), lambda v: 2.0 * v) * y\nz = a + stop_gradient(exp(a))"
EXAMPLE = ((3,),), {}  # shapes and parameters of an example of an op
FIELDS = ("value", "cotangent", "passed", "gradient")
WRONG_RULES = [
    ("2.0 * v", "2.001 * v"),
    ("stop_gradient(exp(a))", "exp(a)"),
    ("lambda v: 2.0 * v", "lambda v: v"),
]


# A trace


def as_the_tape(found) -> None:
    test_against_tape.assert_matches(found, parse(RULED), 1.0)


def as_autograd(found) -> None:
    exact = hips.record(parse(RULED), found.inputs, found.seed)
    test_against_autograd.assert_same(found, exact)


@pytest.mark.parametrize("check", [as_the_tape, as_autograd])
def test_one_wrong_number_of_a_trace_is_refused_wherever_it_is(check):
    found = trace(parse(RULED), dtype="float64")
    check(found)
    for kind in FIELDS:
        for key, array in getattr(found, kind).items():
            for numbers in bent(array).values():
                if not np.array_equal(numbers, array):
                    with pytest.raises(AssertionError):
                        check(forged(found, kind, key, numbers))


@pytest.mark.parametrize("check", [as_the_tape, as_autograd])
@pytest.mark.parametrize(("rule", "other"), WRONG_RULES)
def test_a_trace_with_another_rule_is_refused(check, rule, other):
    with pytest.raises(AssertionError):
        check(trace(parse(RULED.replace(rule, other)), dtype="float64"))


@pytest.mark.parametrize(("rule", "other"), WRONG_RULES)
def test_an_exported_program_with_another_rule_is_refused(rule, other):
    found = run_here(to_python(parse(RULED)))
    assert_same(parse(RULED), found)
    with pytest.raises(AssertionError):
        assert_same(parse(RULED.replace(rule, other)), found)


def test_an_exported_program_of_another_precision_or_shape_is_refused():
    value, gradients, printed = run_here(to_python(parse(RULED)))
    for other in (np.float64(value), np.reshape(value, (1,))):
        with pytest.raises(AssertionError):
            assert_same(parse(RULED), (other, gradients, printed))


def test_a_program_that_needs_the_lab_is_refused(tmp_path):
    with pytest.raises(AssertionError, match="autodiff_viz"):
        run_alone(["import autodiff_viz"], tmp_path)


def test_runs_that_are_counted_are_not_those_of_a_graph_without_the_region(monkeypatch):
    text = "x = 0.5\n{}s = exp(x)\n{}t = exp(s)\nz = t * t"
    plain = executions(parse(text.format("", "")), monkeypatch)
    within = executions(parse(text.format('with checkpoint("r"):\n    ', "    ")), monkeypatch)
    assert plain["s"] == 1
    assert within["s"] == 2


# An op


def nearly(x):
    """x, with a derivative of 1.001."""
    return 1.001 * x - jax.lax.stop_gradient(0.001 * x)


def test_an_op_with_a_wrong_value_is_refused():
    wrong = replace(OPS["sin"], apply=lambda x: jnp.sin(x) * 1.0001)
    value = wrong.apply(*sample(wrong, EXAMPLE[0], np.float32))
    values = np.float32, {name_of(wrong, *EXAMPLE): value}
    with pytest.raises(AssertionError):
        test_values.test_value_is_that_of_numpy(wrong, *EXAMPLE, values)


@pytest.mark.usefixtures("x64_of_ops")
@pytest.mark.parametrize(
    "wrong", [jax.lax.stop_gradient, lambda x: 1.001 * x - jax.lax.stop_gradient(0.001 * x)]
)
def test_an_op_with_a_wrong_derivative_is_refused(wrong):
    op = replace(OPS["sin"], apply=lambda x: jnp.sin(wrong(x)))
    shapes, params = EXAMPLE
    sweeps = {name_of(op, *EXAMPLE): test_pullbacks.swept(op, params, sample(op, shapes))}
    with pytest.raises(AssertionError):
        test_pullbacks.test_passed_cotangents_are_those_of_central_differences(op, *EXAMPLE, sweeps)


@pytest.fixture
def x64_of_ops():
    with jax.enable_x64(True):
        yield


def test_an_op_with_a_wrong_formula_is_refused():
    wrong = replace(OPS["sin"], latex=r"\cos(<x>)", derivative=(r"-\cos(<x>)",))
    with pytest.raises(AssertionError):
        test_latex.test_formula_of_an_elementwise_op_gives_its_value(wrong, ((3,),), {})
    with pytest.raises(AssertionError):
        test_latex.test_derivative_on_show_is_that_of_central_differences(wrong)


CLAIMS = [
    (test_catalog.test_name_can_be_written_in_a_formula, {"name": "lambda"}),
    (test_catalog.test_words_are_there, {"doc": "No full stop"}),
    (test_catalog.test_slots_have_a_domain_a_derivative_and_a_formula, {"domain": ((1.0, 1.0),)}),
    (test_catalog.test_slots_and_parameters_have_distinct_names, {"slots": ("y",)}),
    (test_catalog.test_examples_fit_the_slots_and_one_has_no_parameters, {"examples": ((((), ()), {}),)}),
    (test_catalog.test_brackets_in_latex_are_balanced, {"latex": r"\sin(<x>"}),
    (test_catalog.test_placeholders_in_latex_are_slots_or_parameters, {"latex": r"\sin(<w>)"}),
    (test_catalog.test_formula_of_the_op_shows_every_slot, {"latex": r"\sin(1)"}),
    (test_catalog.test_source_is_an_expression_of_every_slot_and_parameter, {"source": "jnp.sin(x + x)"}),
]


@pytest.mark.parametrize(("claim", "wrong"), CLAIMS, ids=lambda case: getattr(case, "__name__", ""))
def test_an_incomplete_record_is_refused_by_name(monkeypatch, claim, wrong):
    monkeypatch.setattr(test_catalog, "OPS", {"sin": OPS["sin"]})
    claim()
    monkeypatch.setattr(test_catalog, "OPS", {"sin": replace(OPS["sin"], **wrong)})
    with pytest.raises(AssertionError, match=wrong.get("name", "sin")):
        claim()


# A drawing

CHAIN = Graph((Node("a", "input"), Node("b", "sin", ("a",)), Node("c", "sin", ("a",))), (), "c")
GOOD = Layout({"a": (0.0, 0.0), "b": (200.0, 0.0), "c": (200.0, 200.0)}, {})


def test_a_layout_with_nodes_on_each_other_a_wire_to_the_left_or_one_under_a_node_is_refused():
    def moved(name: str, x: float, y: float) -> Layout:
        return replace_positions(GOOD, {name: (x, y)})

    assert (overlaps(CHAIN, GOOD), leftward(CHAIN, GOOD), crossed_nodes(CHAIN, GOOD)) == ([], [], set())
    assert overlaps(CHAIN, moved("c", 210.0, 10.0)) == [("b", "c")]
    assert leftward(CHAIN, moved("c", -300.0, 0.0)) == [("a", "c")]
    assert crossed_nodes(CHAIN, moved("c", 400.0, 0.0)) == {("c", 0, "b")}


def replace_positions(found: Layout, positions: dict[str, tuple[float, float]]) -> Layout:
    return Layout({**found.positions, **positions}, found.bends)


BEFORE = {"nodes": [{"id": "x", "value": "1"}, {"id": "y", "value": "2"}], "selected": "x"}
AFTER = {"nodes": [{"id": "y", "value": "3"}, {"id": "x", "value": "1"}], "selected": "y"}
DAMAGED = [
    {},
    {"selected": "y"},
    {**delta(BEFORE, AFTER), "selected": "x"},
    {**delta(BEFORE, AFTER), "nodes": {"set": {"y": {"value": "3"}}}},  # without the order
]


def test_a_damaged_delta_is_refused_by_both_readings(tmp_path):
    script = Path(__file__).parent / "web" / "apply_deltas.mjs"
    for patch in (delta(BEFORE, AFTER), *DAMAGED):
        (tmp_path / "pairs.json").write_text(json.dumps([{"before": BEFORE, "patch": patch, "after": AFTER}]))
        done = subprocess.run(["node", script, tmp_path / "pairs.json"], capture_output=True, check=False)
        fits = patch not in DAMAGED
        assert ((applied(BEFORE, patch) == AFTER), done.returncode == 0) == (fits, fits)


# What helpers hold


@pytest.mark.parametrize(("one", "other"), [("0.0", "-0.0"), ("sin(x)", "cos(x)"), ("cut(sin(x))", "sin(x)")])
def test_graphs_that_are_nearly_the_same_are_told_apart(one, other):
    graphs = [parse(f"x = 1.0\ny = {text}") for text in (one, other)]
    assert accepted.exactly(graphs[0]) != accepted.exactly(graphs[1])


def test_a_document_that_loses_something_is_refused(monkeypatch):
    graph = parse("x = 1.0\ny = cut(sin(x))")
    accepted.holds_of_text(graph)
    monkeypatch.setattr(accepted, "show", lambda found: "x = 1.0\ny = sin(x)")
    with pytest.raises(AssertionError):
        accepted.holds_of_text(graph)


def test_a_step_on_the_canvas_that_is_refused_is_no_step():
    with pytest.raises(AssertionError):
        after({"kind": "connect", "from": "z", "to": "a", "slot": 0})  # a loop


def test_work_is_counted():
    def lines(count: int) -> None:
        for _ in range(count):
            pass

    assert lines_run(lambda: lines(1000)) > 1000 > lines_run(lambda: lines(10))
    new = jax.jit(lambda x: x * 1.2345)
    assert programs_compiled(lambda: new(jnp.float32(1.0))) >= 1
    assert programs_compiled(lambda: new(jnp.float32(2.0))) == 0


# The source

CLEAN = (
    ("lab/good.py", '"""Good."""\n'),
    ("lab/edits/good.py", '"""Good."""\nimport autodiff_viz.lab.inspector.good\n'),
    ("web/good.js", "// @ts-check\nexport {};\n"),
)
SOURCES = {
    "test_the_graph_needs_nothing_but_the_standard_library": [("graph/bad.py", "import numpy")],
    "test_a_folder_imports_only_from_the_folders_before_it": [("graph/bad.py", "import autodiff_viz.ui.app")],
    "test_the_folders_within_a_folder_do_not_import_each_other_in_a_circle": [
        ("lab/inspector/bad.py", "import autodiff_viz.lab.edits.good"),
    ],
    "test_the_files_do_not_import_each_other_in_a_circle": [
        ("lab/inspector/good.py", "import autodiff_viz.lab.edits.good"),
    ],
    "test_plotly_is_imported_only_by_files_that_draw": [("explain/zero/compute.py", "import plotly")],
    "test_a_library_is_imported_only_where_it_belongs": [("lab/bad.py", "import jax")],
    "test_imports_are_absolute": [("lab/bad.py", "from . import lab")],
    "test_no_import_hides_inside_a_function": [("lab/bad.py", "def f():\n    import json")],
    "test_nothing_that_a_visitor_sends_can_be_run": [
        ("lab/bad.py", 'eval("1")'),
        ("lab/bad.py", "import pickle"),
    ],
    "test_whatever_is_remembered_is_keyed_by_its_identity": [
        ("lab/bad.py", "hash(1.0)"),
        ("lab/bad.py", "lru_cache"),
    ],
    "test_scripts_on_the_page_are_the_projects_own": [("ui/bad.py", 'st.html("<script>")')],
    "test_no_markdown_on_the_page_may_hold_html": [("ui/bad.py", "unsafe_allow_html = True")],
    "test_every_module_says_what_it_is_for": [("ui/bad.py", None)],
    "test_files_are_named_by_what_is_in_them": [("ui/utils.py", "")],
    "test_the_package_has_only_the_folders_of_the_list": [("extra/bad.py", "")],
    "test_the_browser_code_makes_no_html_of_text_and_runs_no_text": [
        ("web/bad.js", "a.innerHTML = b"),
        ("web/bad.js", "eval(a)"),
    ],
    "test_the_browser_code_is_checked_against_its_types": [
        ("web/bad.js", "// @ts-ignore"),
        ("web/bad.js", None),
    ],
}
"""By claim, files that break it: what follows on their first line, which None leaves out."""


def sources(monkeypatch, root: Path, files) -> None:
    """Have the claims be about these files alone."""
    paths = [root / "autodiff_viz" / file for file, _ in files]
    for path, (_, text) in zip(paths, files, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(test_architecture, "ROOT", root)
    for kind in ("BENCHMARKS", "TESTS", "STYLES"):
        monkeypatch.setattr(test_architecture, kind, ())
    for kind, ends in (("APP", ".py"), ("SCRIPTS", ".js")):
        monkeypatch.setattr(test_architecture, kind, tuple(path for path in paths if path.suffix == ends))


@pytest.mark.parametrize(
    ("claim", "file", "text"), [(c, *one) for c, all_ in SOURCES.items() for one in all_]
)
def test_source_that_breaks_a_rule_is_refused(tmp_path, monkeypatch, claim, file, text):
    first = {".py": '"""Bad."""', ".js": "// @ts-check"}[Path(file).suffix]
    sources(monkeypatch, tmp_path / "clean", CLEAN)
    getattr(test_architecture, claim)()
    broken = "x = 1\n" if text is None else f"{first}\n{text}\n"
    sources(monkeypatch, tmp_path / "broken", [*CLEAN, (file, broken)])
    with pytest.raises(AssertionError):
        getattr(test_architecture, claim)()

"""Test that what is compiled ahead is what the first graphs and their checks need."""

from autodiff_viz.engine.finite_differences import check_inputs
from autodiff_viz.engine.live_path.kernels import kernel
from autodiff_viz.engine.trace import trace
from autodiff_viz.lab import rehearsal
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS

TEXT = """
x = 0.5
y = 0.25
w = 2.0
a = sin(x) * y
b = a * a + sin(w * w)
z = b * sin(y) + a
"""


def test_a_graph_of_ops_that_were_compiled_needs_no_other_kernel_nor_do_its_differences(monkeypatch):
    monkeypatch.setattr(rehearsal, "OPS", {name: OPS[name] for name in ("sin", "mul", "add")})
    monkeypatch.setattr(rehearsal, "SWEPT", ("sin", "mul", "add"))
    kernel.forget()
    assert rehearsal.warm() > 0
    graph, before = parse(TEXT), kernel.misses()
    found = trace(graph)
    check_inputs(found)
    assert kernel.misses() == before

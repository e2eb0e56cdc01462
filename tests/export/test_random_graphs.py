"""Test that exported programs give the lab's numbers, on random graphs with every rule and nested regions."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.graph.model import params
from tests.engine.references.scalar_graphs import NUMBERS, ruled_regions, scalar_graphs
from tests.export.programs import check
from tests.strategies import Spec, graphs

SHAPES = st.sampled_from([params(shape=(2, 3)), params(shape=(3,))])
REDUCED = st.sampled_from([(), params(axis=0), params(axis=-1, keepdims=True)])
TENSOR_OPS = (
    *(Spec(name) for name in ("identity", "sin", "tanh", "sigmoid", "neg", "ones_like")),
    *(Spec(name, 2) for name in ("add", "mul", "sub", "maximum", "greater", "dot")),
    Spec("where", 3),
    Spec("clip", 3),
    *(Spec(name, 1, REDUCED) for name in ("sum", "mean", "max", "logsumexp")),
    Spec("softmax", 1, st.sampled_from([(), params(axis=0)])),
    Spec("transpose"),
    *(Spec(name, 1, REDUCED) for name in ("min", "prod", "argmax")),
    Spec("sort", 1, st.sampled_from([(), params(axis=0), params(descending=True)])),
    Spec("argsort", 1, st.sampled_from([(), params(axis=0), params(descending=True)])),
    Spec("take", 2, st.sampled_from([(), params(axis=0), params(axis=-1)])),
    Spec("take_along_axis", 2, st.sampled_from([(), params(axis=0)])),
    Spec("at_add", 3, st.sampled_from([(), params(axis=1)])),
    Spec("at_set", 2, st.sampled_from([params(index=(0,)), params(index=("...", (None, 2, None)))])),
    Spec("broadcast_to", 1, SHAPES),
    Spec("stack", None, st.sampled_from([(), params(axis=-1)])),
    Spec("getitem", 1, st.sampled_from([params(index=(0,)), params(index=("...", (None, 2, None)))])),
    Spec("uniform", 0, st.sampled_from([(), params(shape=(3,), seed=1, low=0.5)])),
)
TENSORS = st.one_of(
    NUMBERS, st.tuples(NUMBERS, NUMBERS, NUMBERS), st.just(((0.5, -1.0, 2.0), (1.5, 0.25, -0.75)))
)


@settings(max_examples=60)
@given(graph=scalar_graphs(), seed=st.one_of(st.none(), NUMBERS))
def test_scalar_graphs_agree(graph, seed):
    check(graph, seed)


@settings(max_examples=15)
@given(graph=scalar_graphs())
def test_scalar_graphs_agree_in_float64(graph):
    check(graph, dtype="float64")


@settings(max_examples=150)
@given(graph=ruled_regions())
def test_rules_agree_in_regions_whatever_stands_beside_them(graph):
    check(graph)


@settings(max_examples=60)
@given(graph=graphs(TENSOR_OPS, min_nodes=2, literals=TENSORS, empty=False, positions=False))
def test_tensor_graphs_agree(graph):
    assume(not diagnose(graph))
    check(graph)

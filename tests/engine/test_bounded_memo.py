"""Test that all share compiled programs, and that one visitor's graph cannot evict what the others use."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import sleep

import pytest

from autodiff_viz.engine import memo
from autodiff_viz.engine.live_path import kernels
from autodiff_viz.engine.live_path.check import diagnose, runnable
from autodiff_viz.engine.live_path.kernels import kernel
from autodiff_viz.engine.memo import Evaluation, asked_by, shared, within
from autodiff_viz.engine.trace import trace, trace_part
from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import EVERYTHING, Remembered
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.work import programs_compiled

MOST, TRIAL = 6, 2


@pytest.fixture
def made():
    """What was made, in order, by a memory of `MOST` things, `TRIAL` of them on trial."""
    found = []

    @shared(MOST, TRIAL, lambda thing: thing, lambda thing: KeyError(thing))
    def thing(name: str) -> str:
        found.append(name)
        return name.upper()

    yield found, thing
    EVERYTHING.remove(thing)


def ask(thing, names: str) -> None:
    """As one evaluation."""
    with within(Evaluation()):
        for name in names:
            assert thing(name) == name.upper()


def test_what_was_there_first_stays_however_many_new_things_come(made):
    found, thing = made
    for names in ("ab", "cd", "ef", "gh", "ij", "kl"):
        ask(thing, names)
    found.clear()
    ask(thing, "ab")
    ask(thing, "cd")
    assert found == []
    assert thing.kept() == MOST


def test_the_last_evaluation_finds_its_own_again(made):
    found, thing = made
    for names in ("ab", "cd", "ef", "gh"):
        ask(thing, names)
    found.clear()
    ask(thing, "gh")
    assert found == []


def test_what_is_asked_for_again_stays_in_place_of_what_nobody_has_used_the_longest(made):
    found, thing = made
    for names in ("ab", "cd", "ef", "ef", "cd", "gh", "ij"):
        ask(thing, names)
    found.clear()
    ask(thing, "ef")
    ask(thing, "cd")
    assert found == []
    ask(thing, "ab")
    assert found == ["a", "b"]


def test_one_visitor_who_asks_again_and_again_pushes_out_what_one_may(made):
    """Of the four that stay one is a quarter: more than that stay only when others request them too."""
    found, thing = made
    ask(thing, "ab")
    ask(thing, "cd")
    with asked_by("anna"):
        for names in ("ef", "ef", "gh", "gh", "ij", "ij"):
            ask(thing, names)
    found.clear()
    ask(thing, "cd")
    ask(thing, "b")
    assert found == []


def test_what_two_visitors_ask_for_stays(made):
    found, thing = made
    for names in ("ab", "cd"):
        ask(thing, names)
    for visitor in ("anna", "bert"):
        with asked_by(visitor):
            ask(thing, "ef")
    with asked_by("anna"):
        for names in ("gh", "ij"):
            ask(thing, names)
    found.clear()
    ask(thing, "ef")
    assert found == []


def test_twice_in_one_evaluation_is_once(made):
    found, thing = made
    for names in ("ab", "cd", "efefef", "gh", "ij"):
        ask(thing, names)
    found.clear()
    ask(thing, "ef")
    assert found == ["e", "f"]


def test_one_evaluation_may_ask_for_no_more_than_it_can_keep(made):
    found, thing = made
    with pytest.raises(KeyError, match="c"):
        ask(thing, "abac")
    assert found == ["a", "b"]


def shaped(count: int) -> str:
    """A sine of each of so many shapes, all added up."""
    lines = [f"a{i} = input(shape=({i + 2},), seed={i})\ns{i} = sin(a{i})" for i in range(count)]
    return "\n".join([*lines, "z = sum(s0)"])


@pytest.fixture
def few(monkeypatch):
    """At most four programs in one graph."""
    monkeypatch.setattr(limits, "KERNELS", 4)


def test_a_graph_of_too_many_programs_says_at_which_nodes_it_is_too_much(few):
    found = diagnose(parse(shaped(7)))
    assert [(one.code, one.node) for one in found] == [
        ("too-many-programs", name) for name in ("s4", "s5", "s6", "z")
    ]
    assert "4 different programs" in found[0].message


def test_what_is_left_of_it_has_its_values(few):
    graph = parse(shaped(7))
    part = trace_part(runnable(graph, diagnose(graph)))
    assert {"s0", "s1", "s2", "s3"} <= set(part.value)
    assert "s4" not in part.value


def test_a_pass_asks_for_no_more_either():
    graph = parse(shaped(limits.KERNELS + 3))
    before = kernel.misses()
    with pytest.raises(GraphError) as caught:
        trace(graph)
    assert next(one.node for one in caught.value.problems) == f"s{limits.KERNELS}"
    assert kernel.misses() - before <= limits.KERNELS


def test_to_look_for_mistakes_makes_no_kernel_and_draws_nothing():
    graph = parse(shaped(9).replace("sin", "expm1") + "\nn = normal(shape=(77,), seed=3)")
    before = kernel.misses()
    assert programs_compiled(lambda: diagnose(graph)) == 0
    assert kernel.misses() == before


@pytest.mark.nightly
def test_a_large_graph_takes_no_kernel_of_the_others_away():
    first = parse("x = 0.5\ny = sin(x) * x")
    for _ in range(2):  # in use, so that it is not on trial
        trace(first)
    large = shaped(limits.KERNELS + 3)
    for k in range(kernels.KEPT // limits.KERNELS):  # with those of `first` more than are kept
        with pytest.raises(GraphError):
            trace(parse(large.replace("input(shape=(", f"input(shape=({k + 2}, ") if k else large))
    before = kernel.misses()
    trace(first)
    assert kernel.misses() == before
    assert kernel.kept() <= kernels.KEPT


def waiting(number: int, failing: int = 0) -> tuple[Remembered[str], list[str]]:
    """Return a memoised function, and its calls; the first one ends when the others have come.

    The first `failing` calls raise an exception.
    """
    calls, come = [], Barrier(number)

    @shared(4, 2, str, lambda *_: GraphError(()))
    def thing(name: str) -> str:
        calls.append(name)
        if len(calls) == 1:
            come.wait(60)
        if len(calls) <= failing:
            raise ValueError(name)
        return name.upper()

    EVERYTHING.remove(thing)
    thing.come = come
    return thing, calls


def test_what_several_threads_ask_for_at_once_is_computed_once():
    thing, calls = waiting(8)

    def ask() -> str:
        if calls:  # the first thread waits for the others inside
            thing.come.wait(60)
        return thing("a")

    with ThreadPoolExecutor(8) as threads:
        first = threads.submit(ask)
        while not calls:
            sleep(0.001)
        rest = [threads.submit(ask) for _ in range(7)]
        assert [each.result(60) for each in (first, *rest)] == ["A"] * 8
    assert calls == ["a"]
    assert thing.misses() == 1


def test_if_the_first_one_fails_the_others_compute_it_themselves():
    thing, calls = waiting(2, failing=1)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(thing, "a")
        while not calls:
            sleep(0.001)
        other = threads.submit(lambda: thing.come.wait(60) is None or thing("a"))
        with pytest.raises(ValueError, match="a"):
            first.result(60)
        assert other.result(60) == "A"
    assert thing("a") == "A"


def test_nobody_waits_for_one_who_takes_long(monkeypatch):
    monkeypatch.setattr(memo, "PATIENCE", 0.01)
    thing, calls = waiting(2)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(thing, "a")
        while not calls:
            sleep(0.001)
        assert thing("a") == "A"
        assert not first.done()
        thing.come.wait(60)
        assert first.result(60) == "A"
    assert calls == ["a", "a"]

"""Test what a worker may use of processor and memory: the kernel ends it, whatever it is doing."""

from collections.abc import Iterator

import pytest

from autodiff_viz.workers.bounds import computing_apart
from autodiff_viz.workers.jobs import BROKEN, Answer
from autodiff_viz.workers.pool import Pool
from tests.workers import errands
from tests.workers.test_pool import done, job


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    found = Pool(("json",))
    yield found
    found.end()


def test_one_call_in_c_is_ended_and_the_next_job_is_done(pool):
    assert done(pool, job(errands.compare_for_ever)) == Answer(why=BROKEN)
    assert done(pool, job(errands.product, 6.0, 7.0)) == Answer(42.0)


def test_memory_beyond_the_bound_is_not_given(pool):
    assert done(pool, job(errands.filled, 30)).value == "30 MB"
    assert done(pool, job(errands.filled, 80)).value == "no"


def test_what_is_computed_has_a_bound_of_its_own(pool):
    assert done(pool, job(errands.filled_apart, 200)).value == ("no", "200 MB", "no")


@pytest.mark.parametrize(
    ("own", "apart", "ends"),
    [(0.1, 0.3, False), (0.5, 0.1, True), (0.1, 0.9, True)],  # of 0.3 and 0.6 seconds
)
def test_processor_time_is_counted_by_both_bounds_over_all_parts(pool, own, apart, ends):
    answer = done(pool, job(errands.worked_apart, own, apart))
    assert answer == (Answer(why=BROKEN) if ends else Answer(own + apart))


def test_a_bound_ends_with_its_work(pool):
    assert done(pool, job(errands.worked_after, 0.5)).value == 0.5


def test_nothing_is_bounded_where_no_worker_does_it():
    with computing_apart():
        assert errands.filled(80) == "80 MB"

"""Test jobs in worker processes: answers by key, deadlines, breakdowns, the newest job of each asker."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from autodiff_viz.graph.identity import identity
from autodiff_viz.workers import fork_client, jobs
from autodiff_viz.workers import pool as pools
from autodiff_viz.workers import worker as workers
from autodiff_viz.workers.jobs import (
    BROKEN,
    DROPPED,
    LONG,
    NICE,
    STRANGE,
    TOO_LONG,
    Answer,
    Job,
    Report,
    report,
)
from autodiff_viz.workers.pool import Pool
from tests.workers import errands

PATIENCE = 60.0


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    found = Pool(("json",))
    yield found
    found.end()


def job(function, *arguments, seconds: float = PATIENCE) -> Job:
    return Job(identity((function.__name__, arguments, time.monotonic_ns())), function, arguments, seconds)


def done(pool: Pool, asked: Job, asker: object = "anna") -> Answer | None:
    pool.ask(asker, asked)
    return pool.answer(asked.key, PATIENCE)


def ends(process: int) -> bool:
    """Return whether a process is gone, or will be soon."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def begins(pool: Pool, asked: Job) -> bool:
    """Return whether a worker is at a job, or will be soon."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if any(worker.job is asked for worker in [*pool._workers]):
            return True
        time.sleep(0.02)
    return False


def behind(niceness: int) -> int:
    """The niceness of a process that gives way to this one so far; 19 is the largest that there is."""
    return min(19, os.nice(0) + niceness)


def test_a_job_is_answered_by_another_process(pool):
    assert done(pool, job(errands.product, 6.0, 7.0)) == Answer(42.0)
    assert done(pool, job(errands.process)).value != os.getpid()


def test_workers_give_way_to_the_server(pool):
    assert done(pool, job(errands.niceness)).value == behind(NICE)


def test_one_worker_serves_one_job_after_the_other(pool):
    assert done(pool, job(errands.process)) == done(pool, job(errands.process))


def test_a_job_that_takes_too_long_is_ended_and_the_next_one_is_answered(pool):
    before = done(pool, job(errands.process)).value
    assert done(pool, job(errands.without_end, seconds=0.2)) == Answer(why=TOO_LONG)
    after = done(pool, job(errands.process)).value
    assert after != before
    assert ends(before)


def test_a_job_that_does_nothing_is_ended_too(pool, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 1)
    assert done(pool, job(errands.asleep, seconds=0.5)) == Answer(why=TOO_LONG)


def test_a_worker_that_is_stopped_is_replaced_after_the_limit_of_its_job(pool):
    """Not only after the deadline, which is `workers.PATIENCE` times as long."""
    stopped = done(pool, job(errands.process)).value
    os.kill(stopped, signal.SIGSTOP)
    asked = job(errands.product, 2.0, 3.0, seconds=1.0)
    pool.ask("anna", asked)
    assert pool.answer(asked.key, 0.4 * workers.PATIENCE) == Answer(why=TOO_LONG)
    assert ends(stopped)
    assert done(pool, job(errands.product, 2.0, 4.0)) == Answer(8.0)


@pytest.mark.nightly
def test_so_is_one_that_is_stopped_before_it_has_read_a_large_message(pool, monkeypatch):
    monkeypatch.setattr(fork_client, "BLOCKED", 1)
    assert done(pool, job(errands.killed)) == Answer(why=BROKEN)  # the next one has that limit
    stopped = done(pool, job(errands.process)).value
    os.kill(stopped, signal.SIGSTOP)
    assert done(pool, job(errands.length, b"0" * 10_000_000)) == Answer(why=BROKEN)
    assert ends(stopped)
    assert done(pool, job(errands.length, b"0" * 10_000_000)) == Answer(10_000_000)


@pytest.mark.nightly
def test_a_template_that_is_stopped_is_replaced(monkeypatch):
    monkeypatch.setattr(fork_client, "BLOCKED", 1)
    own = Pool(("json",))
    try:
        assert done(own, job(errands.killed)) == Answer(why=BROKEN)  # so that the next job needs a fork
        template, _ = own._template._running
        os.kill(template.pid, signal.SIGSTOP)
        assert done(own, job(errands.product, 2.0, 3.0)) == Answer(6.0)
        assert own._template._running[0].pid != template.pid
    finally:
        own.end()


def test_a_mistake_is_told_and_ends_nothing(pool):
    before = done(pool, job(errands.process))
    assert done(pool, job(errands.mistaken)).why == f"{BROKEN}: ValueError: nothing fits"
    assert done(pool, job(errands.process)) == before


def test_a_worker_that_dies_is_replaced(pool):
    assert done(pool, job(errands.killed)) == Answer(why=BROKEN)
    assert done(pool, job(errands.product, 2.0, 3.0)) == Answer(6.0)


def test_of_what_waits_for_one_asker_only_the_newest_is_done(pool):
    busy = job(errands.slow, 0.5, 0)
    pool.ask("bert", busy)
    asked = [job(errands.slow, 0.0, i) for i in range(5)]
    for each in asked:
        pool.ask("anna", each)
    assert pool.answer(asked[-1].key, PATIENCE) == Answer(4)
    assert [pool.answer(each.key) for each in asked[:-1]] == [None] * 4


def test_who_acts_all_the_time_does_not_lose_the_place_in_the_queue(pool):
    pool.ask("bert", job(errands.slow, 0.5, 0))
    first, other, again = (job(errands.slow, 0.0, i) for i in range(3))
    pool.ask("anna", first)
    pool.ask("carl", other)
    pool.ask("anna", again)
    assert pool.answer(again.key, PATIENCE) == Answer(2)
    assert pool.answer(other.key, PATIENCE) == Answer(1)


def test_an_answer_serves_everybody_who_asks_for_the_same(pool):
    asked = job(errands.process)
    first = done(pool, asked)
    again = Job(asked.key, errands.mistaken, ())
    assert done(pool, again, "bert") == first


def test_a_job_can_be_cancelled(pool):
    running, waiting = job(errands.without_end), job(errands.product, 1.0, 1.0)
    pool.ask("bert", running)
    assert begins(pool, running)
    (process,) = [worker.process for worker in pool._workers if worker.job is running]
    pool.ask("anna", waiting)
    pool.cancel("anna")
    pool.cancel("bert")
    assert ends(process)
    assert pool.answer(running.key, 0.3) is None  # nobody is told that it took too long
    assert pool.answer(waiting.key, 0.3) is None
    assert done(pool, job(errands.product, 6.0, 7.0)) == Answer(42.0)
    assert pool._askers == {}


def test_a_job_that_another_one_waits_for_is_not_cancelled(pool):
    wanted = job(errands.slow, 0.5, 3)
    pool.ask("bert", wanted)
    assert begins(pool, wanted)
    pool.ask("anna", wanted)
    pool.cancel("bert")
    assert pool.answer(wanted.key, PATIENCE) == Answer(3)


@pytest.mark.nightly
def test_a_worker_without_work_ends(monkeypatch):
    monkeypatch.setattr(pools, "IDLE", 0.2)
    mine = Pool(("json",))
    process = done(mine, job(errands.process)).value
    assert ends(process)
    assert done(mine, job(errands.process)).value != process
    mine.end()


def test_a_pool_whose_template_was_killed_goes_on(pool):
    done(pool, job(errands.process))
    template, _ = pool._template._running
    template.kill()
    template.wait()
    assert done(pool, job(errands.killed)) == Answer(why=BROKEN)
    assert done(pool, job(errands.product, 2.0, 5.0)) == Answer(10.0)


def long(function, *arguments) -> Job:
    return replace(job(function, *arguments), lane=LONG)


def test_no_other_job_waits_for_a_long_one(pool):
    endless = long(errands.without_end)
    pool.ask("lesson", endless)
    assert begins(pool, endless)
    assert done(pool, job(errands.product, 3.0, 4.0)) == Answer(12.0)
    assert pool.answer(endless.key) is None
    (process,) = [worker.process for worker in pool._workers if worker.job is endless]
    pool.cancel("lesson")
    assert ends(process)


def test_the_process_of_a_long_job_ends_with_it(pool):
    process = done(pool, long(errands.process)).value
    assert ends(process)
    assert done(pool, long(errands.process)).value != process


def test_a_long_job_gives_way_as_far_as_it_says(pool):
    later, soon = (replace(long(errands.niceness), niceness=niceness) for niceness in (12, 5))
    assert [done(pool, each).value for each in (later, soon)] == [behind(12), behind(5)]


def test_of_long_jobs_one_runs_at_a_time_and_the_one_asked_for_last_comes_first(pool, tmp_path):
    busy = long(errands.slow, 0.5, 0)
    pool.ask("first", busy)
    assert begins(pool, busy)
    asked = {name: long(errands.note, str(tmp_path / "order"), name) for name in "abc"}
    for name in "abca":  # a once more: somebody looks at it
        pool.ask(name, asked[name])
    for each in (busy, *asked.values()):
        assert pool.answer(each.key, PATIENCE) is not None
    assert (tmp_path / "order").read_text() == "acb"


def test_who_asks_for_another_long_job_no_longer_waits_for_the_one_that_runs(pool):
    """As a visitor who opens another figure: no other visitor should wait for the first one."""
    left, next_one = long(errands.without_end), long(errands.product, 6.0, 7.0)
    pool.ask("anna", left)
    assert begins(pool, left)
    (process,) = [worker.process for worker in pool._workers if worker.job is left]
    assert done(pool, next_one) == Answer(42.0)
    assert ends(process)
    assert pool.answer(left.key) is None


def test_a_long_job_that_another_waits_for_goes_on_when_one_asks_for_the_next(pool):
    shared, next_one = long(errands.slow, 0.5, 3), long(errands.product, 6.0, 7.0)
    pool.ask("anna", shared)
    pool.ask("bert", shared)
    assert begins(pool, shared)
    assert done(pool, next_one) == Answer(42.0)
    assert pool.answer(shared.key) == Answer(3)


def test_a_running_job_reports_how_far_it_is(pool, tmp_path):
    asked = long(errands.reporting, str(tmp_path / "go"), 2_000)
    assert pool.report(asked.key) is None
    pool.ask("anna", asked)
    deadline = time.monotonic() + PATIENCE
    while (found := pool.report(asked.key)) != Report(2_000, 2_000, "steps") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert found.words == "2,000 of 2,000 steps"
    assert pool.answer(asked.key) is None  # a report is no answer
    (tmp_path / "go").touch()
    assert pool.answer(asked.key, PATIENCE) == Answer("done")
    assert pool.report(asked.key) is None
    assert pool.report(job(errands.process).key) is None


def test_few_of_many_reports_are_sent_and_none_where_no_worker_runs(monkeypatch):
    report(1, 2)  # in no worker: nothing happens
    sent, now = [], iter(range(1_000))
    monkeypatch.setattr(jobs, "monotonic", lambda: next(now) / 100)  # a hundred reports a second
    monkeypatch.setattr(jobs._Sender, "send", sent.append)
    monkeypatch.setattr(jobs._Sender, "last", -1.0)
    for done in range(100):
        report(done, 100)
    assert 5 <= len(sent) <= 11
    assert (sent[0].words, Report(300, 1_000, "draws").words) == ("0 %", "300 of 1,000 draws")


def test_workers_have_the_variables_that_are_given_for_them():
    mine = Pool(("json",), variables={"GREETING": "good morning"})
    assert done(mine, job(errands.greeting)) == Answer("good morning")
    mine.end()


@pytest.mark.nightly
def test_where_no_worker_can_be_started_the_answer_says_so_and_the_pool_goes_on(monkeypatch):
    mine = Pool(("no_such_module_of_ours",))
    asked = job(errands.product, 1.0, 1.0)
    assert done(mine, asked).why == BROKEN
    assert done(mine, job(errands.product, 1.0, 1.0)).why == BROKEN
    mine.end()


@pytest.mark.nightly
def test_while_the_server_is_busy_short_jobs_pause_and_long_ones_do_not(monkeypatch):
    monkeypatch.setattr(pools, "LONGEST_REST", 1e6)
    busy = Pool(("json",), rest=lambda: 1e9)
    try:
        assert done(busy, job(errands.worked)).why == ""
        second = job(errands.product, 6.0, 7.0)
        busy.ask("anna", second)
        assert done(busy, replace(job(errands.product, 2.0, 3.0), lane=LONG), "berta") == Answer(6.0)
        assert busy.answer(second.key) is None
    finally:
        busy.end()


def test_after_the_pause_the_next_job_is_done_unasked(monkeypatch):
    monkeypatch.setattr(pools, "LONGEST_REST", 0.3)
    busy = Pool(("json",), rest=lambda: 1e9)
    try:
        assert done(busy, job(errands.worked)).why == ""
        assert done(busy, job(errands.product, 6.0, 7.0)) == Answer(42.0)
    finally:
        busy.end()


@pytest.mark.nightly
def test_a_worker_that_has_grown_ends_when_it_has_no_job_for_a_moment(monkeypatch):
    monkeypatch.setattr(pools, "GROWTH", 32.0)
    mine = Pool(("json",))
    try:
        first = done(mine, job(errands.keep, 64)).value
        assert done(mine, job(errands.process)).value == first  # another job came before
        monkeypatch.setattr(pools, "SOON", 0.0)
        done(mine, job(errands.process))
        assert ends(first)
        assert done(mine, job(errands.process)).value != first
    finally:
        mine.end()


def test_a_worker_that_has_not_grown_stays(monkeypatch):
    monkeypatch.setattr(pools, "SOON", 0.0)
    mine = Pool(("json",))
    try:
        assert len({done(mine, job(errands.keep, 1)).value for _ in range(3)}) == 1
    finally:
        mine.end()


def strange(function, *arguments, origin: object = "here") -> Job:
    return replace(job(function, *arguments), lane=STRANGE, origin=origin)


def test_one_origin_never_has_all_workers_of_strange_jobs(pool):
    """Whatever it asks for: somebody else's job is done beside it."""
    busy = [strange(errands.asleep) for _ in range(4)]
    for i, each in enumerate(busy):
        pool.ask(f"anna {i}", each)
    assert begins(pool, busy[0])
    assert done(pool, strange(errands.product, 6.0, 7.0, origin="elsewhere"), "bert") == Answer(42.0)
    running = [worker.job for worker in pool._workers if worker.lane is STRANGE and worker.job]
    assert running == [busy[0]]
    for i in range(4):
        pool.cancel(f"anna {i}")


def test_origins_take_turns(pool):
    """Who asks for much waits for it, nobody else does."""
    slow = strange(errands.slow, 1.0, 0, origin="third")  # until all is asked for
    # What has the worker of the first comes one after the other.
    first = strange(errands.slow, 2.0, 1, origin="first")
    pool.ask("bert", slow)
    pool.ask("anna", first)
    assert begins(pool, slow)
    assert begins(pool, first)
    order: list[object] = []
    asked = {f"anna {i}": strange(errands.slow, 0.01, i, origin="first") for i in range(3)}
    asked["clara"] = strange(errands.slow, 0.01, 9, origin="second")
    pool.listen(lambda: order.extend(n for n in asked if n not in order and asked[n].key in pool._answers))
    for name, each in asked.items():
        pool.ask(name, each)
    for each in asked.values():
        assert pool.answer(each.key, PATIENCE) is not None
    assert order[0] == "clara"


def test_an_asker_has_one_strange_job_at_a_time(pool):
    """The newest: the one before is ended."""
    old = strange(errands.asleep)
    pool.ask("anna", old)
    assert begins(pool, old)
    assert done(pool, strange(errands.product, 2.0, 3.0, origin="elsewhere")) == Answer(6.0)
    assert not pool.is_under_way(old.key)


def test_when_too_many_wait_the_last_of_who_asks_for_most_is_dropped(monkeypatch):
    own = Pool(("json",))
    monkeypatch.setattr(own, "_hand_out", lambda lane: None)
    monkeypatch.setattr(pools, "WAITING", 3)
    try:
        few = strange(errands.process, origin="few")
        own.ask("few", few)
        many = [strange(errands.process, origin="many") for _ in range(4)]
        for i, each in enumerate(many):
            own.ask(i, each)
        assert own.is_under_way(few.key)
        assert [own.is_under_way(each.key) for each in many] == [True, True, False, False]
        assert own.answer(many[3].key) == Answer(why=DROPPED)
    finally:
        own.end()


def test_an_answer_that_is_taken_is_kept_no_longer(pool):
    asked = job(errands.product, 2.0, 5.0)
    assert done(pool, asked) == Answer(10.0)
    assert pool.take(asked.key) == Answer(10.0)
    assert pool.take(asked.key) is None
    assert pool.answer(asked.key) is None


def test_all_answers_that_are_kept_have_a_bound_in_bytes(monkeypatch):
    monkeypatch.setattr(pools, "KEPT_BYTES", 250_000)
    own = Pool(("json",))
    try:
        asked = [job(errands.blank, 100_000) for _ in range(4)]
        for each in asked:
            assert len(done(own, each).value) == 100_000
        assert [own.answer(each.key) is not None for each in asked] == [False, False, True, True]
    finally:
        own.end()

"""Test tours as JSON and as links: every tour comes back whole, and what is no tour is refused in words."""

import json
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autodiff_viz as av
from autodiff_viz.asking.question import COTANGENT, HIDES, LARGER, NUMBER, PASSED, ZERO, Quantity, Question
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.identity import same
from autodiff_viz.graph.link import packed
from autodiff_viz.lessons.codec import FORMAT, as_lesson, read_tour, tour_to_json, tour_to_link
from autodiff_viz.lessons.contributed import lessons
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.lessons.lesson import Claim, Lesson, Like, Part, Try, put
from autodiff_viz.lessons.tour import REVEALS, Step, Tour
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings
from tests.own_lesson import KEY

FORK = "x = 3.0\na = 2.0 * x\nwith group('g'):\n    b = square(x)\nz = a + b\n"
LINE = "x = 2.0\nw = parameter(0.5)\ny = x * w\n"
WORDS = st.text(st.characters(codec="utf-8"), max_size=40)
TITLES = WORDS.map(lambda text: "".join(letter for letter in text if letter.isprintable()))
QUANTITIES = st.one_of(
    st.builds(Quantity, st.just(COTANGENT), st.sampled_from("xabz")),
    st.builds(Quantity, st.just(PASSED), st.just("z"), st.sampled_from([0, 1])),
)
QUESTIONS = st.one_of(
    st.builds(
        Question,
        st.sampled_from([NUMBER, ZERO]),
        QUANTITIES,
        words=WORDS,
        told=st.lists(st.tuples(WORDS, WORDS), max_size=2).map(tuple),
    ),
    st.builds(Question, st.just(LARGER), QUANTITIES, QUANTITIES),
)
STEPS = st.builds(
    Step,
    title=TITLES,
    formula=st.just(FORK),
    look_at=st.sampled_from([None, "x", "z"]),
    seed=st.sampled_from([None, 1, 1.0, -0.0, (1.0, 2.0)]),
    training=st.sampled_from([None, Plan(Settings("adam", 0.5, 3, 1024.0, 10), 7), Plan(Settings(), 1)]),
    text=WORDS,
    collapsed=st.sampled_from([(), ("g",)]),
    dtype=st.sampled_from([*DTYPES]),
    figure=st.sampled_from([None, "runs"]),
    choices=st.sampled_from([(), (("sweep", "x"),)]),
    forward=st.sampled_from([None, (), (("x", 1.0),)]),
    pinned=st.sampled_from(["", LINE]),
    letter=st.sampled_from("AB"),
    caption=WORDS,
    notes=WORDS,
    questions=st.lists(QUESTIONS, max_size=3).map(tuple),
    hides=st.sampled_from(["", *HIDES]),
    reveal=st.sampled_from(["", *REVEALS]),
    ranges=st.sampled_from([(), (("x", -2.0, 7.5),)]),
    trained=WORDS,
    moment=st.sampled_from(["", "3", "now"]),
)
TOURS = st.builds(
    Tour,
    title=TITLES,
    summary=WORDS,
    text=WORDS,
    steps=st.lists(STEPS, max_size=4).map(tuple),
    figure=st.sampled_from(["cotangents", "runs"]),
)


@given(TOURS)
@settings(max_examples=60)
def test_a_tour_comes_back_whole_from_json_and_from_a_link(tour):
    assert same(read_tour(tour_to_json(tour)), tour)
    assert same(read_tour(tour_to_json(tour, None)), tour)
    assert same(read_tour(tour_to_link(tour, base="https://host.example/lab?other=1")), tour)


def test_every_lesson_comes_back_with_its_claims_and_exercises():
    for lesson in LESSONS:
        assert same(read_tour(tour_to_json(lesson)), lesson), lesson.key
        assert same(read_tour(tour_to_link(lesson)), lesson), lesson.key


def test_claims_may_expect_what_json_has_no_number_for():
    claims = tuple(Claim("y", "value", "y", number, "by hand") for number in (float("nan"), float("-inf")))
    whole = Claim("y", "value", ("y", 0), ((1, 2.0), (3, 4.0)), "by hand", at=range(2, 5), within=0.0)
    other = Claim("y", "runs", None, Like(0), "by hand")
    lesson = Lesson(
        key="one",
        title="One",
        steps=(Step("A", "y = 1.0"),),
        claims=(*claims, whole, other),
        to_try=(Try("Do.", (Part(edits=(put("y", 2.0),)),)),),
        sources=("a thread",),
        track="Start here",
        level=2,
        minutes=3,
        after=(KEY,),
        found_by=("nan",),
        code="y = torch.tensor(1.)",
    )
    assert same(read_tour(tour_to_json(lesson)), lesson)


def test_the_link_names_the_step_and_keeps_nothing_else():
    tour = Tour(title="T", steps=(Step("A", LINE), Step("B", FORK)))
    assert tour_to_link(tour, 1, base="https://host.example/?g=1") == (
        f"https://host.example/?tour={tour_to_link(tour)}&tourstep=1"
    )


# What is no tour


def document(**changed):
    data = json.loads(tour_to_json(Tour(title="T", steps=(Step("A", FORK, look_at="x"), Step("B", LINE)))))
    step = {key.removeprefix("step_"): changed.pop(key) for key in list(changed) if key.startswith("step_")}
    data["steps"][1] |= step
    return json.dumps({**data, **changed})


CLAIM = {"says": "y", "quantity": "value", "of": "y", "expected": 1.0, "source": "by hand"}
REFUSED = [
    ("{}", "json-missing-key", f"{FORMAT!r} is missing"),
    ("[]", "json-type", "an object is needed"),
    ("{", "json-syntax", "is not JSON"),
    ("[" * 100_000, "json-limit", "too many brackets"),
    ("{" + " " * limits.TOUR + "}", "json-limit", "characters; the limit is 400000"),
    (document(**{FORMAT: 2}), "json-version", "has version 2; this program reads up to 1"),
    (document(**{FORMAT: True}), "json-type", "True where a whole number is needed"),
    (document(author="me"), "json-unknown-key", "The key 'author' is unknown"),
    (document(claims=[]), "json-unknown-key", "The key 'claims' is unknown"),
    (document(title="a\nb"), "json-type", r"At \$.title: Found a line break"),
    (document(title="a" * 121), "json-limit", "has 121 characters; the limit is 120"),
    (document(text="a" * 4_001), "json-limit", "has 4,001 characters; the limit is 4,000"),
    (
        document(steps=[{"title": "A", "formula": "x = 1.0"}] * 41),
        "json-limit",
        "41 values; it may have at most 40",
    ),
    (document(step_formula="x = open('a')"), "json-formula", r"At \$.steps\[1\].formula: line 1: "),
    (document(step_formula=3), "json-type", "3 where a string is needed"),
    (document(step_look_at="nowhere"), "json-unknown-node", "There is no node 'nowhere'"),
    (document(step_look_at=None), "json-type", "null where a string is needed"),
    (document(step_collapsed=["g"]), "json-unknown-group", "There is no group 'g'"),
    (document(step_forward=[["y", 1.0]]), "json-unknown-node", "There is no input 'y'"),
    (document(step_seed=1e99), "json-number", "beyond"),
    (document(step_dtype="float8"), "json-type", "'float8' where one of"),
    (document(step_letter="C"), "json-type", "'C' where one of A, B"),
    (document(step_pinned="x ="), "json-formula", r"At \$.steps\[1\].pinned"),
    (document(step_hides="all"), "json-type", "'all' where one of"),
    (document(step_reveal="magic"), "json-type", "'magic' where one of"),
    (document(step_training={"settings": {}, "steps": 0}), "json-number", "Found 0; it may be from 1"),
    (document(step_training={"settings": {"rate": -1}, "steps": 1}), "json-number", "The rate is -1"),
    (document(step_training={"settings": {"loss_scale": 0}, "steps": 1}), "json-number", "loss scale is 0"),
    (
        document(step_questions=[{"kind": "number", "about": {"of": "value", "node": "q"}}]),
        "json-unknown-node",
        "no node 'q'",
    ),
    (document(key="Two Knobs"), "json-type", "'Two Knobs' is no key"),
    (document(key="a", steps=[]), "json-limit", "at least one step"),
    (document(key="a", numbers=[0, 0]), "json-number", "each number from 0 to 1 is needed once"),
    (document(key="a", claims=[{**CLAIM, "variant": 2}]), "json-number", "Found step 2; the lesson has 2"),
    (document(key="a", claims=[{**CLAIM, "quantity": "beauty"}]), "json-type", "'beauty' where one of"),
    (document(key="a", claims=[{**CLAIM, "expected": "many"}]), "json-type", "'many' where a number"),
    (document(key="a", claims=[{**CLAIM, "at": {"first": 3, "end": 3}}]), "json-number", "from 4"),
    (document(key="a", to_try=[{"says": "Do.", "parts": []}]), "json-limit", "at least one part"),
    (
        document(key="a", to_try=[{"says": "Do.", "parts": [{"edits": [{"kind": "rm"}]}]}]),
        "json-type",
        "no edit of the lab",
    ),
    (
        document(key="a", to_try=[{"says": "Do.", "parts": [{"edits": [{"kind": "slide", "name": 1}]}]}]),
        "json-type",
        "This edit cannot be read",
    ),
    ("eJw", "link-damaged", "no whole link"),
    ("https://host.example/?g=1abc", "link-empty", "holds no tour"),
    ("a" * (limits.LINK + 1), "link-too-long", "the limit is 60000"),
]


@pytest.mark.parametrize(("text", "code", "message"), REFUSED, ids=[f"{i}" for i in range(len(REFUSED))])
def test_what_is_no_tour_is_refused_with_its_place(text, code, message):
    with pytest.raises(av.GraphError, match=message) as caught:
        read_tour(text)
    assert [problem.code for problem in caught.value.problems] == [code]


def test_a_link_that_unpacks_to_too_much_is_refused():
    bomb = packed("{" + " " * limits.TOUR + "}")
    assert len(bomb) < 1_000
    with pytest.raises(av.GraphError, match="no whole link"):
        read_tour(bomb)


def test_a_tour_too_long_for_a_link_is_refused():
    draw = Random(1)
    steps = tuple(Step(f"{i}", "x = 1.0", notes=f"{draw.getrandbits(12_000):x}") for i in range(40))
    with pytest.raises(av.GraphError, match=r"needs a link of \d+ characters; the limit is 60000"):
        tour_to_link(Tour(title="T", steps=steps))


def test_the_graphs_of_all_steps_together_are_limited():
    chain = "x = 1.0\n" + "".join(f"y{i} = sin({'x' if i == 0 else f'y{i - 1}'})\n" for i in range(999))
    few = Tour(title="T", steps=tuple(Step(f"{i}", chain) for i in range(8)))
    assert read_tour(tour_to_json(few)) == few
    with pytest.raises(av.GraphError, match=r"At \$.steps\[8\]: .* 9000 nodes; all together may have 8000"):
        read_tour(tour_to_json(replace(few, steps=few.steps + few.steps[:1])))


def test_a_lone_half_of_a_letter_becomes_the_replacement_character():
    assert read_tour(document(title="\ud83d")).title == "\ufffd"


# A contributed tour is a lesson


def test_a_file_that_the_page_saved_is_a_lesson(tmp_path):
    tour = Tour(title="Two uses", summary="They add.", steps=(Step("A", FORK),))
    (tmp_path / "two-uses.json").write_text(tour_to_json(tour), "utf-8")
    written = as_lesson(tour, "with-claims")
    written = replace(written, claims=(Claim("x", "cotangent", "x", 8.0, "by hand: 2 + 6"),))
    (tmp_path / "zzz.json").write_text(tour_to_json(written), "utf-8")
    assert lessons(tmp_path) == (as_lesson(tour, "two-uses"), written)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [("empty", "{}", "empty.json: The key"), ("Two uses", document(), "Two uses.json: .* no key")],
)
def test_a_file_that_is_none_is_named(tmp_path, name, text, message):
    (tmp_path / f"{name}.json").write_text(text, "utf-8")
    with pytest.raises(av.GraphError, match=message):
        lessons(tmp_path)


def test_a_damaged_tour_is_read_or_refused_and_nothing_else():
    draw = Random(5)
    texts = [tour_to_json(lesson, None) for lesson in LESSONS[:5]]
    refused = 0
    for _ in range(300):
        text = draw.choice(texts)
        at, length = draw.randrange(len(text)), draw.choice([0, 1, 1, 5, 40])
        other = draw.choice(
            ["", "9", "null", "[]", "{}", '"', "\\ud800", "1e999", "-", "true", text[at : at + 30]]
        )
        try:
            read = read_tour(text[:at] + other + text[at + length :])
        except av.GraphError:
            refused += 1
        else:
            assert same(read_tour(tour_to_json(read)), read)
    assert refused > 100

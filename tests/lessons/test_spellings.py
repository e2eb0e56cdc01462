"""Test that the lesson *hidden-stop* calls a silent stop what PyTorch takes in silence."""

import json
import re

from autodiff_viz.lessons.gallery import lesson
from tests.lessons.record_spellings import FILE

RECORDED = json.loads(FILE.read_text("utf-8"))
SAYS = {
    "torch.tensor(list)": "torch.tensor([a, b])",
    ".item()": "a.item()",
    ".tolist()": "a.tolist()",
    "no_grad": "no_grad",
}
"""By spelling of the lesson, the one that was recorded."""


def test_every_stop_that_the_lesson_names_cuts_in_silence():
    (step,) = lesson("hidden-stop").steps
    named, _, remembers = step.text.partition("Each keeps")
    spellings = re.findall(r"`([^`]+)`", named)
    assert len(spellings) >= 4
    assert {RECORDED[SAYS[spelling]] for spelling in spellings} == {"stops"}
    assert "`stack`" in remembers
    assert RECORDED["torch.stack([a, b])"] == "passes"


def test_the_answers_of_its_question_are_what_pytorch_does():
    (question,) = lesson("hidden-stop").steps[0].questions
    assert RECORDED[question.right] == "passes"
    assert RECORDED["torch.tensor([a.clone(), b.clone()])"] == "stops"


def test_what_pytorch_refuses_is_no_silent_stop():
    """`.numpy()` of a tensor that requires a gradient raises: its author has to write `detach`."""
    assert RECORDED["a.numpy()"].startswith("raises: Can't call numpy() on Tensor that requires grad")
    assert RECORDED["a.detach().numpy()"] == "stops"

"""Read programs that were written at random: their numbers are the library's, or they are refused.

The numbers of PyTorch and TensorFlow are recorded (`record_programs`); JAX computes its own here.
"""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.reading.judged import compared, judged
from tests.reading.programs import jax_program
from tests.reading.record_programs import PROGRAMS, WRITERS, path_of
from tests.reading.training_programs import training_program
from tests.seeds import seeded
from tests.thorough import THOROUGH

RECORDED = {dialect: json.loads(path_of(dialect).read_text("utf-8")) for dialect in WRITERS}
MOST = 0.85  # of the programs that the library runs are read


@pytest.mark.sampled(12)
@pytest.mark.parametrize("dialect", WRITERS)
@pytest.mark.parametrize("first", range(0, PROGRAMS, 5))
def test_numbers_of_a_program_are_those_of_its_library(first, dialect):
    verdicts = Counter()
    for seed in range(first, first + 5):
        verdict, about = compared(WRITERS[dialect](seed), RECORDED[dialect][str(seed)])
        assert verdict != "wrong", (seed, about)
        verdicts[verdict] += 1
    assert verdicts["right"]
    assert verdicts["refused"] <= 5 - (5 * MOST - 1)


PIECES = dict(
    one.split("\n", 1)
    for one in (Path(__file__).parent / "jax_pieces.txt").read_text("utf-8").split("#: ")[1:]
)
IMPORTS = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n"


@pytest.mark.parametrize("name", PIECES)
def test_numbers_of_a_piece_are_those_of_jax(name):
    assert judged(IMPORTS + PIECES[name]) == ("right", "")


def test_a_difference_from_jax_is_told(monkeypatch):
    raises = "y = jax.grad(lambda x: 2 * x)(jnp.ones(2))"
    assert judged(IMPORTS + raises)[0] == "raises"
    assert judged(IMPORTS + "y = jnp.linalg.svd(jnp.eye(2))[1]")[0] == "refused"
    monkeypatch.setattr("tests.reading.judged.values_of", lambda text: ({"y": np.ones(2)}, ""))
    assert judged(IMPORTS + "y = jnp.array([1.0, 2.0])\nz = jnp.ones(2)") == ("wrong", "y, z")
    assert judged(IMPORTS + raises)[0] == "taken"


def test_a_difference_from_recorded_answers_is_told():
    text = "import torch\nx = torch.tensor([1.0, 2.0])\ny = x * x"
    assert compared(text, {"x": [1.0, 2.0], "y": [1.0, 4.0]}) == ("right", "")
    assert compared(text, {"x": [1.0, 2.0], "y": [1.0, 4.01], "z": 1.0}) == ("wrong", "y, z")
    assert compared(text, {"y": [[1.0, 4.0]]}) == ("wrong", "y")
    assert compared(text, None) == ("raises", "")
    assert compared("import torch\ny = torch.linalg.svd(torch.eye(2))", {"y": 1.0})[0] == "refused"


@pytest.mark.longer
@pytest.mark.parametrize("write", [jax_program, training_program])
def test_numbers_of_a_program_are_those_of_jax(write):
    count = (200 if write is jax_program else 100) if THOROUGH else 3
    verdicts = Counter()
    for seed in range(seeded(0), seeded(0) + count):
        verdict, about = judged(write(seed))
        assert verdict not in ("wrong", "taken"), (seed, about)
        verdicts[verdict] += 1
    assert verdicts["right"] >= count // 2 - verdicts["raises"]

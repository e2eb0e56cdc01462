"""Read texts that were changed at random: whatever they are, they are read or refused at a place."""

import random
from zlib import crc32

import pytest

from autodiff_viz.reading.reading import read
from tests.reading.mutations import mutated
from tests.reading.record import snippets
from tests.seeds import seeded
from tests.thorough import THOROUGH

TEXTS = {f"{d}:{name}": text for d in ("jax", "torch", "tf") for name, (text, _) in snippets(d).items()}
EACH = 280 if THOROUGH else 2  # some 20,000 texts at night


@pytest.mark.longer
@pytest.mark.parametrize("name", TEXTS)
def test_a_changed_text_is_read_or_refused(name):
    draw = random.Random(seeded(crc32(name.encode())))
    for _ in range(EACH):
        text = mutated(TEXTS[name], draw)
        refused = read(text).refused
        assert all(problem.message and problem.code != "reader-fault" for problem in refused), text

"""Test the guides beside the code: what they say is done, and the files that they name are there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from math import exp, log1p, tanh

import pytest

from tests.guides import GUIDES, PACKAGE, ROOT, do, steps

ALL = (*GUIDES, ROOT / "CONTRIBUTING.md", ROOT / "tests" / "README.md", *sorted((ROOT / "docs").glob("*.md")))
FILE = re.compile(r"(?<![-\w/.~])(?:\w+/)+\w+(?:\.test)?\.(?:py|js|mjs|css|md|toml|txt)\b")
LINK = re.compile(r"\]\(((?!https?:)[\w./-]+)\)")
NAMED = {str(guide.relative_to(ROOT)): {*FILE.findall(guide.read_text("utf-8"))} for guide in ALL}


def told(program: str, place) -> object:
    done = subprocess.run([sys.executable, "-c", program], cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_an_op_is_added_as_its_guide_says(tmp_path):
    do(PACKAGE / "ops" / "README.md", tmp_path)
    value, gradient, agrees, source = told(
        "import json, autodiff_viz as av\n"
        "trace = av.trace(av.parse('x = 0.5\\ny = log_cosh(x)'))\n"
        "print(json.dumps([float(trace.value['y']), float(trace.gradient['x']), av.verify(trace).agrees,"
        " av.to_python(trace.graph)]))",
        tmp_path,
    )
    assert value == pytest.approx(0.1201145, abs=1e-6)  # ln(cosh(0.5)), by hand
    assert gradient == pytest.approx(tanh(0.5), abs=1e-6)
    assert agrees
    assert "jnp.logaddexp(x, -x)" in source


def test_a_function_of_a_library_is_added_as_its_guide_says(tmp_path):
    do(PACKAGE / "reading" / "README.md", tmp_path)
    text = (
        "import torch\\nx = torch.tensor([[1.0, -2.0]], requires_grad=True)\\n"
        "y = torch.nn.functional.multilabel_soft_margin_loss(x, torch.tensor([[1.0, 0.0]]))\\ny.backward()"
    )
    refused, value, gradient = told(
        f"import json, autodiff_viz as av\nreading = av.read('{text}')\n"
        "print(json.dumps([len(reading.refused), float(reading.values()['y']),"
        " reading.answers()['x'].tolist()]))",
        tmp_path,
    )
    assert refused == 0
    # By hand: softplus(-1) and softplus(-2), their mean; and (sigmoid(x) - target) / 2.
    assert value == pytest.approx((log1p(exp(-1)) + log1p(exp(-2))) / 2, abs=1e-6)
    assert gradient == [pytest.approx([(1 / (1 + exp(-1)) - 1) / 2, 1 / (1 + exp(2)) / 2], abs=1e-6)]


def test_a_guide_that_adds_something_says_where():
    for name in ("ops", "reading"):
        guide = PACKAGE / name / "README.md"
        assert len(steps(guide)) == guide.read_text("utf-8").count("```python") == 1


def test_files_that_documents_name_are_there():
    for guide, names in NAMED.items():
        for name in names:
            found = (ROOT / name).is_file() or any(PACKAGE.rglob(name)) or any((ROOT / "tests").rglob(name))
            assert found, (guide, name)


def test_what_documents_link_to_is_there():
    linking = (ROOT / "README.md", *ALL)
    links = [(guide, link) for guide in linking for link in LINK.findall(guide.read_text("utf-8"))]
    assert len(links) > 20
    for guide, link in links:
        assert (guide.parent / link).exists(), (guide, link)


def test_contributing_names_every_guide():
    linked = {(ROOT / link).resolve() for link in LINK.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))}
    assert {guide.resolve() for guide in GUIDES} <= linked

"""Test the guides beside the code: what they say is done, and the files that they name are there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from math import exp, log1p, tanh
from pathlib import Path

import pytest

from tests.guides import GUIDES, PACKAGE, ROOT, copied, follow, steps
from tests.web.node import node

ALL = (*GUIDES, ROOT / "CONTRIBUTING.md", ROOT / "tests" / "README.md", *sorted((ROOT / "docs").glob("*.md")))
FILE = re.compile(r"(?<![-\w/.~])(?:\w+/)+\w+(?:\.test)?\.(?:py|js|mjs|css|md|toml|txt)\b")
LINK = re.compile(r"\]\(((?!https?:)[\w./-]+)\)")
NAMED = {str(guide.relative_to(ROOT)): {*FILE.findall(guide.read_text("utf-8"))} for guide in ALL}


# What is asked of a copy of the package in which all guides have been followed, by the guide's folder: lines
# of Python, of which the last is an expression.
ASKED = {
    "ops": r"""
trace = av.trace(av.parse('x = 0.5\ny = log_cosh(x)'))
float(trace.value['y']), float(trace.gradient['x']), av.verify(trace).agrees, av.to_python(trace.graph)
""",
    "reading": r"""
reading = av.read('''import torch
x = torch.tensor([[1.0, -2.0]], requires_grad=True)
y = torch.nn.functional.multilabel_soft_margin_loss(x, torch.tensor([[1.0, 0.0]]))
y.backward()''')
len(reading.refused), float(reading.values()['y']), reading.answers()['x'].tolist()
""",
    "graph": r"""
text = 'x = [[2.0]]\nwith checkpoint("c", policy="{}"):\n    y = sin(x @ x)\nz = sum(y)'
graphs = [av.parse(text.format(each)) for each in ('checkpoint_dots', 'dots_saveable', 'nothing_saveable')]
traces = [av.trace(graph) for graph in graphs]
[len(trace.residuals) for trace in traces], all(av.verify(trace).agrees for trace in traces)
""",
    "ui": r"""
from pathlib import Path
from streamlit.testing.v1 import AppTest
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.parts import PARTS, shows
from autodiff_viz.lab.state import opened, start
lab = opened(start(), av.parse('x = 2.0\ny = x * x'), '')
page = AppTest.from_file(str(Path('app.py').resolve()), default_timeout=120).run()
page.run()  # the first run draws the canvas alone
shows('size', lab, lab_view(lab), {})[0], [each.value for each in page.caption]
""",
    "explain": r"""
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.lab.figures import figured
trace = av.trace(av.parse('x = 2.0\ny = 5.0 * x\nz = -3.0 * y'))
strongest = figured('strongest', trace, None)
def found(text):
    return [lint for lint in av.lints(av.trace(av.parse(text))) if lint.code == 'repeated-relu']

(twice,) = found('x = 2.0\ny = relu(relu(x))')
strongest.words, twice.where, av.show(twice.mend), found('x = 2.0\ny = relu(sin(x))')
""",
    "asking": r"""
trace = av.trace(av.parse('x = 2.0\ny = 5.0 * x\nz = y + 1.0'))
said = av.judge(trace, av.Question('number', av.Quantity('cotangent', 'x')), '55')
said.right, said.mistake
""",
    "language": r"""
from autodiff_viz.lab.blocks import block_text
trace = av.trace(av.parse('x = input(shape=(4, 2), seed=0)\n' + block_text('gate', 'x', (4, 2), 1)))
trace.value[trace.graph.output].shape, av.verify(trace).agrees
""",
    "messages": r"""
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.state import start
lab = edited(start(), {'kind': 'select_output'})
lab.selected == lab.graph.output, start().selected == lab.graph.output
""",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package in which all guides have been followed."""
    place = tmp_path_factory.mktemp("guides")
    copied(place)
    for guide in GUIDES:
        follow(guide, place)
    run([sys.executable, "-m", "autodiff_viz.lab.shared_constants"], place)
    return place


@pytest.fixture(scope="module")
def told(place) -> dict[str, list]:
    """The answers to what is asked, by the guide's folder."""
    lines = ["import json, autodiff_viz as av", "told = {}"]
    for name, text in ASKED.items():
        *before, last = text.strip().split("\n")
        lines += [*before, f"told[{name!r}] = ({last})"]
    return json.loads(run([sys.executable, "-c", "\n".join([*lines, "print(json.dumps(told))"])], place))


def run(command: list[str], place: Path) -> str:
    done = subprocess.run(command, cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_an_op_is_added_as_its_guide_says(told):
    value, gradient, agrees, source = told["ops"]
    assert value == pytest.approx(0.1201145, abs=1e-6)  # ln(cosh(0.5)), by hand
    assert gradient == pytest.approx(tanh(0.5), abs=1e-6)
    assert agrees
    assert "jnp.logaddexp(x, -x)" in source


def test_a_function_of_a_library_is_added_as_its_guide_says(told):
    refused, value, gradient = told["reading"]
    assert refused == 0
    # By hand: softplus(-1) and softplus(-2), their mean; and (sigmoid(x) - target) / 2.
    assert value == pytest.approx((log1p(exp(-1)) + log1p(exp(-2))) / 2, abs=1e-6)
    assert gradient == [pytest.approx([(1 / (1 + exp(-1)) - 1) / 2, 1 / (1 + exp(2)) / 2], abs=1e-6)]


def test_a_policy_is_added_as_its_guide_says(told):
    """JAX's checkpoint_dots is an older name of dots_saveable, which keeps the product beside x."""
    (new, older, least), agree = told["graph"]
    assert new == older == least + 1
    assert agree


def test_the_guide_names_every_table_that_a_kind_of_rule_needs():
    guide = (PACKAGE / "graph" / "README.md").read_text("utf-8")
    tests = (ROOT / "tests" / "test_rule_kinds.py").read_text("utf-8")
    tables = re.findall(r'^    "[^"]+": ([A-Z_]+),$', tests, re.M)
    assert len(tables) >= 9
    made_of_others = {"WITH_OP", "WITHOUT_RULES"}
    assert {name for name in tables if f"`{name}`" not in guide} == made_of_others


def test_an_explanation_is_added_as_its_guide_says(told, place):
    # By hand: -3 arrives at y, and -3 * 5 at x.
    assert told["explain"][0] == "Most gradient arrives at x 15, y 3 and z 1."
    run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/explain/strongest"], place)


def test_a_part_of_the_page_is_added_as_its_guide_says(told):
    data, captions = told["ui"]
    assert data == 2
    assert [each for each in captions if re.fullmatch(r"\d+ nodes", each)] != []


def test_a_lint_is_added_as_its_guide_says(told):
    _, where, mended, elsewhere = told["explain"]
    assert where == "y"
    assert "y = relu(x)" in mended
    assert elsewhere == []


def test_a_mistake_is_added_as_its_guide_says(told):
    assert told["asking"] == [False, "value-sent"]  # by hand: 5 arrives, and the output is 11


def test_a_group_of_layers_is_added_as_its_guide_says(told):
    assert told["language"] == [[4, 2], True]


def test_an_edit_is_added_as_its_guide_says(told, place):
    assert told["messages"] == [True, False]
    assert '"select_output"' in (place / "autodiff_viz" / "web" / "messages.js").read_text("utf-8")


@pytest.mark.skipif(not node(), reason="no Node")
def test_an_action_is_added_as_its_guide_says(place):
    tests = place / "tests" / "web" / "actions"
    shutil.copytree(ROOT / "tests" / "web" / "actions", tests)
    run([node(), "--test", str(tests / "actions.test.mjs")], place)
    actions = (place / "autodiff_viz" / "web" / "canvas" / "actions" / "actions.js").as_uri()
    says = f"import {{ ACTIONS }} from '{actions}'; const sent = []; "
    says += "ACTIONS.selectOutput.do({ send: (edit) => sent.push(edit) }); console.log(JSON.stringify(sent))"
    assert json.loads(run([node(), "--input-type=module", "-e", says], place)) == [{"kind": "select_output"}]


def test_a_guide_that_adds_something_says_where():
    for guide in GUIDES:
        fences = re.findall(r"^```(?:python|js)$", guide.read_text("utf-8"), re.M)
        inside_its_lesson = guide.parent.name == "lessons"
        assert len(fences) == len(steps(guide)) + inside_its_lesson, guide
    assert {guide.parent.name for guide in GUIDES if steps(guide)} == {*ASKED, "web"}


def test_files_that_documents_name_are_there():
    made = {step.file for guide in GUIDES for step in steps(guide) if step.place == "a new file"}
    for guide, names in NAMED.items():
        for name in names - made:
            found = (ROOT / name).is_file() or any(PACKAGE.rglob(name)) or any((ROOT / "tests").rglob(name))
            assert found, (guide, name)


HELD = re.compile(r"`(\w+)` (?:of|in) `((?:[\w.]+/)*[\w.-]+\.(?:py|js|toml|txt))`")
COMMAND = re.compile(r"(?:python|PYTHON) -m ([\w.]+)")
TARGET = re.compile(r"^(?:`|)(?:\w+=\S+ )*make (\w+)|`(?:\w+=\S+ )*make (\w+)", re.M)


def test_names_commands_and_settings_of_documents_are_there():
    targets = re.findall(r"^([\w ]+):(?!=)", (ROOT / "Makefile").read_text("utf-8"), re.M)
    targets = {name for line in targets for name in line.split()}
    sources = [*PACKAGE.rglob("*.py"), *(ROOT / "website").glob("*.py")]
    settings = {name for file in sources for name in re.findall(r"AUTODIFF_VIZ_\w+", file.read_text("utf-8"))}
    counted = 0
    for guide in (ROOT / "README.md", ROOT / "deploy" / "README.md", *ALL):
        text = guide.read_text("utf-8")
        for name, file in HELD.findall(" ".join(text.split())):
            files = [ROOT / file, *PACKAGE.rglob(file), *(ROOT / "tests").rglob(file)]
            said = [each.read_text("utf-8") for each in files if each.is_file()]
            assert any(re.search(rf"\b{name}\b", each) for each in said), (guide, name, file)
            counted += 1
        for module in {*COMMAND.findall(text)} - {"pytest", "venv"}:
            path = ROOT / Path(*module.split("."))
            assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), (guide, module)
        for target in {name for found in TARGET.findall(text) for name in found if name}:
            assert target in targets, (guide, target)
        assert {*re.findall(r"AUTODIFF_VIZ_\w+", text)} <= settings, guide
    assert counted > 25


def test_what_documents_link_to_is_there():
    linking = (ROOT / "README.md", *ALL)
    links = [(guide, link) for guide in linking for link in LINK.findall(guide.read_text("utf-8"))]
    assert len(links) > 20
    for guide, link in links:
        assert (guide.parent / link).exists(), (guide, link)


def test_contributing_names_every_guide():
    linked = {(ROOT / link).resolve() for link in LINK.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))}
    assert {guide.resolve() for guide in GUIDES} <= linked

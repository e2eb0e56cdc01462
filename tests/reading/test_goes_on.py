"""Read on behind what is refused: what it sets or may change is unknown, and all else is right.

The numbers are worked out by hand; what a statement may change is what Python and PyTorch let it change.
"""

import ast
import json

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.reading.nodes.costs import CALLS, budget
from tests.reading.record import FOLDER, NO_ANSWERS, snippets

TORCH = "import torch\nfrom elsewhere import foo\n"
JAX = "import jax, jax.numpy as jnp\n"


def known(text: str, name: str) -> float:
    """Return the one number that a name stands for, or the derivative by it."""
    reading = av.read(text)
    found = reading.answers().get(name) if name in reading.answers() else reading.values()[name]
    return float(np.sum(found))


REFUSED = {
    "jax": "import jax.numpy as further\nother = further.fft.fft(further.ones(2))",
    "torch": "import torch as further\nother = further.fft.fft(further.ones(2))",
    "tf": "import tensorflow as further\nother = further.signal.rfft(further.ones(2))",
}
"""A statement of each library that is refused, draws nothing and changes nothing."""

SNIPPETS = {
    f"{library}: {name}": (library, name, text)
    for library in REFUSED
    for name, (text, expression) in snippets(library).items()
    if expression not in NO_ANSWERS
}
ANSWERS = {
    library: json.loads((FOLDER / f"{library}_answers.json").read_text("utf-8")) for library in REFUSED
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("which", SNIPPETS)
def test_statements_in_between_that_are_refused_change_no_answer(which):
    """What each library answers to these texts is recorded; what is put between has nothing to do with it."""
    library, name, text = SNIPPETS[which]
    lines, tree = text.rstrip("\n").split("\n"), ast.parse(text)
    first = next(node for node in tree.body if not isinstance(node, (ast.Import, ast.ImportFrom)))
    for node in reversed(tree.body):
        if node.lineno >= first.lineno:
            lines[node.end_lineno : node.end_lineno] = REFUSED[library].split("\n")
    reading = av.read("\n".join(lines))
    assert {problem.code for problem in reading.refused} == {"unknown-function"}
    assert reading.unknown == ("other",)
    answers = reading.answers()
    for key, expected in ANSWERS[library][name].items():
        if "(line" in key:  # which is another line here
            continue
        if key in reading.values() and key not in answers:
            np.testing.assert_allclose(reading.values()[key], expected, rtol=2e-5, atol=1e-6, err_msg=key)
            continue
        if expected is None:
            assert answers[key] is None
        else:
            np.testing.assert_allclose(answers[key], expected, rtol=2e-5, atol=1e-6, err_msg=key)


def test_what_does_not_need_the_refused_statement_is_read():
    reading = av.read(
        f"{JAX}x = jnp.array(3.0)\ny = jnp.fft.fft(jnp.ones(3))\ng = jax.grad(lambda x: x * x)(x)"
    )
    (problem,) = reading.refused
    assert problem.line == 3
    assert reading.answers()["x"] == 6.0  # 2 x
    assert reading.extent == "3 of 4 statements were read; this name is unknown: `y`."


def test_what_needs_it_is_unknown_and_says_the_root_cause_once():
    text = f"{JAX}a = jnp.fft.fft(jnp.ones(3))\nb = a + 1\nc = b * 2\nd = jnp.array(1.0)"
    reading = av.read(text)
    assert [problem.line for problem in reading.refused] == [2]
    assert reading.unknown == ("a", "b", "c")
    assert (reading.statements, reading.unread) == (5, 3)
    assert reading.values()["d"] == 1.0
    with pytest.raises(GraphError, match=r"`c` is unknown: line 2 was not read"):
        reading.answers()["c"]


def test_a_derivative_that_needs_an_unknown_name_is_refused_by_that_name():
    text = f"{JAX}w = jnp.fft.fft(jnp.ones(3)).real\ng = jax.grad(lambda x: (w * x).sum())(jnp.ones(3))"
    reading = av.read(text)
    assert "x" not in reading.answers()
    assert reading.unknown == ("w", "g")


def test_a_name_that_is_set_anew_is_known():
    assert av.read(f"{JAX}x = jnp.fft.fft(jnp.ones(3))\nx = jnp.array(2.0)").unknown == ()


POISONED = {
    "target of a loop": "for y in foo():\n    x = y",
    "target of a with": "with foo() as y:\n    x = 1",
    "branch of an if": "if foo():\n    x = 1\nelse:\n    x = 2",
    "function": "@foo\ndef x():\n    pass",
    "class": "@foo\nclass x:\n    pass",
    "walrus": "y = foo(x := 3)",
    "tuple": "y, (x, *z) = foo()",
    "augmented": "x += foo()",
    "element": "x[0] = foo()",
    "attribute": "x.data = foo()",
    "method in place": "x.add_(foo())",
    "a method that nobody knows": "x.whatever_()",
    "argument of a function of another module": "foo(x)",
    "keyword of one": "foo(1, y=x)",
    "in a list": "foo([x])",
    "in an object": "class A: pass\na = A()\na.x = x\nfoo(a)",
    "by a function of the text": "def f(t):\n    t.add_(foo())\nf(x)",
    "by what it closes over": "def f():\n    x.add_(foo())\nf()",
    "by a global": "def f():\n    global x\n    x = foo()\nf()",
    "by a method of the text": "class A:\n    def f(self, t):\n        t[0] = foo()\nA().f(x)",
    "a view": "v = x.view(3)\nfoo(v)",
    "out": "torch.fft.fft(torch.ones(3), out=x)",
    "what a value holds that is unknown": "z = foo(x)\nx = torch.ones(3)\nz = foo(x)\nz.step()",
    "in a comprehension": "[foo(t) for t in [x]]",
    "deleted": "del x[0]",
}


@pytest.mark.parametrize("how", POISONED)
def test_what_a_refused_statement_may_change_is_unknown(how):
    reading = av.read(
        f"{TORCH}x = torch.ones(3)\nfine = torch.ones(3) * 2\n{POISONED[how]}\nafter = fine + 1"
    )
    assert "x" in reading.unknown
    assert "x" not in reading.values()
    assert reading.values()["after"].tolist() == [3.0, 3.0, 3.0]
    assert reading.refused


NOT_CHANGED = {
    "read by a function of the library": "y = torch.fft.fft(x)",
    "read by a method": "y = x.lgamma()",
    "appended": "many = []\nmany.append(torch.fft.fft(x))",
    "read by another library": "import scipy\ny = scipy.special.foo(x)",
    "read by a function of the text": (
        "def f(t):\n    out = []\n    out.append(torch.fft.fft(t))\n    return out\ny = f(x)"
    ),
    "plotted": "import matplotlib.pyplot as plt\nplt.plot(x, x.lgamma())",
}


@pytest.mark.parametrize("how", NOT_CHANGED)
def test_what_a_refused_statement_only_reads_stays_known(how):
    reading = av.read(f"{TORCH}x = torch.ones(3)\n{NOT_CHANGED[how]}")
    assert reading.values()["x"].tolist() == [1.0, 1.0, 1.0]


def test_a_step_of_an_optimizer_that_is_not_read_changes_its_parameters_and_no_gradient():
    """w² has the slope 2 w = 4 at 2; where w is after the step nobody knows here."""
    text = (
        "import torch\nw = torch.tensor(2.0, requires_grad=True)\nopt = torch.optim.Rprop([w])\n"
        "loss = w * w\nloss.backward()\nopt.step()\n"
    )
    reading = av.read(text)
    assert reading.answers()["w"] == 4.0
    assert {"w", "opt"} <= set(reading.unknown)
    # What it is now is needed for the next one, which is added to what is known no more.
    again = av.read(f"{text}(w * 3.0).backward()")
    assert "w" not in again.answers()
    fresh = av.read(f"{text}u = torch.tensor(1.0, requires_grad=True)\n(u * 3.0).backward()")
    assert fresh.answers()["u"] == 3.0


def test_a_name_has_no_derivative_where_a_later_one_by_it_was_not_read():
    """At 3 the slope of x² is 6; what the refused call gives nobody knows."""
    for by in ("jax.grad(lambda x: jnp.foo(x))(3.0)", "print(jax.jacfwd(jnp.foo)(x))"):
        answers = av.read(f"{JAX}x = 3.0\ng = jax.grad(lambda x: x * x)(x)\nh = {by}").answers()
        assert answers["x (line 3)"] == 6.0
        with pytest.raises(GraphError, match="`x` is unknown: line 4"):
            answers["x"]


def test_an_optimizer_of_jax_changes_nothing_in_place():
    """Of (w x).sum() at x = 3 the slope by w is 3; the second one needs what the optimizer gives."""
    text = (
        f"{JAX}import optax\nparams = {{'w': jnp.ones(2)}}\nx = jnp.array(3.0)\n"
        "f = lambda params: (params['w'] * x).sum()\nopt = optax.adam(0.1)\nstate = opt.init(params)\n"
        "g = jax.grad(f)(params)\nupdates, state = opt.update(g, state)\n"
        "params = optax.apply_updates(params, updates)\n"
    )
    reading = av.read(text)
    assert reading.answers()["params.w"].tolist() == [3.0, 3.0]
    assert reading.unknown == ("params", "opt", "state", "updates")
    answers = av.read(f"{text}h = jax.grad(f)(params)").answers()
    assert "params.w" not in answers
    assert answers["params.w (line 8)"].tolist() == [3.0, 3.0]


def test_a_pass_through_what_a_refused_call_may_have_changed_is_refused():
    """exp saves its value, which `foo` may change without autograd's notice."""
    text = f"{TORCH}x = torch.ones(2, requires_grad=True)\ny = x.exp()\nz = y.sum()\n{{}}z.backward()"
    np.testing.assert_allclose(av.read(text.format("")).answers()["x"], [np.e, np.e], rtol=1e-6)
    assert "x" not in av.read(text.format("foo(y)\n")).answers()
    # The derivative of v x² by v, and so of its derivative 2 v x by v, depends on x.
    twice = (
        f"{TORCH}x = torch.tensor(3.0, requires_grad=True)\nv = torch.tensor(1.0, requires_grad=True)\n"
        "(g,) = torch.autograd.grad(x * x, x, v, create_graph=True)\n{}torch.autograd.grad(g, v)"
    )
    assert av.read(twice.replace("{}", "")).answers()["v"] == 6.0
    assert "v" not in av.read(twice.replace("{}", "foo(x)\n")).answers()


def test_a_backward_that_is_not_read_makes_every_gradient_unknown():
    text = (
        "import torch\nw = torch.tensor(2.0, requires_grad=True)\nu = torch.tensor(1.0, requires_grad=True)\n"
        "(w * w).backward()\nz = torch.fft.fft((w * u).reshape(1)).abs().sum()\nz.backward()\n"
    )
    reading = av.read(text)
    assert [problem.line for problem in reading.refused] == [5]
    for name in ("w", "u"):
        with pytest.raises(GraphError, match=r"is unknown: line 5"):
            reading.answers()[name]
    assert set(reading.unknown) == {"z", "w.grad", "u.grad"}
    # Set to None, it is known once more: 3 of (3 w).
    assert av.read(f"{text}w.grad = None\n(w * 3.0).backward()").answers()["w"] == 3.0


def test_draws_behind_a_draw_that_is_not_read_are_unknown():
    text = (
        "import torch\ntorch.manual_seed(0)\n{}x = torch.randn(3, requires_grad=True)\n"
        "(x * x).sum().backward()"
    )
    assert av.read(text.format("")).answers()["x"].shape == (3,)
    reading = av.read(text.format("layer = torch.nn.Foo(3)\n"))
    with pytest.raises(GraphError, match="draws in line 4"):
        reading.answers()
    # A seed makes them known again, and what draws nothing leaves them.
    assert av.read(text.format("layer = torch.nn.Foo(3)\ntorch.manual_seed(0)\n")).answers()["x"].shape == (
        3,
    )
    assert av.read(text.format("y = torch.fft.fft(torch.ones(3))\n")).answers()["x"].shape == (3,)


@pytest.mark.parametrize("form", ["{}", "print({})"])
def test_nothing_is_read_behind_a_mode_that_is_not_read(form):
    text = (
        f"{TORCH}x = torch.tensor(1.0, requires_grad=True)\n{form.format('torch.set_grad_enabled(foo())')}\n"
        "y = x * 2\ny.backward()"
    )
    reading = av.read(text)
    (problem,) = reading.refused
    assert problem.line == 4
    assert "`set_grad_enabled` counts for all that follows" in problem.message
    assert "y" in reading.unknown
    assert "x" not in reading.answers()


def test_nothing_is_read_behind_an_error_of_the_library_itself():
    text = "import torch\nx = torch.ones(2, requires_grad=True)\nx += 1\ny = torch.ones(2)"
    reading = av.read(text)
    assert "y" not in reading.values()
    assert (reading.statements, reading.unread) == (4, 2)


def test_a_loop_goes_on_inside_and_keeps_what_it_steps():
    """Three steps of w -= 0.1 · 2 w from 1: 0.8³ = 0.512."""
    text = (
        "import torch\nw = torch.tensor(1.0, requires_grad=True)\nlog = []\nfor i in range(3):\n"
        "    loss = w * w\n    loss.backward()\n    log.append(torch.fft.fft(loss.reshape(1)))\n"
        "    with torch.no_grad():\n        w -= 0.1 * w.grad\n    w.grad = None\n"
    )
    reading = av.read(text)
    assert [problem.line for problem in reading.refused] == [7]
    np.testing.assert_allclose(reading.values()["w"], 0.512, rtol=1e-6)
    assert reading.unknown == ("log",)


def test_a_statement_that_may_leave_a_loop_ends_what_is_known_of_the_loop():
    text = (
        f"{TORCH}x = torch.tensor(1.0)\nfor i in range(3):\n    if foo(i):\n        break\n"
        "    x = x * 2\nz = 1"
    )
    reading = av.read(text)
    assert {"x", "i"} <= set(reading.unknown)
    assert reading.values()["z"] == 1


def test_a_call_is_refused_as_a_whole():
    text = f"{JAX}def f(x):\n    y = jnp.fft.fft(x)\n    return x\nz = f(jnp.ones(2))\nw = jnp.ones(2)"
    reading = av.read(text)
    assert [problem.line for problem in reading.refused] == [3]
    assert reading.unknown == ("z",)
    assert set(reading.values()) == {"w"}


def test_what_a_refused_statement_has_made_is_not_in_the_graph():
    reading = av.read(f"{JAX}x = jnp.array(3.0)\ny = jnp.sin(jnp.sin(jnp.sin(x))) + jnp.foo(x)\nz = x * 2")
    assert [node.op for node in reading.graph.nodes] == ["input", "mul"]


SHOWN = (
    "print({})",
    "assert {} > 0",
    's = f"{{{}}}"',
    "import matplotlib.pyplot as plt\nplt.plot({})",
    "print(f'{{{}}}')",
)


@pytest.mark.parametrize("how", SHOWN)
def test_a_derivative_that_is_only_shown_is_an_answer_or_a_refusal(how):
    """The slope of x³ at 2 is 12."""
    read = av.read(f"{JAX}f = lambda x: x ** 3\n" + how.format("jax.grad(f)(2.0)") + "\ny = jnp.array(1.0)")
    assert read.refused == ()
    assert read.answers()["x"] == 12.0
    not_read = av.read(
        f"{JAX}f = lambda x: abs(jnp.fft.fft(x)).sum()\n"
        + how.format("jax.grad(f)(jnp.ones(3)).sum()")
        + "\ny = jnp.array(1.0)"
    )
    assert [problem.line for problem in not_read.refused] == [2]
    assert not_read.values()["y"] == 1.0


def test_what_is_only_shown_and_no_derivative_is_left_out_with_a_sentence():
    reading = av.read(f"{JAX}x = jnp.array(3.0)\nprint(jnp.fft.fft(x))")
    assert reading.refused == ()
    (change,) = reading.changes
    assert change.line == 3
    assert "jax.numpy.fft.fft" in change.says


@pytest.mark.parametrize("shown", ["foo(x)", "x.whatever_()", "(x := foo())", "f'{foo(x)}'"])
def test_what_is_shown_and_may_change_something_is_a_refusal(shown):
    reading = av.read(f"{TORCH}x = torch.ones(2)\nprint({shown})\ny = x * 2")
    assert [problem.line for problem in reading.refused] == [4]
    assert reading.unknown == ("x", "y")


HARMLESS = """import os, sys, time, logging, warnings
import matplotlib.pyplot as plt
import seaborn as sns
import torch
from tqdm import tqdm, trange
from IPython.display import display
os.environ["X"] = "1"
sys.path.append("..")
warnings.filterwarnings("ignore")
log = logging.getLogger(__name__)
torch.manual_seed(0)
torch.set_num_threads(1)
torch.backends.cudnn.deterministic = True
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
start = time.time()
fig, (a, b) = plt.subplots(1, 2)
plt.rcParams["figure.dpi"] = 100
w = torch.tensor(1.0, requires_grad=True, device=device)
step = torch.compile(lambda w: w * w)
with open("log.txt", "w") as file:
    for i in tqdm(range(2), desc="steps"):
        loss = step(w.to(device))
        loss.backward()
        with torch.no_grad():
            w -= 0.25 * w.grad
        w.grad.zero_()
        file.write(f"{loss.item():.3f}")
        log.info("step %d", i)
        a.plot(i, loss.item())
for i in trange(1):
    assert isinstance(loss, torch.Tensor), "a tensor"
sns.lineplot(x=[1], y=[2])
plt.show()
display(w)
print("took", time.time() - start)
torch.save(w, "w.pt")
"""


def test_what_computes_nothing_stops_nothing():
    """Two steps of w -= 0.25 · 2 w: 0.25."""
    reading = av.read(HARMLESS)
    assert reading.refused == ()
    assert reading.values()["w"] == 0.25
    said = {change.says for change in reading.changes}
    assert "`matplotlib.pyplot.subplots` is left out: it computes nothing here" in said
    assert len(said) == len(reading.changes)  # each once


def test_a_time_or_a_file_is_no_number():
    for line in ("y = x * time.time()", "y = torch.tensor(open('f').read())", "y = len(open('f').read())"):
        reading = av.read(f"import time, torch\nx = torch.ones(2)\n{line}")
        (problem,) = reading.refused
        assert problem.code == "left-out"
        assert reading.unknown == ("y",)


def test_a_text_with_names_in_it_is_a_key_and_one_with_computed_numbers_is_none():
    text = (
        f"{JAX}p, x = {{}}, jnp.array(1.0)\nfor i in range(2):\n    p[f'w{{i}}'] = x * (1 + i)\n"
        "    p['b%d' % i] = x * 5"
    )
    values = av.read(text).values()
    assert (values["p.w0"], values["p.w1"], values["p.b1"]) == (1.0, 2.0, 5.0)
    (problem,) = av.read(f"{JAX}p = {{}}\np[f'{{jnp.array(1.0)}}'] = 1").refused
    assert problem.line == 3


def test_a_notebook_is_read_as_its_code():
    cells = [
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import jax\n"]},
        {"cell_type": "markdown", "source": ["# words"]},
        {"cell_type": "code", "source": ["print(jax.grad(lambda x: x ** 2)(3.0))"]},
    ]
    assert av.read(json.dumps({"cells": cells})).answers()["x"] == 6.0


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nfrom a import foo\nx = torch.ones(3)\n" + "foo(x)\n" * 20_000,
        "import torch\nfrom a import foo\nx = [torch.ones(3)] * 5000\nfor i in range(250):\n"
        "    for j in range(250):\n        foo(x)\n",
        "import torch\nfrom a import foo\ndef f(x):\n"
        + "    foo(x)\n" * 2000
        + "for i in range(250):\n    f(foo)\n",
    ],
    ids=["many statements", "a long list", "a long function"],
)
def test_reading_on_is_paid_for(text):
    with budget() as spent:
        reading = av.read(text)
    assert reading.refused
    assert len(reading.refused) <= 102
    assert spent.steps <= CALLS  # the reader has a budget of its own inside


def test_a_statement_is_refused_with_its_line_where_reading_ends():
    reading = av.read("import torch\nx = torch.ones(2)\n" + "for i in range(250):\n" * 3 + "  y = x")
    assert reading.refused


@pytest.mark.parametrize(
    ("text", "names", "written"),
    [
        (
            "import torch, torch.nn as nn\ntorch.manual_seed(0)\n"
            "net = nn.Sequential(nn.Linear(2, 2), nn.Tanh())\n"
            "net(torch.ones(1, 2)).sum().backward()",
            {"net_0_weight", "net_0_bias"},
            ["0.weight", "net.0.weight", "net[0].weight", "net[0].weight.grad"],
        ),
        (
            "import torch, torch.nn as nn\ntorch.manual_seed(0)\nlayer = nn.Linear(2, 2)\n"
            "layer(torch.ones(1, 2)).sum().backward()",
            {"weight", "bias"},
            ["weight", "layer.weight", "layer.weight.grad"],
        ),
        (
            "import torch, torch.nn as nn\ntorch.manual_seed(0)\n"
            "actor = nn.Linear(2, 2)\ncritic = nn.Linear(2, 2)\n"
            "critic(actor(torch.ones(1, 2))).sum().backward()",
            {"actor_weight", "actor_bias", "critic_weight", "critic_bias"},
            ["actor.weight", "critic.bias"],
        ),
        (
            "import jax, jax.numpy as jnp\nparams = [(jnp.ones(2), jnp.ones(2))]\n"
            "g = jax.grad(lambda params: (params[0][0] * params[0][1]).sum())(params)",
            {"params_0_0", "params_0_1"},
            ["params.0.0", "params[0][0]"],
        ),
        (
            "import jax, jax.numpy as jnp\np = {'l-1': {'lambda': jnp.ones(2)}}\n"
            "g = jax.grad(lambda p: p['l-1']['lambda'].sum())(p)",
            {"lambda_"},
            ["p.l-1.lambda", "p['l-1']['lambda']", 'p["l-1"]["lambda"]'],
        ),
    ],
    ids=["Sequential", "one module", "two modules", "pairs in a list", "words"],
)
def test_nodes_have_names_that_the_lab_takes_and_answers_those_of_the_code(text, names, written):
    reading = av.read(text)
    assert names <= set(reading.graph.by_name)
    assert av.from_json(av.to_json(reading.graph)) == reading.graph
    assert av.from_link(av.to_link(reading.graph)) == reading.graph
    answers = reading.answers()
    assert all(answers[name] is not None for name in written)


def test_an_infinity_of_the_text_is_named_so():
    graph = av.read(
        f"{JAX}x = jnp.ones(2)\ny = jnp.where(x > 0, x, -jnp.inf) + jnp.where(x > 0, x, jnp.inf)"
    ).graph
    assert {"minus_infinity", "infinity"} <= set(graph.by_name)
    assert not any(node.name.startswith("log") for node in graph.nodes)


def test_no_sentence_says_exact_of_a_gelu_by_tanh():
    text = "import torch.nn.functional as F, torch\ny = F.gelu(torch.ones(2), approximate={!r})"
    assert not any("exact" in change.says for change in av.read(text.format("tanh")).changes)
    assert any("exact" in change.says for change in av.read(text.format("none")).changes)


def test_what_python_has_is_not_said_to_be_nothing():
    for name in ("memoryview", "globals", "hash", "bytes"):
        (problem,) = av.read(f"import math\nx = {name}(1)").refused
        assert problem.message.startswith(f"Python's `{name}` is not read.")


def test_no_function_is_recommended_that_is_refused():
    for name in ("lgamm", "fftt", "choleski"):
        (problem,) = av.read(f"import torch\ny = torch.{name}(torch.ones(2))").refused
        assert not any(f"`torch.{refused}`" in problem.hint for refused in ("lgamma", "fft", "cholesky"))


@pytest.mark.parametrize("library", ["flax.linen", "equinox", "optax"])
def test_a_library_of_modules_in_jax_is_refused_with_the_way_to_take_it(library):
    (problem,) = av.read(f"import {library} as lib\nm = lib.Dense(3)").refused
    assert "from_function(model, x)" in problem.hint


def test_what_autograd_grad_returns_is_not_in_grad():
    """PyTorch prints None: nothing was called backward."""
    text = "import torch\nx = torch.tensor(3.0, requires_grad=True)\ng, = torch.autograd.grad(x * x, x)\n"
    answers = av.read(f"{text}print(x.grad)").answers()
    assert (answers["x"], answers["x.grad"]) == (6.0, None)
    assert av.read(f"{text}x.grad = g * 2").answers()["x.grad"] == 12.0

"""Test models beside PyTorch's own run of them, where PyTorch is installed, which the tests do not ask for.

    PYTHON -m pytest tests/reading/live/test_real_torch.py -n 0

PYTHON has PyTorch, and what the tests need.
"""

from __future__ import annotations

import numpy as np
import pytest

import autodiff_viz as av
from tests.reading.live.test_from_torch import refused

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
nn = torch.nn
models = pytest.importorskip("tests.reading.live.models")


@pytest.fixture(autouse=True)
def _same_draws():
    torch.manual_seed(0)


@pytest.mark.parametrize("name", models.CASES)
def test_a_model_agrees_with_its_own_run(name):
    model, call, inputs = models.CASES[name]()
    check = av.from_torch(call, *inputs, check=True).check
    assert check.agrees, check
    assert {name for name, _ in model.named_parameters()} <= {
        one.name for one in check.compared if one.shape is not None or "frozen" in one.name
    } | {name for name, one in model.named_parameters() if not one.requires_grad}


def test_a_check_puts_everything_back():
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    model.calls = []
    model[0].register_forward_hook(lambda module, given, output: model.calls.append(1))
    model[0].weight.grad = kept = torch.ones(3, 3)
    state = {name: one.clone() for name, one in model.state_dict().items()}
    drawn = torch.get_rng_state()
    x = torch.ones(4, 3) * torch.arange(4.0)[:, None]

    def call(x):
        return (model(x) * torch.arange(3.0)).pow(2).sum()

    check = av.from_torch(call, x, check=True).check
    assert check.agrees, check
    assert all(torch.equal(one, state[name]) for name, one in model.state_dict().items())
    assert model[0].weight.grad is kept
    assert torch.equal(kept, torch.ones(3, 3))
    assert model[0].bias.grad is None
    assert model.calls == []
    assert torch.equal(torch.get_rng_state(), drawn)


def test_what_is_made_of_a_layer_is_refused():
    x = torch.ones(1, 3)
    made = {
        "WeightNorm": lambda one: nn.utils.weight_norm(one),
        "parametrization": lambda one: nn.utils.parametrizations.weight_norm(one),
        "DataParallel": lambda one: nn.DataParallel(one),
    }
    for words, make in made.items():
        with pytest.warns() if words == "WeightNorm" else np.errstate():
            layer = make(nn.Linear(3, 2))
        assert words in refused(layer, x, sum_output=True).message


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_layer_in_16_bits_is_refused(dtype):
    kind = getattr(torch, dtype)
    problem = refused(nn.Linear(3, 2).to(kind), torch.ones(1, 3, dtype=kind), sum_output=True)
    assert f"is not read in {dtype}" in problem.message


def test_modes_of_pytorch_are_those_of_the_call():
    x = torch.ones(1, 3)
    with torch.no_grad():
        assert "does not require grad" in refused(nn.Linear(3, 2), x, sum_output=True).message
    with torch.autocast("cpu"):
        assert "autocast" in refused(nn.Linear(3, 2), x, sum_output=True).message


def test_hooks_of_all_modules_are_read():
    hook = nn.modules.module.register_module_forward_hook(lambda module, given, output: output * 3)
    try:
        check = av.from_torch(nn.Linear(2, 2), torch.ones(1, 2), sum_output=True, check=True).check
    finally:
        hook.remove()
    assert check.agrees, check


class Scaled(nn.Linear):
    def forward(self, x):
        return super().forward(x) * 2


LAYERS = {
    "Conv1d": (nn.Conv1d(2, 3, 2, stride=2, padding=1), (1, 2, 5)),
    "Conv2d": (nn.Conv2d(2, 4, (2, 3), stride=(2, 1), padding=(1, 0), groups=2), (1, 2, 4, 4)),
    "BatchNorm without its own": (nn.BatchNorm1d(3, affine=False, track_running_stats=False), (4, 3)),
    "GroupNorm": (nn.GroupNorm(2, 4), (2, 4, 3)),
    "GRU": (nn.GRU(2, 3, num_layers=2, batch_first=True), (1, 3, 2)),
    "GELU": (nn.GELU("tanh"), (3,)),
    "AvgPool1d": (nn.AvgPool1d(2), (1, 1, 6)),
    "a class of one's own": (Scaled(3, 2), (2, 3)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_the_settings_of_a_layer_are_those_of_the_object(name):
    layer, shape = LAYERS[name]

    def call(x):
        made = layer(x)
        return ((made[0] if isinstance(made, tuple) else made) ** 3).sum()

    check = av.from_torch(call, torch.randn(shape, requires_grad=True), check=True).check
    assert check.agrees, check


def test_a_training_loop_is_watched_and_any_step_opens():
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
    optimizer = torch.optim.Adam(model.parameters(), 0.1)

    def loss_of(x, y):
        return (model(x) - y).pow(2).mean().log()

    x, y = torch.randn(6, 2), torch.randn(6, 1)
    gradients = []
    with av.watch(model, loss_of, every=2) as watch:
        for _ in range(5):
            loss = loss_of(x, y)
            optimizer.zero_grad()
            loss.backward()
            watch.step(loss, x, y)
            gradients.append(model[0].weight.grad.clone().numpy())
            optimizer.step()
            x += 0.01  # the loop uses its memory again
    model.eval()
    after = {name: one.clone() for name, one in model.state_dict().items()}
    assert watch.steps == (0, 2, 4)
    for step in watch.steps:
        reading = watch[step].reading(check=True)
        assert reading.check.agrees, reading.check
        np.testing.assert_allclose(reading.answers()["0.weight"], gradients[step], rtol=1e-3, atol=1e-6)
    assert all(torch.equal(one, after[name]) for name, one in model.state_dict().items())
    assert not model.training

"""Write a training as a JAX program that runs by itself."""

from __future__ import annotations

import re
from typing import Any

from autodiff_viz.engine.arguments import known_dtype
from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.versions import describe_versions
from autodiff_viz.export.expressions import fresh, written
from autodiff_viz.export.python_source import Parts, imports, indented, input_value, tidied, written_parts
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.problem import GraphError, Problem, known_graph, without_natives
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.training.compute import number_of_steps, settings_from, with_scale
from autodiff_viz.training.state import LEAST, MOST, Settings, is_mixed, parameter_dtype, with_shifted_seed
from autodiff_viz.training.updates import check_optimiser, check_trainable

OPTIMISERS = {
    "sgd": "optax.sgd({rate})",
    "momentum": "optax.sgd({rate}, momentum=0.9)",
    "adam": "optax.adam({rate})",
}
"""By name, the call that makes the optimiser."""

_SEED = re.compile(r"jax\.random\.key\((\d+)\)")

_FILE = '''"""The training of {output} as a JAX program.

It needs jax and optax and nothing else. Run it: it prints the loss of every step and the parameters after
the last one.
Written by {versions}; with another JAX the last digits may differ.
"""

{imports}

inputs = {{
{inputs}
}}

parameters = {{
{parameters}
}}


{functions}


def forward({arguments}):
{body}


optimizer = {optimizer}


{update}


if __name__ == "__main__":
    state = optimizer.init(parameters)
{loop}
    for name, parameter in parameters.items():
        print(name, "=", parameter)
'''

_UPDATE = """{jit}
def update(parameters, state, step):
    loss, pull_back = jax.vjp(lambda given: forward({step}**inputs, **given), parameters)
    (gradient,) = pull_back(jnp.ones_like(loss))
    change, state = optimizer.update(gradient, state, parameters)
{frozen}
    return optax.apply_updates(parameters, change), state, loss
"""

_LOOP = """\
    losses = []
    for step in range({steps}):
        parameters, state, loss = update(parameters, state, step)
        losses.append(loss)
        print(f"step {{step}}: loss {{loss}}")
"""

_MIXED = '''{jit}
def update(parameters, state, scale, good, step):
    """Pass forward and backward in {dtype}, update in float32; skip the step if a gradient is not finite."""
    rounded = jax.tree.map(lambda array: array.astype({dtype!r}), parameters)
    loss, pull_back = jax.vjp(lambda given: forward({step}**inputs, **given), rounded)
    seed = scale.astype(loss.dtype)  # the loss scale
    (gradient,) = pull_back(seed)
    gradient = jax.tree.map(lambda array: array.astype("float32") / seed.astype("float32"), gradient)
    finite = jnp.all(jnp.stack([jnp.all(jnp.isfinite(array)) for array in jax.tree.leaves(gradient)]))
    change, after = optimizer.update(gradient, state, parameters)
{frozen}
    change = jax.tree.map(lambda array: jnp.where(finite, array, 0), change)
    state = jax.tree.map(lambda new, old: jnp.where(finite, new, old), after, state)
{scaling}
    return optax.apply_updates(parameters, change), state, scale, good, loss, finite
'''

_GROWING = """\
    good = jnp.where(finite, good + 1, 0)
    larger = jnp.where(good >= {interval}, jnp.minimum(scale * 2, {most}), scale)
    scale = jnp.where(finite, larger, jnp.maximum(scale / 2, {least}))
    good = jnp.where(good >= {interval}, 0, good)
"""

_MIXED_LOOP = """\
    losses, skipped = [], []
    scale, good = jnp.float32({scale!r}), jnp.int32(0)
    for step in range({steps}):
        parameters, state, scale, good, loss, finite = update(parameters, state, scale, good, step)
        losses.append(loss)
        print(f"step {{step}}: loss {{loss}}" if finite else f"step {{step}}: gradient not finite, skipped")
        if not finite:
            skipped.append(step)
"""


def training_to_python(
    graph: Graph,
    optimizer: str = "sgd",
    rate: Any = 0.1,
    steps: int = 1,
    *,
    seed: int = 0,
    dtype: str = FLOAT32,
    loss_scale: Any = None,
    growth_interval: int = 0,
) -> str:
    """Write a training as a Python file that needs only jax and optax.

    The file holds the function of `to_python`, the update of a step, and a loop that prints the loss of each
    step: the numbers of `train` with the same arguments.

    Args:
      graph: complete, with a parameter; its output is one number.
      optimizer, rate, steps, seed, dtype, loss_scale, growth_interval: as `train` takes them.
    Returns:
      The text of the file.
    Raises:
      GraphError: as `train`; or a node with a rule is random, whose draws would be the same in all steps.
    """
    dtype = known_dtype(dtype)
    settings, count = settings_from(optimizer, rate, seed), number_of_steps(steps)
    settings = with_scale(settings, loss_scale, growth_interval, dtype)
    graph = without_natives(known_graph(graph), "a Python program", own=True)
    return written_training(graph, settings, count, dtype)


def written_training(graph: Graph, settings: Settings, steps: int, dtype: str) -> str:
    """Write a training with checked settings; see `training_to_python`.

    Raises:
      GraphError: see `training_to_python`.
    """
    check_optimiser(settings, dtype)
    parts = written_parts(graph, None, dtype)
    check_trainable(graph, trace(graph, dtype=dtype))
    step, lines = _with_steps(parts)
    learned = {name: node for name, node in parts.inputs.items() if node.is_parameter}
    update, loop = _written_steps(settings, steps, dtype, step, learned)
    imported, as_jnp = imports([*lines, update], dtype), "import jax.numpy as jnp"
    text = _FILE.format(
        versions=describe_versions(),
        output=graph.output,
        imports=imported.replace(as_jnp, f"{as_jnp}\nimport optax"),
        inputs=_dictionary({n: node for n, node in parts.inputs.items() if n not in learned}, dtype),
        parameters=_dictionary(
            {name: with_shifted_seed(node, settings.seed) for name, node in learned.items()},
            parameter_dtype(settings.loss_scale, dtype),
        ),
        functions=parts.functions,
        arguments=", ".join([*([step] if step else []), *parts.inputs]),
        body=indented(lines),
        optimizer=OPTIMISERS[settings.optimiser].format(rate=repr(settings.rate)),
        update=update.rstrip(),
        loop=loop.rstrip(),
    )
    return tidied(text)


def _dictionary(nodes: dict[str, Node], dtype: str) -> str:
    return "\n".join(f'    "{name}": {written(input_value(node, dtype))},' for name, node in nodes.items())


def _with_steps(parts: Parts) -> tuple[str, list[str]]:
    """Return (argument for the number of the step, lines): the seeds of noise count up with the steps.

    Raises:
      GraphError: a function of a rule draws.
    """
    if _SEED.search(parts.functions):
        message = "A node with a rule is random, and a program would draw the same in all steps."
        raise GraphError(Problem("random-rule", message, "Remove the rule, or put it on another node."))
    if not any(_SEED.search(line) for line in parts.lines):
        return "", parts.lines
    step = fresh("step", {word for line in parts.lines for word in re.findall(r"\w+", line)})
    later = rf"jax.random.key((\1 + {step}) & {limits.SEED})"
    return step, [_SEED.sub(later, line) for line in parts.lines]


def _written_steps(
    settings: Settings, steps: int, dtype: str, step: str, learned: dict[str, Node]
) -> tuple[str, str]:
    """Return the source of the update and of the loop."""
    apart = (
        "# Not under jax.jit: XLA would join operations of 16 bits, and constants such as 1e-4 * 1e-4 are 0."
    )
    jit = apart if DTYPES[dtype].half else "@jax.jit"
    still = [name for name, node in learned.items() if node.rule.kind == STOP]
    given = {
        "jit": jit,
        "dtype": dtype,
        "step": "step, " if step else "",
        "frozen": "\n".join(f'    change["{name}"] = jnp.zeros_like(change["{name}"])' for name in still),
    }
    if not is_mixed(settings.loss_scale, dtype):
        return _without_empty(_UPDATE.format(**given)), _LOOP.format(steps=steps)
    interval = settings.growth_interval
    grows = _GROWING.format(interval=interval, most=MOST, least=LEAST) if interval else ""
    update = _MIXED.format(**given, scaling=grows.rstrip())
    return _without_empty(update), _MIXED_LOOP.format(scale=settings.loss_scale, steps=steps)


def _without_empty(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line)

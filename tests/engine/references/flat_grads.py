"""Generate graphs in which a gradient depends on nothing smoothly, with rules that are not 0 at 0.

What such a rule passes says whether a 0 arrives or nothing does.
"""

from random import Random

from tests.seeds import seeded

FLAT = (
    "where({a} > {b}, {a}, {c})", "where({a}, {b}, {c})", "where({a} > 0.2, 1.0, {b})",
    "clip({a}, -0.5, 0.5)", "clip({a}, {b}, {c})", "leaky_relu({a})", "elu({a})", "relu({a})",
    "maximum({a}, {b})", "minimum({a}, 0.4)", "abs({a})", "sign({a})", "round({a})", "floor({a})",
    "{a} > {b}", "{b} * ({a} > 0.1)", "{a} + round({b})", "ones_like({a})", "zeros_like({a})",
)  # fmt: skip
SMOOTH = (
    "sin({a})", "tanh({a})", "exp(0.3 * {a})", "square({a})", "softplus({a})", "silu({a})", "identity({a})",
    "{a} * {b}", "{a} + {b}", "{a} - {b}", "{a} * 2.0", "{a} + 1.0", "{a} / (1.0 + square({b}))",
    "{a} + uniform(seed=4)",
)  # fmt: skip
TENSOR = (
    "sort({a})", "sort({a}) * {b}", "cumsum({a})", "softmax({a})", "log_softmax({a})", "{a} - max({a})",
    "{a} * argmax({b})", "dropout({a}, rate=0.5, seed=3)", "{a}[0] * {b}", "({a}).at[1].set({b}[0])",
    "{a} / (1.0 + norm({b}))", "logsumexp({a}) + {b}", "concatenate([{a}[0:1], {b}[1:3]])", "{a} + prod({b})",
    "{a} * softmax_cross_entropy_with_integer_labels({b}, 1.0)", "{a} * mean_squared_error({a}, {b})",
    "take({a}, argsort({b}))", "at_add({a}, argmax({b}), {c}[0])", "take_along_axis({a}, argsort({b})) * {c}",
    "layer_norm({a}, {b}, {c})", "sigmoid_binary_cross_entropy({a}, {b})",
)  # fmt: skip
ON_GRADIENTS = (
    "rewrite({}, lambda v: v + 1.0)",
    "rewrite({}, lambda v: 0.5)",
    "rewrite({}, lambda v: v * v - 2.0)",
    "scale_gradient({}, -0.5)",
    "stop_gradient({})",
)
RULES = (
    *ON_GRADIENTS,
    "rewrite({}, lambda v: clip(v, 0.5, 0.7))",
    "backward_as({}, {b})",
    "backward_as({}, 1.0)",
)
DECLARED = (
    "custom(sin({a}), pullback=lambda v, p, y: 1.0)",
    "custom(tanh({a}), pullback=lambda v, p, y: v * y + 1.0)",
    "custom(square({a}), pullback=lambda v, p, y: where(p > 0.0, v, 1.0))",
    "custom({a} * {b}, pullback=lambda v, p, q, y: (v + q, 1.0))",
    "custom({a} > {b}, pullback=lambda v, p, q, y: (v * v + 1.0, v))",
    "custom(where({a}, {b}, {c}), pullback=lambda v, p, q, r, y: (v + 1.0, sign(p) * v, r))",
)
MOST = 3  # gradients in a text


def flat_text(seed: int, leaf: str = "{}") -> str:
    """Write a random graph of the inputs x and w, numbers or both of three elements, with one to three
    gradients.

    Args:
      leaf: what an input is, around its number or list.
    """
    random, names, lines, grads = Random(seeded(seed)), ["x", "w"], [], 0
    tensor = random.random() < 0.4
    ops, count = FLAT * 2 + SMOOTH + (TENSOR if tensor else ()), random.randint(3, 8)
    for i in range(count):
        a, b, c = (random.choice([*names[-4:], "x"]) for _ in range(3))
        given = {"a": a, "b": b, "c": random.choice([c, c, "0.25"])}
        if (i >= 2 and grads < MOST and random.random() < 0.4) or (i == count - 1 and not grads):
            grads += 1
            line = f"grad({random.choice(names[2:][-3:])}, {random.choice(names[:4])})"
            rules, share = ON_GRADIENTS, 0.3
        elif random.random() < 0.15:
            line, rules, share = random.choice(DECLARED).format(**given), (), 0.0
        else:
            line, rules, share = random.choice(ops).format(**given), RULES, 0.35
        if random.random() < share:
            line = random.choice(rules).format(line, b=random.choice(names[-4:]))
        lines.append(f"n{i} = {line}")
        names.append(f"n{i}")
    if random.random() < 0.3:
        start = random.randrange(len(lines))
        end = random.randrange(start, len(lines)) + 1
        inside = [f"    {line}" for line in lines[start:end]]
        lines = [*lines[:start], "with checkpoint('r'):", *inside, *lines[end:]]
    total = " + ".join(names[-random.randint(1, 3) :])
    out = f"sum(tanh({total}))" if tensor else f"tanh({total})"
    inputs = [_input(random, name, number, tensor, leaf) for name, number in (("x", 0.6), ("w", 0.4))]
    return "\n".join([*inputs, *lines, f"out = {out}"])


def _input(random: Random, name: str, number: float, tensor: bool, leaf: str) -> str:
    given = leaf.format([number, number + 0.5, number - 0.9] if tensor else number)
    return f"{name} = {ON_GRADIENTS[0].format(given) if random.random() < 0.5 else given}"

"""Generate graphs with grad nodes in many places: rules, regions, noise, tensors, gradients of gradients."""

from random import Random

SHAPES = {
    "plain": ("sin({m} * x)", "exp({m}) * w"),
    "rewrite": ("rewrite(sin({m} * x), lambda v: clip(v * v, -5.0, 5.0))", "exp({m}) * w"),
    "scale": ("scale_gradient(tanh({m} * x), 0.5)", "{m} * w * w"),
    "declared": ("custom(exp({m} * x), pullback=lambda v, p, y: v * y * p)", "square({m}) * w"),
    "straight": ("backward_as(round({m} * 3.0), {m} * x * w)", "square({m}) * w"),
    "stopped": ("{m} * stop_gradient(x) * x", "square({m}) * sin(w * x)"),
}

ENDS = (
    "g = grad(z, x)\nout = square(g) * w",
    "g = scale_gradient(grad(z, a), -0.5)\nout = z + square(g) * a",
    "g = rewrite(grad(z, w), lambda v: v * v)\nout = g * sin(x) + a",
    "g = grad(z, x)\nh = grad(g * a, w)\nout = h * x + g",
    "with checkpoint('inner'):\n    g = grad(z, x)\n    k = g * a\nout = square(k)",
)


def _text(first: str, second: str, end: str, region: bool) -> str:
    lines = [f"a = {first.format(m='w')}", f"b = {second.format(m='a')}", "z = b * b + a * x"]
    body = "\n".join(lines)
    if region:
        body = "with checkpoint('outer'):\n" + "\n".join(f"    {line}" for line in lines)
    return f"x = 0.6\nw = 0.4\n{body}\n{end}"


TEXTS = [
    _text(first, second, ENDS[(i + 2 * region) % len(ENDS)], bool(region))
    for i, (first, second) in enumerate(SHAPES.values())
    for region in (0, 1)
]
TEXTS += [
    "x = [0.7, 1.0, 2.0, 3.0]\nd = dropout(square(x), rate=0.5, seed=3)\n"
    "z = sum(d * d)\ng = grad(z, x)\nk = sum(square(g))",
    "x = [0.7, 1.0]\nw = [[1.0, 2.0], [3.0, 4.0]]\ny = softmax(w @ x)\n"
    "z = logsumexp(y * x)\ng = grad(z, w)\nk = sum(g * g)",
    "x = [[0.7, 1.0], [2.0, -1.0]]\ny = concatenate([sum(x, axis=0), cumsum(x[0])])\n"
    "g = grad(norm(y), x)\nk = sum(g * x * x)",
]


RULES = (
    "stop_gradient({})",
    "scale_gradient({}, -0.5)",
    "backward_as({}, x * w)",
    "rewrite({}, lambda v: v * v)",
    "rewrite({}, lambda v: clip(v, -0.5, 0.5))",
)
OPS = ("sin({a})", "tanh({a})", "{a} * {b}", "{a} + {b}", "exp(0.3 * {a})", "square({a})")
MOST = 4  # gradients in a text


def random_text(seed: int) -> str:
    """Write a random graph of two inputs with gradients, rules, and in most cases a region."""
    random, names, lines, grads = Random(seed), ["x", "w"], [], 0
    for i in range(random.randint(4, 9)):
        if i >= 2 and grads < MOST and random.random() < 0.35:
            grads += 1
            line = f"grad({random.choice(names[2:])}, {random.choice(names)})"
            rules = (RULES[0], RULES[1], RULES[3])
        else:
            line, rules = random.choice(OPS).format(a=random.choice(names), b=random.choice(names)), RULES
        lines.append(f"n{i} = {random.choice(rules).format(line) if random.random() < 0.3 else line}")
        names.append(f"n{i}")
    if random.random() < 0.6:
        start = random.randrange(len(lines))
        end = random.randrange(start, len(lines)) + 1
        inside = [f"    {line}" for line in lines[start:end]]
        lines = [*lines[:start], "with checkpoint('r'):", *inside, *lines[end:]]
    return "\n".join(["x = 0.6", "w = 0.4", *lines, f"out = {' + '.join(names[-3:])}"])

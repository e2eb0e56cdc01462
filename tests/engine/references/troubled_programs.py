"""Generate random formulas at whose numbers an explanation has something to say: poles, overflows, traps of
`where`, dead units, stops and rules, roots of 0."""

from __future__ import annotations

from random import Random

from tests.seeds import seeded

NUMBERS = (0.0, 0.0, 0.0, 1.0, -1.0, 0.5, 2.0, 100.0, -110.0, 300.0, -0.3)
ONE = (
    *("sqrt({a})", "log({a})", "exp({a})", "square({a})", "norm({a})", "abs({a})", "relu({a})", "sin({a})"),
    *(
        "{a} ** 0.5",
        "{a} ** 0.0",
        "{a} ** 2.0",
        "{a} ** [0.0, 2.0]",
        "1.0 / {a}",
        "{a} / {a}",
        "[0.0, 3.0] / {a}",
    ),
    *("softmax({a})", "log(softmax({a}))", "log(sigmoid({a}))", "{a} + log([1.0, 0.0])", "{a} * log({a})"),
    *("round({a})", "floor({a})", "sign({a})", "clip({a}, -1.0, 1.0)", "maximum({a}, 0.0)", "tanh({a})"),
    *("sum({a})", "mean({a})", "max({a})", "identity({a})", "less({a}, 1.0)", "greater({a}, 0.0)"),
    *("log1p(exp({a}))", "log(1.0 + exp({a}))", "1.0 / (1.0 + exp(-{a}))", "exp({a}) / sum(exp({a}))"),
    *("square(sqrt({a}))", "sqrt(sum(square({a})))", "square(norm({a}))", "{a} / norm({a})"),
    *("maximum({a}, 0.0) + log1p(exp(-abs({a})))", "relu({a}) - relu(-{a})", "sqrt(1.0 - square({a}))"),
    "{a} * 70000.0",
)
TWO = (
    *(
        "{a} + {b}",
        "{a} - {b}",
        "{a} * {b}",
        "{a} / {b}",
        "{a} ** {b}",
        "{a} * log({b})",
        "maximum({a}, {b})",
    ),
    *("dot({a} + [0.0, 0.0], {b} + [0.0, 0.0])", "greater({a}, {b})"),
)
THREE = (
    *(
        "where({a}, {b}, {c})",
        "where(less({a}, 1.0), {a}, sqrt({a}))",
        "where(less({a}, 10.0), exp({a}), {b})",
    ),
    *("where(greater({a}, 0.0), {a} * log({a}), {b})", "where({a}, {b} / {a}, {c})"),
    *("where({a} > 0.0, {b} ** {a}, {c})", "where({a}, {b} * 2.0, 0.0)"),
)
RULES = (
    *("stop_gradient({0})", "scale_gradient({0}, -0.5)", "backward_as({0}, {0})"),
    *("rewrite({0}, lambda v: v * v)", "rewrite({0}, lambda v: 0.0 * v)"),
)


def troubled_text(seed: int, grads: bool = False) -> str:
    """Write a formula of two numbers and a vector, with rules, perhaps a region, and `grads` on demand."""
    random, names, lines = Random(seeded(seed)), ["x", "w", "n"], []
    x, first, second, n = (random.choice(NUMBERS) for _ in range(4))
    for i in range(random.randint(1, 5)):
        late = names[-1] if i and random.random() < 0.6 else random.choice(names)
        template = random.choice(random.choice((ONE, ONE, TWO, THREE)))
        line = template.format(a=late, b=random.choice(names), c=random.choice(names))
        if random.random() < 0.2:
            line = random.choice(RULES).format(line)
        if grads and i > 1 and random.random() < 0.3:
            line = f"grad({names[-1]}, {random.choice(names[:3])})"
        lines.append(f"m{i} = {line}")
        names.append(f"m{i}")
    if random.random() < 0.3:
        start = random.randrange(len(lines))
        end = random.randrange(start, len(lines)) + 1
        inside = [f"    {line}" for line in lines[start:end]]
        lines = [*lines[:start], "with checkpoint('r'):", *inside, *lines[end:]]
    out = f"out = sum({names[-1]}){' + x' if random.random() < 0.3 else ''}"
    return "\n".join([f"x = {x}", f"w = [{first}, {second}]", f"n = parameter({n})", *lines, out])

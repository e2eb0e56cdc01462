"""Write k branches in every way as formulas: small ones, with every way that numbers count branches."""

from __future__ import annotations

HEAD = """x = input(shape=(1, 4, 4, 2), seed=100)
logits = {logits}
p = softmax(logits)
with branches("gate"):
"""
BLOCK = """    with group("gate_{i}"):
        w_{i} = parameter(shape=(3, 3, 2, 2), seed={i})
        b_{i} = parameter(shape=(2,), seed={s})
        o_{i} = {line}
"""
CONV = 'conv2d(x, w_{i}, b_{i}, padding="SAME")'


def _blocks(k, first=CONV, more=CONV):
    lines = [(first if i == 1 else more).format(i=i, j=i - 1) for i in range(1, k + 1)]
    head = HEAD.format(logits=[round(0.1 * i, 1) for i in range(1, k + 1)])
    return head + "".join(BLOCK.format(i=i, s=i + 20, line=line) for i, line in enumerate(lines, 1))


def _outputs(k):
    return ", ".join(f"o_{i}" for i in range(1, k + 1))


def stacked(k):
    return f"""{_blocks(k)}s = stack([{_outputs(k)}])
y = sum(reshape(p, (-1, 1, 1, 1, 1)) * s, axis=0)
loss = mean(square(y))
"""


def running(k):
    more = "".join(f"y_{i} = y_{i - 1} + p[{i - 1}] * o_{i}\n" for i in range(2, k + 1))
    return f"{_blocks(k)}y_1 = p[0] * o_1\n{more}loss = mean(square(y_{k}))\n"


def inside(k):
    """The running sum within the branches."""
    return _blocks(k, f"p[0] * {CONV}", "o_{j} + p[{j}] * " + CONV) + f"loss = mean(square(o_{k}))\n"


def joined(k):
    return f"""{_blocks(k)}c = concatenate([{_outputs(k)}], axis=-1)
r = reshape(c, (1, 4, 4, -1, 2))
y = sum(r * reshape(p, (-1, 1)), axis=3)
loss = mean(square(y))
"""


def declared(k):
    pull = "lambda v, p, branches, y: (branches @ v, expand_dims(p, 1) * expand_dims(v, 0))"
    return f"""{_blocks(k)}rows = reshape(stack([{_outputs(k)}]), ({k}, -1))
y = custom(p @ rows, pullback={pull})
loss = mean(square(y))
"""


def declared_stack(k):
    args, results = (", ".join(form.format(i) for i in range(k)) for form in ("a_{}", "v[{}]"))
    pull = f"lambda v, {args}, y: ({results}{',' if k == 1 else ''})"
    return f"""{_blocks(k)}s = custom(stack([{_outputs(k)}]), pullback={pull})
y = sum(reshape(p, (-1, 1, 1, 1, 1)) * s, axis=0)
loss = mean(square(y))
"""


WAYS = (stacked, running, inside, joined, declared, declared_stack)

"""Write the formulas of the gated transformer for k branches, in four ways."""

LOGITS = (0.4, 0.1, -0.2, 0.3, 0.0, -0.1)
HEAD = """image = input(shape=(1, 6, 6, 2), seed=100)
logits = {logits}
p = softmax(logits)
with branches("transformer"):
"""
BRANCH = """    with group("transformer_{i}"):
        kernel_{i} = parameter(shape=(3, 3, 2, 2), seed={i})
        bias_{i} = parameter(shape=(2,), seed={seed})
        branch_{i} = conv2d(image, kernel_{i}, bias_{i}, padding="SAME")
"""
LOSS = "loss = mean(square(result))\n"
STACKED = """weighted = reshape(p, (-1, 1, 1, 1, 1)) * stack([{outputs}])
result = sum(weighted, axis=0)
"""
JOINED = """channels = concatenate([{outputs}], axis=-1)
weighted = reshape(channels, (1, 6, 6, -1, 2)) * reshape(p, (-1, 1))
result = sum(weighted, axis=3)
"""
DECLARED = """rows = reshape(stack([{outputs}]), ({k}, -1))
row = custom(p @ rows, pullback=lambda v, p, branches, y:
    (branches @ v, expand_dims(p, 1) * expand_dims(v, 0)))
result = reshape(row, (1, 6, 6, 2))
"""


def _written(k: int, tail: str) -> str:
    blocks = "".join(BRANCH.format(i=i, seed=10 + i) for i in range(1, k + 1))
    outputs = ", ".join(f"branch_{i}" for i in range(1, k + 1))
    head = HEAD.format(logits=list(LOGITS[:k]))
    return head + blocks + tail.format(outputs=outputs, k=k) + LOSS


def stacked(k: int) -> str:
    """Write the formula with a stack, weights and a sum."""
    return _written(k, STACKED)


def running(k: int) -> str:
    """Write the formula with a running sum, `result = result + p[i] * branch_i`, under new names."""
    names = [*(f"sum_{i}" for i in range(1, k)), "result"]
    terms = [f"p[{i}] * branch_{i + 1}" for i in range(k)]
    sums = [f"{names[0]} = {terms[0]}"]
    sums += [f"{names[i]} = {names[i - 1]} + {terms[i]}" for i in range(1, k)]
    return _written(k, "\n".join(sums) + "\n")


def joined(k: int) -> str:
    """Write the formula with a concatenation of channels, a reshape, weights and a sum."""
    return _written(k, JOINED)


def declared(k: int) -> str:
    """Write the formula with a declared pullback of the weighted sum, which uses the branches' values."""
    return _written(k, DECLARED)

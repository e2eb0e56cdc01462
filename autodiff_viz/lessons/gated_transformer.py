"""Teach k branches on one image, weighted and summed: four ways to write them, with equal gradients."""

from autodiff_viz.lessons.record import Claim, Law, Lesson, Like, Try, Variant
from autodiff_viz.lessons.sources import GATED
from autodiff_viz.lessons.tries import branches, collapsed, ruled, trained_alone

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


def _image_law(k: int) -> Law:
    """Return the law of the image's gradient.

    The pullback of a convolution is a convolution with the kernel turned by 180 degrees and its channels
    swapped.
    """
    turned = "transpose(kernel_{i}[::-1, ::-1], axes=(0, 1, 3, 2))"
    term = f'p[{{j}}] * conv2d(result, {turned}, [0.0, 0.0], padding="SAME")'
    terms = " + ".join(term.format(i=i, j=i - 1) for i in range(1, k + 1))
    return Law(f"({terms}) / 36.0", ("p", "result", *(f"kernel_{i}" for i in range(1, k + 1))))


def _weights_law(k: int) -> Law:
    inner = ", ".join(f"sum(result * branch_{i})" for i in range(1, k + 1))
    return Law(f"stack([{inner}]) / 36.0", ("result", *(f"branch_{i}" for i in range(1, k + 1))))


MEAN = "by hand: ȳ = 2·result/72 = result/36; "


def _claims(variant: int, k: int) -> tuple[Claim, ...]:
    image = f"{MEAN}Σ pᵢ · (pullback of branch i at ȳ), a convolution with the kernel turned round"
    return (
        Claim("d image", "gradient", "image", _image_law(k), image, variant, within=1e-7),
        Claim("d p", "cotangent", "p", _weights_law(k), f"{MEAN}⟨ȳ, branch i⟩", variant, within=1e-6),
    )


def _same(variant: int) -> tuple[Claim, ...]:
    source = "by hand: the same sum, written otherwise"
    return (
        Claim("The value as stacked", "value", "result", Like(0), source, variant, within=1e-6),
        Claim("d image as stacked", "gradient", "image", Like(0), source, variant, within=1e-7),
        Claim("d kernel as stacked", "gradient", "kernel_2", Like(0), source, variant, within=1e-7),
    )


LESSON = Lesson(
    key="gated-transformer",
    title="The gated transformer: k branches",
    summary="k convolutions of one image, weighted and summed: back at the image, k weighted pullbacks.",
    text=f"""In a Gated-GAN each of k blocks receives a copy of the image, and a class distribution `p`
weighs what they give: result = Σ pᵢ · branchᵢ. How to write this for any k, and differentiate it?
(*{GATED}*)

Backward the copies meet again: d image = Σ pᵢ · (pullback of branch i at ȳ). The gate receives how far
each branch points along ȳ: d pᵢ = ⟨ȳ, branchᵢ⟩.

There are four ways to write it here, with equal gradients.

k is a number: + and − beside it add and remove a branch. The others keep their weights, so that a new
one can be fine-tuned alone.""",
    variants=(
        Variant(
            "Stack, weigh, sum",
            stacked(3),
            look_at="branch_1",
            text="What the branches give is stacked on a new first axis, weighed with `p` and summed over "
            "that axis. Another branch is one more entry of the stack.",
        ),
        Variant(
            "Running sum",
            running(3),
            look_at="branch_1",
            text="`result = result + term`, written out: one product and one sum for each branch. A sum "
            "passes what arrives to both its terms.",
        ),
        Variant(
            "Concatenation",
            joined(3),
            look_at="branch_1",
            text="The branches are joined along their channels. A reshape gives each branch an axis entry of "
            "its own again, to be weighed with `p` and summed.",
        ),
        Variant(
            "Declared derivative",
            declared(3),
            look_at="row",
            text="The weighed sum is one op with a declared pullback. It may use what the branches gave, "
            "since that is the input of its op.",
        ),
        Variant(
            "Six branches",
            stacked(6),
            look_at="result",
            collapsed=("transformer",),
            text="The stack again, with k = 6. Only the list of branches is longer; the ops after it are the "
            "same three.",
        ),
    ),
    to_try=(
        Try(
            "Press **+** beside k = 3 on the frame of *transformer*: one more branch, joined as "
            "the last one is.",
            (branches("transformer", 4),),
            variant=0,
        ),
        Try(
            "Collapse *transformer* with its triangle: a stack of cards that keeps its number.",
            (collapsed("transformer"),),
            variant=0,
        ),
        Try(
            "Click **k = 3** and train *only transformer_3*: the other kernels are stopped. The "
            "image still receives all three pullbacks.",
            (trained_alone("transformer", "transformer_3"),),
            variant=0,
        ),
        Try(
            "Select *branch_2* and stop it: d image loses one term, and d p keeps all its numbers.",
            (ruled("branch_2", "stop"),),
            variant=0,
        ),
    ),
    claims=(
        *_claims(0, 3),
        *_claims(1, 3),
        *_same(1),
        *_claims(2, 3),
        *_same(2),
        *_claims(3, 3),
        *_same(3),
        *_claims(4, 6),
    ),
)

"""Teach k branches on one image, weighted and summed: with numbers, then with convolutions, in four ways."""

from autodiff_viz.lessons.lesson import (
    EXACTLY,
    GATED_QUESTION,
    Claim,
    Law,
    Lesson,
    Like,
    Part,
    Try,
    branches,
    collapsed,
    ruled,
    trained_alone,
)
from autodiff_viz.lessons.tour import Step

NUMBERS = """image = 3.0
p = [0.5, 0.25, 0.25]
branch_1 = 1.0 * image
branch_2 = 2.0 * image
branch_3 = 4.0 * image
result = dot(p, stack([branch_1, branch_2, branch_3]))
"""
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


MEAN = "by hand: ȳ = 2·result/72 = result/36; "


def _claims(variant: int, k: int) -> tuple[Claim, ...]:
    branches = range(1, k + 1)
    # The pullback of a convolution is a convolution with the kernel turned by 180 degrees and its channels
    # swapped.
    turned = "transpose(kernel_{i}[::-1, ::-1], axes=(0, 1, 3, 2))"
    term = f'p[{{j}}] * conv2d(result, {turned}, [0.0, 0.0], padding="SAME")'
    terms = " + ".join(term.format(i=i, j=i - 1) for i in branches)
    image_law = Law(f"({terms}) / 36.0", ("p", "result", *(f"kernel_{i}" for i in branches)))
    products = ", ".join(f"sum(result * branch_{i})" for i in branches)
    weights_law = Law(f"stack([{products}]) / 36.0", ("result", *(f"branch_{i}" for i in branches)))
    image = f"{MEAN}Σ pᵢ · (pullback of branch i at ȳ), a convolution with the kernel turned round"
    return (
        Claim("d image", "gradient", "image", image_law, image, variant, within=1e-7),
        Claim("d p", "cotangent", "p", weights_law, f"{MEAN}⟨ȳ, branch i⟩", variant, within=1e-6),
    )


def _same(variant: int) -> tuple[Claim, ...]:
    source = "by hand: the same sum, written otherwise"
    return (
        Claim("The value as stacked", "value", "result", Like(1), source, variant, within=1e-6),
        Claim("d image as stacked", "gradient", "image", Like(1), source, variant, within=1e-7),
        Claim("d kernel as stacked", "gradient", "kernel_2", Like(1), source, variant, within=1e-7),
    )


LESSON = Lesson(
    key="gated-transformer",
    track="documents",
    title="The gated transformer: k branches",
    summary="k branches see one image, weighted and summed: back at the image, k weighted gradients.",
    text=f"""Several branches receive a copy of one image, and a gate `p` says how much each of them counts:
result = Σ pᵢ · branchᵢ. In a Gated-GAN
the branches are blocks of a network.

On the way back the copies meet again, and so their gradients add: each branch's, times its pᵢ. The gate gets
something too: each pᵢ hears how large its branch is.

Begin with numbers. The other graphs have convolutions in place of the three products, and say the same.
{GATED_QUESTION}, asks how to write this for any k; there are four ways here, with equal gradients.""",
    steps=(
        Step(
            "With numbers",
            NUMBERS,
            look_at="image",
            text="The image is one number, 3, and the branches multiply it by 1, 2 and 4. At `image` arrives "
            "0.5 · 1 + 0.25 · 2 + 0.25 · 4 = 2. At `p` arrive the branches' values: 3, 6 and 12.",
        ),
        Step(
            "Stack, weigh, sum",
            stacked(3),
            look_at="branch_1",
            text="What the branches give is stacked, weighed with `p` and summed. With ȳ for what arrives at "
            "`result`: d image = Σ pᵢ · (pullback of branch i at ȳ), as with numbers. And d pᵢ = "
            "⟨ȳ, branchᵢ⟩: multiplied element by element, and added up.",
        ),
        Step(
            "Running sum",
            running(3),
            look_at="branch_1",
            text="`result = result + term`, written out: one product and one sum for each branch. A sum "
            "passes what arrives to both its terms.",
        ),
        Step(
            "Concatenation",
            joined(3),
            look_at="branch_1",
            text="The branches are joined along their channels. A reshape gives each branch an axis entry of "
            "its own again, to be weighed with `p` and summed.",
        ),
        Step(
            "Declared derivative",
            declared(3),
            look_at="row",
            text="The weighed sum is one op with a declared pullback. It may use what the branches gave, "
            "since that is the input of its op.",
        ),
        Step(
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
            "Stop `branch_3`: at `image` 0.5 + 0.5 = 1 is left, and `p` gets what it got before.",
            (Part(0, (ruled("branch_3", "stop"),)),),
            ("image", "p"),
        ),
        Try(
            "In *Stack, weigh, sum* press **+** beside k = 3 on the frame of *transformer*: one more branch, "
            "joined as the last one is. The others keep their weights.",
            (Part(1, (branches("transformer", 4),)),),
        ),
        Try(
            "There collapse *transformer* with its triangle: a stack of cards that keeps its number.",
            (Part(1, (collapsed("transformer"),)),),
        ),
        Try(
            "There, with three branches, click **k = 3** and train *only transformer_3*: the other kernels "
            "are stopped. The image still receives all three pullbacks.",
            (Part(1, (branches("transformer", 3), trained_alone("transformer", "transformer_3"))),),
            ("image",),
        ),
        Try(
            "There select *branch_2* and stop it: d image loses one term, and d p keeps all its numbers.",
            (Part(1, (ruled("branch_2", "stop"),)),),
            ("image", "p"),
        ),
    ),
    claims=(
        Claim(
            "The result",
            "value",
            "result",
            6.0,
            "by hand: 0.5·3 + 0.25·6 + 0.25·12",
            0,
            EXACTLY,
        ),
        Claim("d image", "gradient", "image", 2.0, "by hand: 0.5·1 + 0.25·2 + 0.25·4", 0, EXACTLY),
        Claim("d p", "gradient", "p", (3.0, 6.0, 12.0), "by hand: 1·3, 2·3, 4·3", 0, EXACTLY),
        *_claims(1, 3),
        *_claims(2, 3),
        *_same(2),
        *_claims(3, 3),
        *_same(3),
        *_claims(4, 3),
        *_same(4),
        *_claims(5, 6),
    ),
    numbers=(5, 0, 1, 2, 3, 4),
)

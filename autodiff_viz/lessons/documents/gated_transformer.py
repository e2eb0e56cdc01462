"""Ask what k weighed branches send back to one image: with numbers, then with convolutions, in four ways."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    GATED_QUESTION,
    RIGHT,
    TOLD,
    Claim,
    Law,
    Lesson,
    Like,
    Part,
    Prediction,
    Try,
    branches,
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
    title="Three branches, one gate: what comes back to the image?",
    summary="Copies of one image go through branches, and a gate says how much each of them counts.",
    level=2,
    minutes=4,
    after=("fork", "matmul"),
    found_by=("mixture", "gate", "k branches", "Gated-GAN", "copies of a tensor"),
    text="`image` is 3. Three branches multiply it by 1, 2 and 4, and the gate `p` weighs them: ½, ¼ and ¼. "
    "`result` is the sum.",
    steps=(
        Step(
            "With numbers",
            NUMBERS,
            look_at="image",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "image"),
                    words="What arrives at `image`?",
                    told=(
                        (
                            "7",
                            "7 adds up the branches and forgets the gate: only a part of what each sends "
                            "counts.",
                        ),
                        (
                            "2.33",
                            "2.33 is the mean of 1, 2 and 4. This gate does not weigh them alike.",
                        ),
                        (
                            "4",
                            "4 is the largest branch, with its weight forgotten. All three send something.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="paths",
            text="½ · 1 + ¼ · 2 + ¼ · 4 = 2. Copies forward are a sum on the way back, each with its "
            "weight. And what the gate gets is how large each branch is.",
        ),
        Step(
            "Stack, weigh, sum",
            stacked(3),
            look_at="branch_1",
            text="Convolutions in place of the three products. What they give is stacked, weighed and "
            "summed; `image` gets the sum of what the three pass back, each times its `p`.",
        ),
        Step(
            "Running sum",
            running(3),
            look_at="branch_1",
            text="The same, one product and one sum for each branch.",
        ),
        Step(
            "Concatenation",
            joined(3),
            look_at="branch_1",
            text="The same, with the branches joined along their channels and taken apart by a reshape.",
        ),
        Step(
            "Declared derivative",
            declared(3),
            look_at="row",
            text="The same, with one op for the weighed sum, whose pullback is declared.",
        ),
        Step(
            "Six branches",
            stacked(6),
            look_at="result",
            collapsed=("transformer",),
            text="The stack with k = 6. The ops behind it are the same three.",
        ),
    ),
    to_try=(
        Try(
            "Stop `branch_3`: 1 is left at `image`, and `p` gets 3, 6 and 12 as before.",
            (Part(0, (ruled("branch_3", "stop"),)),),
            ("image", "p"),
            then=(
                Claim("d image", "gradient", "image", 1.0, "by hand: 0.5·1 + 0.25·2", within=EXACTLY),
                Claim("d p", "gradient", "p", (3.0, 6.0, 12.0), "by hand: 1·3, 2·3, 4·3", within=EXACTLY),
            ),
        ),
        Try(
            "In *Stack, weigh, sum* press **+** beside k = 3 on the frame of *transformer*: one branch more.",
            (Part(1, (branches("transformer", 4),)),),
        ),
        Try(
            "There, with three branches, click **k = 3** and train *only transformer_3*: something still "
            "comes to the image from all three.",
            (Part(1, (branches("transformer", 3), trained_alone("transformer", "transformer_3"))),),
            ("image",),
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
    predictions=(
        Prediction("2", RIGHT),
        Prediction("7", TOLD),
        Prediction("2.33", TOLD),
        Prediction("4", TOLD),
    ),
    numbers=(5, 0, 1, 2, 3, 4),
    sources=(
        f"{GATED_QUESTION}, asks how to write this for any k; four ways are here, with equal gradients.",
    ),
    code="""p = jnp.array([0.5, 0.25, 0.25])

def result(image):
    return p @ jnp.stack([1.0 * image, 2.0 * image, 4.0 * image])

jax.grad(result)(3.0)  # 2.0
""",
)

"""Write programs of TensorFlow at random as people write them: variables, tapes and updates.

python -m tests.reading.tensorflow_programs 7     shows the program of seed 7
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field

from tests.reading.programs import MATRIX, NUMBER, VECTOR, numbers

FUNCTIONS = """@tf.custom_gradient
def clipped(x):
    def grad(upstream):
        return tf.clip_by_value(upstream, -0.5, 0.5)
    return tf.identity(x), grad
@tf.custom_gradient
def rounded(x):
    return tf.round(x), lambda upstream: upstream
@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))
    return tf.math.log(1 + e), grad
@tf.function
def cubic(x):
    return x * x * x * 0.2 - x
"""

UNARY = (
    "tf.sin({0})",
    "tf.cos({0})",
    "tf.tanh({0})",
    "tf.sigmoid({0})",
    "tf.exp({0} * 0.3)",
    "tf.nn.softplus({0})",
    "tf.nn.relu({0})",
    "tf.nn.elu({0})",
    "tf.nn.leaky_relu({0}, alpha=0.1)",
    "tf.nn.relu6({0} * 4.0)",
    "tf.nn.silu({0})",
    "tf.nn.gelu({0})",
    "tf.square({0})",
    "{0} ** 2",
    "{0} * 0.5",
    "-{0}",
    "1.5 - {0}",
    "tf.abs({0}) + 0.5",
    "tf.sqrt({0} * {0} + 1.0)",
    "tf.math.log({0} * {0} + 1.0)",
    "tf.math.rsqrt({0} * {0} + 0.5)",
    "tf.math.atan({0})",
    "tf.clip_by_value({0}, -1.1, 1.1)",
    "tf.stop_gradient({0})",
    "tf.identity({0})",
    "tf.where({0} > 0.1, {0}, {0} * 0.3)",
    "tf.cast({0} > 0.0, tf.float32) * {0}",
    "tf.math.reciprocal({0} * {0} + 1.0)",
    "tf.math.sign({0}) * {0}",
    "clipped({0})",
    "rounded({0} * 1.3)",
    "log1pexp({0})",
    "cubic({0})",
)
BINARY = (
    "{0} + {1}",
    "{0} - {1}",
    "{0} * {1}",
    "{0} / ({1} ** 2 + 1.0)",
    "tf.maximum({0}, {1} + 0.05)",
    "tf.minimum({0}, {1} - 0.05)",
    "tf.where({0} > {1}, {0}, {1} * 2.0)",
    "tf.math.squared_difference({0}, {1})",
    "tf.reduce_mean(tf.stack([{0}, {1}]), axis=0)",
    "tf.add_n([{0}, {1}, {0}])",
    "tf.math.divide_no_nan({0}, {1})",
    "tf.atan2({0}, {1} ** 2 + 1.0)",
    "tf.pow({0} * {0} + 0.5, {1})",
)
FOLDS = {
    VECTOR: (
        ("tf.reduce_sum({0})", NUMBER),
        ("tf.reduce_mean({0} * {0})", NUMBER),
        ("tf.reduce_max({0})", NUMBER),
        ("tf.norm({0})", NUMBER),
        ("tf.nn.softmax({0})", VECTOR),
        ("tf.nn.log_softmax({0})", VECTOR),
        ("tf.cumsum({0})", VECTOR),
        ("tf.reverse({0}, axis=[0])", VECTOR),
        ("tf.gather({0}, [2, 0, 2])", VECTOR),
        ("tf.stack([{0}, {0} * 2.0])", MATRIX),
        ("tf.tile({0}[tf.newaxis], [2, 1])", MATRIX),
        ("tf.concat([{0}[1:], {0}[:1]], 0)", VECTOR),
        ("tf.linalg.matvec([[0.5, -1.0, 0.25], [1.0, 0.5, -0.5], [0.25, 0.0, 1.0]], {0})", VECTOR),
        ("tf.nn.l2_loss({0})", NUMBER),
        ("tf.reduce_logsumexp({0})", NUMBER),
        ("tf.nn.sparse_softmax_cross_entropy_with_logits(labels=1, logits={0})", NUMBER),
        ("tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0, 1.0], logits={0})", VECTOR),
    ),
    MATRIX: (
        ("tf.reduce_sum({0}, axis=0)", VECTOR),
        ("tf.reduce_mean({0}, axis=0)", VECTOR),
        ("tf.reduce_max({0}, axis=0)", VECTOR),
        ("{0}[1]", VECTOR),
        ("{0}[0] * {0}[1]", VECTOR),
        ("tf.transpose({0})[:, 1]", VECTOR),
        ("tf.reshape({0}, [-1])[1:4]", VECTOR),
        ("tf.nn.softmax({0}, axis=1)", MATRIX),
        ("{0} - tf.reduce_mean({0}, axis=1, keepdims=True)", MATRIX),
        ("tf.reduce_sum({0})", NUMBER),
        ("tf.matmul(tf.matmul({0}, {0}, transpose_b=True), {0})", MATRIX),
        ("tf.math.l2_normalize({0}, axis=1)", MATRIX),
        ("tf.unstack({0})[0] + {0}[1]", VECTOR),
        ("tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits={0})[0]", NUMBER),
    ),
    NUMBER: (("{0} * tf.ones(3)", VECTOR), ("tf.fill([3], {0})", VECTOR), ("{0} * 2.0", NUMBER)),
}
SHAPES = {"x": VECTOR, "w": VECTOR, "A": MATRIX}


@dataclass
class Program:
    """A program that is being written."""

    draw: random.Random
    lines: list[str] = field(default_factory=list)
    count: int = 0

    def write(self, line: str, depth: int = 0) -> None:
        self.lines.append("    " * depth + line)

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def compute(self, shapes: dict[str, tuple[int, ...]], count: int, depth: int) -> None:
        """Write lines that compute something of names with shapes, which get those of the results too."""
        for _ in range(count):
            recent = list(shapes)[-3:] if self.draw.random() < 0.7 else list(shapes)
            name = self.draw.choice(recent)
            what = self.draw.random()
            if what < 0.45:
                text, made = self.draw.choice(UNARY).format(name), shapes[name]
            elif what < 0.7:
                others = [other for other, own in shapes.items() if own == shapes[name]]
                text, made = self.draw.choice(BINARY).format(name, self.draw.choice(others)), shapes[name]
            else:
                text, made = self.draw.choice(FOLDS[shapes[name]])
                text = text.format(name)
            new = self.name("h")
            self.write(f"{new} = {text}", depth)
            shapes[new] = made

    def loss(self, shapes: dict[str, tuple[int, ...]], depth: int) -> str:
        """Write a number made of the last values, and return its name."""
        last = list(shapes)[-1]
        total = (
            last if shapes[last] == NUMBER else f"tf.reduce_sum({last} * {self.draw.choice(['0.5', last])})"
        )
        new = self.name("loss")
        self.write(f"{new} = {total} + 0.1 * tf.reduce_sum(x * w)", depth)
        return new


def gradient(p: Program) -> None:
    """Record with a tape and ask it, once or several times."""
    draw = p.draw
    again = draw.random() < 0.4
    p.write(f"with tf.GradientTape({'persistent=True' if again else ''}) as tape:")
    shapes = dict(SHAPES)
    if draw.random() < 0.6:
        p.write("tape.watch(c)", 1)
        shapes["c"] = VECTOR
    p.compute(shapes, draw.randint(2, 5), 1)
    if draw.random() < 0.2:
        p.write("with tape.stop_recording():", 1)
        p.compute(shapes, 1, 2)
    loss = p.loss(shapes, 1)
    for _ in range(draw.randint(1, 2) if again else 1):
        g = p.name("g")
        asked = draw.choice(("x", "w", "A", "c", "[x, w]", "[x, A, c]"))
        more = draw.choice(
            ("", "", ", unconnected_gradients='zero'", ", unconnected_gradients=tf.UnconnectedGradients.ZERO")
        )
        vectors = [name for name, shape in shapes.items() if shape == VECTOR and name[0] == "h"]
        target = draw.choice(vectors) if vectors and draw.random() < 0.2 else loss
        if target != loss and draw.random() < 0.5:
            more += ", output_gradients=tf.constant([1.0, -2.0, 0.5])"
        p.write(f"{g} = tape.gradient({target}, {asked}{more})")


def second(p: Program) -> None:
    """Record with a tape inside another one."""
    p.write("with tf.GradientTape() as outer:")
    p.write("with tf.GradientTape() as inner:", 1)
    shapes = dict(SHAPES)
    p.compute(shapes, p.draw.randint(1, 3), 2)
    loss = p.loss(shapes, 2)
    g = p.name("g")
    p.write(f"{g} = inner.gradient({loss}, x)", 1)
    penalty = p.name("loss")
    p.write(f"{penalty} = tf.reduce_sum({g} * {g})", 1)
    p.write(f"{p.name('g')} = outer.gradient({penalty}, {p.draw.choice(('x', 'w', '[x, w]'))})")


def jacobian(p: Program) -> None:
    """Ask a tape for a Jacobian."""
    p.write("with tf.GradientTape() as tape:")
    shapes = dict(SHAPES)
    p.compute(shapes, p.draw.randint(1, 3), 1)
    name = next(one for one, shape in reversed(shapes.items()) if shape == VECTOR)
    y = p.name("y")
    p.write(f"{y} = {name} * 1.5 + tf.sin(x)", 1)
    p.write(f"{p.name('g')} = tape.jacobian({y}, {p.draw.choice(('x', 'w'))})")


def train(p: Program) -> None:
    """Train for some steps."""
    draw = p.draw
    optimizer = draw.choice(
        ("", "", "tf.keras.optimizers.SGD(0.1)", "tf.keras.optimizers.SGD(0.1, momentum=0.9)")
    )
    if optimizer:
        p.write(f"opt = {optimizer}")
    p.write(f"for step in range({draw.randint(1, 3)}):")
    p.write("with tf.GradientTape() as tape:", 1)
    shapes = dict(SHAPES)
    p.compute(shapes, draw.randint(1, 2), 2)
    loss = p.loss(shapes, 2)
    p.write(f"grads = tape.gradient({loss}, [x, w])", 1)
    if optimizer:
        p.write("opt.apply_gradients(zip(grads, [x, w]))", 1)
    else:
        p.write("x.assign_sub(0.1 * grads[0])", 1)
        p.write("w.assign(w - 0.1 * grads[1])", 1)


def change(p: Program) -> None:
    """Change a variable, or compute without a tape."""
    if p.draw.random() < 0.5:
        p.write(
            p.draw.choice(("x.assign_add(tf.ones(3) * 0.25)", "w.assign(w * 0.5)", "A.assign_sub(0.1 * A)"))
        )
    else:
        p.write(f"{p.name('y')} = {p.draw.choice(BINARY).format('x', 'w')}")


def tensorflow_program(seed: int) -> str:
    """A program of TensorFlow."""
    draw = random.Random(seed)
    p = Program(draw, ["import tensorflow as tf", *FUNCTIONS.splitlines()])
    for name, shape in SHAPES.items():
        p.write(f"{name} = {numbers(draw, shape).replace('torch.tensor', 'tf.Variable')}")
    p.write(f"c = {numbers(draw, VECTOR).replace('torch.tensor', 'tf.constant')}")
    for step in draw.choices(
        [gradient, second, jacobian, train, change], [5, 2, 1, 2, 1], k=draw.randint(2, 4)
    ):
        step(p)
    gradient(p)
    return "\n".join(p.lines) + "\n"


if __name__ == "__main__":
    print(tensorflow_program(int(sys.argv[1])))

"""Define loss functions, with the names and definitions of Optax.

A loss gives one number per example, of which a graph takes the mean; `mean_squared_error` includes the mean.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from autodiff_viz.ops.op import Op

GROUP = "Losses"


def mean_squared_error(predictions: Array, targets: Array) -> Array:
    """Return the mean of (predictions - targets)^2 over all elements of the broadcast difference."""
    return jnp.mean(jnp.square(predictions - targets))


def softmax_cross_entropy_with_integer_labels(logits: Array, labels: Array) -> Array:
    """Return -ln of the probability that softmax(logits [..., classes]) gives to the class `labels` [...].

    Labels are whole numbers from 0; their fractions are dropped, and no cotangent is passed to them.
    """
    chosen = jnp.take_along_axis(logits, jnp.expand_dims(labels, -1).astype(int), axis=-1)[..., 0]
    return jax.nn.logsumexp(logits, axis=-1) - chosen


def sigmoid_binary_cross_entropy(logits: Array, labels: Array) -> Array:
    """Return -ln of the probability that sigmoid(logits) gives to `labels` in [0, 1], element by element."""
    return jax.nn.softplus(logits) - labels * logits


OPS = (
    Op(
        name="mean_squared_error",
        group=GROUP,
        symbol="MSE",
        doc="Mean of the squared differences: a number.",
        aliases=("mse", "loss", "mse_loss", "l2_loss", "squared_error"),
        apply=mean_squared_error,
        source="jnp.mean(jnp.square(predictions - targets))",
        slots=("predictions", "targets"),
        latex=r"\operatorname{mean}\left( (<predictions> - <targets>)^{2} \right)",
        derivative=(
            r"\frac{2}{n} \, (<predictions> - <targets>) \, \bar y",
            r"\frac{2}{n} \, (<targets> - <predictions>) \, \bar y",
        ),
        elementwise=False,
        domain=((-2.0, 2.0),) * 2,
        examples=(
            (((), ()), {}),
            (((4,), (4,)), {}),
            (((4, 1), (4,)), {}),
        ),
        broadcasts=True,
    ),
    Op(
        name="softmax_cross_entropy_with_integer_labels",
        group=GROUP,
        symbol="xent",
        doc="Surprise at the right class, where softmax of the logits are the chances; one per example.",
        aliases=("cross entropy", "loss", "nll", "softmaxcrossentropy", "nll_loss"),
        apply=softmax_cross_entropy_with_integer_labels,
        source=(
            "(lambda z, k: jax.nn.logsumexp(z, axis=-1) - "
            "jnp.take_along_axis(z, jnp.expand_dims(k, -1).astype(int), axis=-1)[..., 0])(logits, labels)"
        ),
        slots=("logits", "labels"),
        latex=r"\ln \textstyle\sum e^{<logits>} - <logits>_{<labels>}",
        derivative=(
            r"\bar y \, (\operatorname{softmax}(<logits>) - \operatorname{onehot}(<labels>))",
            r"0 \text{ for } <labels> \text{: a class is a whole number}",
        ),
        elementwise=False,
        domain=((-3.0, 3.0), (0.0, 2.99)),
        examples=(
            (((3,), ()), {}),
            (((4, 3), (4,)), {}),
        ),
    ),
    Op(
        name="sigmoid_binary_cross_entropy",
        group=GROUP,
        symbol="BCE",
        doc="Surprise at a label of 0 or 1, where sigmoid of the logit is the chance of 1.",
        aliases=(
            "cross entropy",
            "bce",
            "loss",
            "binary_cross_entropy",
            "bce_with_logits",
            "sigmoidcrossentropy",
        ),
        apply=sigmoid_binary_cross_entropy,
        source="(lambda z: jax.nn.softplus(z) - labels * z)(logits)",
        slots=("logits", "labels"),
        latex=r"\ln(1 + e^{<logits>}) - <labels> \cdot <logits>",
        derivative=(
            r"\sigma(<logits>) - <labels>",
            r"-<logits>",
        ),
        domain=((-3.0, 3.0), (0.0, 1.0)),
        examples=(
            (((), ()), {}),
            (((2, 3), (2, 3)), {}),
        ),
    ),
)

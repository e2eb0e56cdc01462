"""Name the documents that the claims cite as sources, and introduce them for the lessons' texts."""

SWIFT = "Custom differentiation, the Swift for TensorFlow tutorial"
QUESTION = "Tensorflow: use different expressions for forward and backward pass, the question"
TWO_MODELS = "Calculating the gradient between two models, the answer"
TWO_MODELS_ASKED = "Calculating the gradient between two models, the question"
ANSWER = "Tensorflow: use different expressions for forward and backward pass, the answer"
GATED = "How to differentiate k copies of an input tensor, a question on Swift for TensorFlow"

SWIFT_PAGE = "https://www.tensorflow.org/swift/tutorials/custom_differentiation"
NOISE_COPY = "https://etbye.com/python-tensorflow-use-different-expressions-for-forward-and"
GATED_COPY = "https://www.f2er.com/3162970.html"

TUTORIAL = f"[Custom differentiation]({SWIFT_PAGE}), a tutorial of Swift for TensorFlow"
NOISE = (
    "*Tensorflow: use different expressions for forward and backward pass*, a question with one answer "
    f"([a copy]({NOISE_COPY}))"
)
GATED_QUESTION = (
    "*How to differentiate k copies of an input tensor*, a question on Swift for TensorFlow "
    f"([a copy in Chinese]({GATED_COPY}))"
)
TWO_MODELS_QUESTION = (
    "*Calculating the gradient between two models*, a question on TensorFlow that its asker answered"
)
INTRODUCTIONS = {
    SWIFT: TUTORIAL,
    QUESTION: NOISE,
    ANSWER: NOISE,
    GATED: GATED_QUESTION,
    TWO_MODELS: TWO_MODELS_QUESTION,
    TWO_MODELS_ASKED: TWO_MODELS_QUESTION,
}
"""What a lesson's text says of each document where it first speaks of it."""

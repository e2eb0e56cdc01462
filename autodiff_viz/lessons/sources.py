"""Name the documents that the claims cite as sources."""

SWIFT = "Custom differentiation, the Swift for TensorFlow tutorial"
QUESTION = "Tensorflow: use different expressions for forward and backward pass, the question"
TWO_MODELS = "Calculating the gradient between two models, the answer"
TWO_MODELS_ASKED = "Calculating the gradient between two models, the question"
ANSWER = "Tensorflow: use different expressions for forward and backward pass, the answer"
GATED = "How to differentiate k copies of an input tensor, a question on Swift for TensorFlow"

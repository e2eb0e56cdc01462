// @ts-check
// Declare Python's records for the browser. `python -m autodiff_viz.lab.shared_constants` writes this file.

/** @typedef {{ label: string, action: string, does: string, says: string, icon: string, colour: string,
 *   key: string, asks: string, replaces: boolean, alternative: boolean }} RuleKind */

/** Kinds of rules, by name. @type {Record<string, RuleKind>} */
export const RULES = {
  "follow": {"label": "follow", "action": "Follow JAX", "does": "follows JAX", "says": "Follows JAX's own derivative.", "icon": "", "colour": "rule", "key": "", "asks": "", "replaces": false, "alternative": false},
  "stop": {"label": "stop", "action": "Stop gradient", "does": "passes no gradient", "says": "Stops: whatever arrives, nothing is passed on.", "icon": "M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5zM5 8h6", "colour": "stop", "key": "s", "asks": "", "replaces": false, "alternative": false},
  "rewrite": {"label": "rewrite", "action": "Rewrite cotangent", "does": "rewrites the arriving cotangent", "says": "Rewrites the cotangent that arrives, then follows JAX.", "icon": "M3 13l.7-3L10.8 2.9l2.3 2.3L6 12.3zM9.2 4.5l2.3 2.3", "colour": "rule", "key": "r", "asks": "What becomes of the cotangent", "replaces": false, "alternative": false},
  "scale": {"label": "scale", "action": "Scale gradient", "does": "scales the gradient", "says": "Multiplies the cotangent that arrives by a number, then follows JAX.", "icon": "M3 13 13 3M8.5 3H13v4.5M3 8.5V13h4.5", "colour": "rule", "key": "x", "asks": "Scale of the gradient", "replaces": false, "alternative": false},
  "pullback": {"label": "pullback", "action": "Declare pullback", "does": "has a declared pullback", "says": "Passes what the declared pullback says.", "icon": "M10.2 2.8C8.2 2.2 7.3 3.2 7 5L5.8 11.5c-.3 1.6-1.2 2.2-2.6 1.8M4.6 6.8h4.6M13 2.8l-.9 3", "colour": "rule", "key": "p", "asks": "What is passed down the wires", "replaces": true, "alternative": false},
  "backward_as": {"label": "backward as", "action": "Go backward as another expression", "does": "goes backward as another expression", "says": "Runs forward as it is, and is differentiated as its alternative.", "icon": "M2 4.5h12M11.5 2 14 4.5 11.5 7M14 11.5h-1.5M10.5 11.5H9M7 11.5H2M4.5 9 2 11.5 4.5 14", "colour": "rule", "key": "b", "asks": "Backward expression", "replaces": true, "alternative": true},
};

/** @typedef {{ keeps: string, mark: string, takesNames: boolean }} Policy */

/** Policies of checkpoint regions, by name. @type {Record<string, Policy>} */
export const POLICIES = {
  "nothing_saveable": {"keeps": "only what enters it", "mark": "", "takesNames": false},
  "everything_saveable": {"keeps": "everything", "mark": "keeps everything", "takesNames": false},
  "dots_saveable": {"keeps": "products of matrices (dots)", "mark": "keeps dots", "takesNames": false},
  "dots_with_no_batch_dims_saveable": {"keeps": "products of matrices, but not of batches of them", "mark": "keeps dots without batches", "takesNames": false},
  "save_only_these_names": {"keeps": "the nodes chosen here", "mark": "keeps names", "takesNames": true},
};

/** Sizes, limits and texts. @type {import("../types.js").Shared} */
export const shared = {
  "card": {"w": 128, "h": 80, "slot": 22},
  "pictured": {"w": 152, "h": 132},
  "cells": {"most": 4, "beside": 2, "head": 46, "line": 17},
  "group": {"w": 168, "head": 36, "foot": 8, "port": 24, "numbers": 46, "steps": 38},
  "frame": {"pad": 24.0, "level": 28.0, "tab": 22.0},
  "tab": {"h": 40.0, "gap": 5.0, "near": 6.0, "slack": 60.0, "aside": 22.0, "under": 14.0},
  "clear": 20.0,
  "limits": {"branches": 16, "document": 2000000, "edits": 1000, "line": 2000, "message": 6000000, "name": 64, "npy": 534288, "prose": 4000, "title": 120, "tour_steps": 40},
  "drawings": 8,
  "written_out": "; loop written out",
  "data_of": "Data of",
  "alternative": "backward as",
  "letters": {"input": "xyzwuvpqrst", "random": "xyzwuvpqrst", "parameter": "wbuvpqrst"},
  "inputs": {"input": {"value": "1", "literal": "1.0"}, "parameter": {"value": "0.5", "literal": "0.5"}, "random": {"value": "–"}},
  "nothing": "–",
  "asked": "?",
  "minus": "−",
  "vector": 20,
  "shown": 3,
  "digits": 6,
  "plain": {"float32": 1000000.0},
  "halves": {"float16": {"bits": 11, "least": -14, "digits": 4}, "bfloat16": {"bits": 8, "least": -126, "digits": 3}},
  "decades": 4,
  "glossary": {"value": "What a node computes in the forward pass.", "cotangent": "Cotangent of a node: how fast the output moves when this node moves, as far as stops and other rules let it through. For a loss it is the gradient.", "gradient": "The cotangent that arrives at an input or a parameter: what training uses.", "seed": "The cotangent with which the backward pass begins, at the output: 1, unless you set another.", "pullback": "The backward step of a node: it takes the cotangent that arrives at the node and gives what each of its wires passes back.", "arriving cotangent": "The sum of what all readers of this node pass back to it.", "passes": "What a node gives back down one of its wires: its part of the cotangent at the wire's other end.", "rule": "What a node does with the gradient in place of JAX's own derivative: stop, rewrite, scale, a declared pullback, or backward as another expression.", "residual": "An array that the forward pass keeps, since the backward pass needs it.", "run": "One computation of a node: in the forward pass, or once more in the backward pass if it is checkpointed.", "checkpoint": "A region of nodes whose results are not kept, unless its policy says so: the backward pass computes again those that it needs.", "live": "In memory after a step: computed already, and still needed by a later step.", "norm": "The length of a tensor: the root of the sum of the squares of its elements. Bars and wires of tensors show it.", "tangent": "How fast a node moves when the inputs move in a given direction: what forward mode carries to the output.", "Jacobian": "All derivatives of the elements of one node by those of another: a row for each element of the first, a column for each of the second.", "kept": "Held in memory from the forward pass until the backward pass reads it.", "computed again": "Run once more in the backward pass, since the result was not kept.", "loss scale": "A number by which the seed is multiplied in 16 bits, so that small cotangents do not become 0. Gradients are divided by it at the end.", "local derivative": "How fast a node moves when one node that it reads moves and the others stand still.", "path": "A way along wires from a node to the output. It brings the product of the local derivatives on it.", "parameter": "An input that training may change.", "segment": "A part of the graph between two cuts, with one pullback for all of it."},
  "code_examples": [{"title": "PyTorch: a target that is detached", "text": "import torch\n\nw = torch.tensor([0.5, -0.3], requires_grad=True)\nstate = torch.tensor([1.0, 2.0])\nfollowing = torch.tensor([0.5, 1.0])\n\nvalue = (w * state).sum()\ntarget = 1.0 + 0.9 * (w * following).sum().detach()\nloss = (target - value) ** 2\nloss.backward()\nprint(w.grad)\n"}, {"title": "PyTorch: a backward of one's own", "text": "import torch\n\n\nclass Round(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return torch.round(x)\n\n    @staticmethod\n    def backward(ctx, grad):\n        return grad\n\n\nx = torch.tensor([0.3, 1.6], requires_grad=True)\nloss = (Round.apply(x) ** 2).sum()\nloss.backward()\nprint(x.grad)\n"}, {"title": "JAX: why is it NaN?", "text": "import jax\nimport jax.numpy as jnp\n\n\ndef f(x):\n    return jnp.sum(jnp.where(x > 0, jnp.sqrt(x), 0.0))\n\n\nprint(jax.grad(f)(jnp.array([0.0, 4.0])))\n"}, {"title": "JAX: a clipped gradient", "text": "import jax\nimport jax.numpy as jnp\n\n\n@jax.custom_vjp\ndef clip_gradient(x):\n    return x\n\n\ndef forward(x):\n    return x, None\n\n\ndef backward(residuals, g):\n    return (jnp.clip(g, -1.0, 1.0),)\n\n\nclip_gradient.defvjp(forward, backward)\n\n\ndef f(x):\n    return clip_gradient(x) ** 3\n\n\nprint(jax.grad(f)(2.0))\n"}, {"title": "TensorFlow: a second derivative", "text": "import tensorflow as tf\n\nx = tf.Variable(3.0)\nwith tf.GradientTape() as outer:\n    with tf.GradientTape() as inner:\n        y = x * x * x\n    slope = inner.gradient(y, x)\ncurvature = outer.gradient(slope, x)\nprint(curvature)\n"}, {"title": "NumPy: a loss by hand", "text": "import numpy as np\n\nx = np.array([[1.0, 2.0], [0.0, -1.0]])\nw = np.array([0.5, -0.25])\nlabels = np.array([1.0, 0.0])\n\np = 1 / (1 + np.exp(-(x @ w)))\nloss = -np.mean(labels * np.log(p) + (1 - labels) * np.log(1 - p))\n"}],
  "first_lesson": "neuron",
  "figures": ["cotangents", "sweep", "paths", "rule_check", "jacobian", "field", "runs", "residuals", "memory", "plans", "precision", "noise"],
  "heat": {"alphabet": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "shades": 30, "marks": 61, "inks": {"value": [[28, 119, 223], [118, 126, 142]], "cotangent": [[226, 104, 12], [20, 160, 184]], "tangent": [[178, 60, 198], [105, 116, 190]]}},
};

"""Make a module that stands in for `torch` where PyTorch is not installed: it keeps, and computes nothing.

It has what `from_torch` looks at: tensors with numbers, modules that register what is set at them, layers
with their settings under PyTorch's names. Whatever is called of it that would compute fails, so that a test
which passes has read the source and run nothing of it.
"""

from __future__ import annotations

import inspect
from types import ModuleType, SimpleNamespace

import numpy as np

__name__ = "torch"  # as what is from PyTorch says of itself


class Dtype:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"


DTYPES = {name: Dtype(name) for name in ("float32", "float64", "bfloat16", "int64", "bool")}


class Tensor:
    """Numbers with a dtype; a tensor in bfloat16 keeps them in float32."""

    grad_fn = grad = None
    layout, device = "torch.strided", "cpu"

    def __init__(self, numbers, requires_grad=False, dtype=None):
        self.numbers = np.asarray(numbers)
        if dtype is None:
            kind = self.numbers.dtype.kind
            dtype = {"f": "float32", "i": "int64", "b": "bool"}[kind]
        self.dtype = DTYPES[dtype]
        kept = "float32" if dtype == "bfloat16" else dtype
        self.numbers = self.numbers.astype(kept, copy=False)
        self.requires_grad = requires_grad
        self._backward_hooks = {}

    @property
    def shape(self):
        return self.numbers.shape

    @property
    def T(self):
        return self._with(self.numbers.T)

    def _with(self, numbers, dtype=None):
        return Tensor(numbers, self.requires_grad, dtype or self.dtype.name)

    def double(self):
        return self._with(self.numbers, "float64")

    def float(self):
        return self._with(self.numbers, "float32")

    def is_contiguous(self):
        return self.numbers.flags.c_contiguous

    def stride(self):
        return tuple(one // self.numbers.itemsize for one in self.numbers.strides)

    def untyped_storage(self):
        memory = self.numbers if self.numbers.base is None else self.numbers.base
        return SimpleNamespace(data_ptr=lambda: id(memory))

    def register_hook(self, hook):
        self._backward_hooks[len(self._backward_hooks)] = hook

    def __add__(self, other):
        return self._with(self.numbers + other)

    def clone(self):
        return self._with(self.numbers.copy())

    def requires_grad_(self, flag):
        self.requires_grad = flag
        return self

    def numel(self):
        return self.numbers.size

    def element_size(self):
        return self.numbers.itemsize

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.numbers


class Parameter(Tensor):
    def __init__(self, data, requires_grad=True):
        super().__init__(data.numbers, requires_grad, data.dtype.name)


class Module:
    forward = None

    def __init__(self):
        for name in ("_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks"):
            vars(self)[name] = {}
        self._backward_hooks, self._backward_pre_hooks, self.training = {}, {}, True
        self._is_full_backward_hook = None

    def __setattr__(self, name, value):
        kinds = {Parameter: "_parameters", Module: "_modules"}
        kind = next((at for of, at in kinds.items() if isinstance(value, of)), "")
        if kind:
            vars(self)[kind][name] = value
        elif name in vars(self).get("_parameters", ()):
            vars(self)["_parameters"][name] = value
        else:
            vars(self)[name] = value

    def __getattr__(self, name):
        for store in ("_parameters", "_buffers", "_modules"):
            if name in vars(self).get(store, ()):
                return vars(self)[store][name]
        raise AttributeError(name)

    def __call__(self, *args, **keywords):
        raise AssertionError("a model runs")

    def register_buffer(self, name, value):
        self._buffers[name] = value

    def register_forward_hook(self, hook):
        self._forward_hooks[len(self._forward_hooks)] = hook

    def register_full_backward_hook(self, hook):
        self._is_full_backward_hook = True
        self._backward_hooks[len(self._backward_hooks)] = hook

    def modules(self):
        return [self, *(one for inside in self._modules.values() for one in inside.modules())]

    def tensors(self, begin=""):
        """Return parameters and buffers by name."""
        own = {**self._parameters, **self._buffers}
        own = {begin + name: one for name, one in own.items() if one is not None}
        for name, one in self._modules.items():
            own |= one.tensors(f"{begin}{name}.")
        return own

    state_dict = tensors

    def load_state_dict(self, state):
        for name, one in self.tensors().items():
            one.numbers[...] = state[name].numbers

    def train(self, mode=True):
        for one in self.modules():
            one.training = mode
        return self

    def eval(self):
        return self.train(False)

    def double(self):
        for one in self.tensors().values():
            one.dtype, one.numbers = DTYPES["float64"], one.numbers.astype("float64")
        return self

    def requires_grad_(self, flag):
        for one in self._parameters.values():
            one.requires_grad = flag


def zeros(*shape):
    return Tensor(np.zeros(shape, "float32"))


def runs(*args, **keywords):
    raise AssertionError("something of PyTorch runs")


def stands_in(path):
    """Return a function of PyTorch, which is only a name here."""

    def function(*args, **keywords):
        raise AssertionError(f"{path} runs")

    function.__module__, _, function.__qualname__ = path.rpartition(".")
    return function


def layer(name, make):
    """Return a class of `torch.nn` that keeps the settings which `make` returns."""

    def init(self, *args, **keywords):
        Module.__init__(self)
        for key, value in make(*args, **keywords).items():
            if value is None and key in ("weight", "bias"):
                self._parameters[key] = None
            elif key.startswith(("running", "num_batches")):
                self.register_buffer(key, value)
            else:
                setattr(self, key, value)

    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    init.__signature__ = inspect.Signature([itself, *inspect.signature(make).parameters.values()])
    members = {"__init__": init, "forward": stands_in(f"torch.nn.{name}.forward")}
    return type(name, (Module,), members)


def linear(in_features, out_features, bias=True):
    weight = Parameter(zeros(out_features, in_features))
    return {"in_features": in_features, "out_features": out_features, "weight": weight,
            "bias": Parameter(zeros(out_features)) if bias else None}  # fmt: skip


def conv2d(in_channels, out_channels, kernel_size, padding=0, bias=True):
    kernel = (kernel_size, kernel_size)
    return {"in_channels": in_channels, "out_channels": out_channels, "kernel_size": kernel, "stride": (1, 1),
            "padding": (padding, padding), "dilation": (1, 1), "groups": 1, "padding_mode": "zeros",
            "weight": Parameter(zeros(out_channels, in_channels, *kernel)),
            "bias": Parameter(zeros(out_channels)) if bias else None}  # fmt: skip


def batch_norm(num_features, momentum=0.1):
    return {"num_features": num_features, "eps": 1e-5, "momentum": momentum, "affine": True,
            "track_running_stats": True, "weight": Parameter(zeros(num_features)),
            "bias": Parameter(zeros(num_features)), "running_mean": zeros(num_features),
            "running_var": zeros(num_features), "num_batches_tracked": Tensor(np.zeros((), int))}  # fmt: skip


def layer_norm(normalized_shape):
    weight, bias = Parameter(zeros(normalized_shape)), Parameter(zeros(normalized_shape))
    return {"normalized_shape": (normalized_shape,), "eps": 1e-5, "elementwise_affine": True,
            "weight": weight, "bias": bias}  # fmt: skip


def embedding(num_embeddings, embedding_dim, padding_idx=None, max_norm=None):
    return {"num_embeddings": num_embeddings, "embedding_dim": embedding_dim, "padding_idx": padding_idx,
            "max_norm": max_norm, "scale_grad_by_freq": False, "sparse": False,
            "weight": Parameter(zeros(num_embeddings, embedding_dim))}  # fmt: skip


def nothing():
    return {}


LAYERS = {
    "Linear": linear,
    "Conv2d": conv2d,
    "BatchNorm2d": batch_norm,
    "LayerNorm": layer_norm,
    "Embedding": embedding,
    "ReLU": lambda inplace=False: {"inplace": inplace},
    "Tanh": nothing,
    "ELU": lambda alpha=1.0, inplace=False: {"alpha": alpha, "inplace": inplace},
    "Dropout": lambda p=0.5, inplace=False: {"p": p, "inplace": inplace},
    "Flatten": lambda start_dim=1, end_dim=-1: {"start_dim": start_dim, "end_dim": end_dim},
    "MSELoss": lambda reduction="mean": {"reduction": reduction},
}


def container(name, given):
    """Return a container of `torch.nn`: `given` makes pairs of names and parts of its arguments."""

    def init(self, *args):
        Module.__init__(self)
        for key, one in given(*args):
            setattr(self, str(key), one)

    def length(self):
        return len(self._modules) + len(self._parameters)

    members = {"__init__": init, "__len__": length}
    if name == "Sequential":
        members["forward"] = stands_in("torch.nn.Sequential.forward")
    return type(name, (Module,), members)


CONTAINERS = {
    "Sequential": lambda *layers: enumerate(layers),
    "ModuleList": enumerate,
    "ParameterList": enumerate,
    "ModuleDict": dict.items,
    "ParameterDict": dict.items,
}


def decorator(module):
    """Return a decorator as PyTorch has them: it returns a function of its own that knows the other."""

    def decorate(wrapped):
        made = stands_in(f"{module}.{wrapped.__name__}")
        made.__wrapped__ = wrapped
        return made

    return decorate


FUNCTIONS = """
sign tanh cos exp relu nn.functional.gelu nn.functional.leaky_relu nn.functional.linear nn.functional.softmax
nn.functional.cosine_similarity nn.functional.cross_entropy nn.functional.mse_loss utils.checkpoint.checkpoint
"""


def modules():
    """Return the modules that stand in for PyTorch's, by their full names."""
    names = ("", ".nn", ".nn.functional", ".nn.modules", ".nn.modules.module", ".autograd",
             ".autograd.function", ".utils", ".utils.checkpoint")  # fmt: skip
    made = {f"torch{name}": ModuleType(f"torch{name}") for name in names}
    for name, one in made.items():
        before, _, last = name.rpartition(".")
        if before:
            setattr(made[before], last, one)
    torch = made["torch"]
    kinds = {name: type(name, (), {}) for name in ("device", "memory_format")}
    kinds |= {"Size": type("Size", (tuple,), {}), "dtype": Dtype, "Tensor": Tensor}
    vars(torch).update(DTYPES | kinds, __version__="0")
    torch.tensor = lambda numbers, requires_grad=False: Tensor(numbers, requires_grad)
    torch.ones = lambda *shape: Tensor(np.ones(shape, "float32"))
    torch.tril = lambda tensor: Tensor(np.tril(tensor.numbers))
    torch.no_grad = lambda: decorator("torch.utils._contextlib")
    torch.get_default_dtype = lambda: DTYPES["float32"]
    torch.is_autocast_enabled = lambda device: False
    torch.is_grad_enabled = lambda: True
    vars(torch.nn).update(Module=Module, Parameter=Parameter)
    vars(torch.nn).update({name: layer(name, make) for name, make in LAYERS.items()})
    vars(torch.nn).update({name: container(name, given) for name, given in CONTAINERS.items()})
    torch.autograd.Function = type("Function", (), {"apply": runs})
    made["torch.autograd.function"].once_differentiable = decorator("torch.autograd.function")
    for path in FUNCTIONS.split():
        before, _, last = f"torch.{path}".rpartition(".")
        setattr(made[before], last, stands_in(f"torch.{path}"))
    return made


def load(tensors, recorded):
    """Give tensors the numbers that were recorded of PyTorch's."""
    assert set(tensors) == set(recorded)
    for name, one in tensors.items():
        numbers = np.asarray(recorded[name], one.numbers.dtype)
        assert numbers.shape == one.shape, name
        one.numbers = numbers

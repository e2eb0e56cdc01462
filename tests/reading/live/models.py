"""Define models of PyTorch, small ones of each kind that a program may have, with a call of each.

Each function of CASES returns a model, what is called, and its inputs, whose numbers are written out: what is
drawn are the parameters of layers alone, which are recorded.
"""

import functools
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

SLOPE = 0.1


def spread(*shape, requires_grad=False):
    """Return numbers between -1 and 1 that are no multiples of each other."""
    count = math.prod(shape)
    numbers = [math.sin(1.7 * i + 0.3) for i in range(count)]
    for size in reversed(shape[1:]):
        numbers = [numbers[i : i + size] for i in range(0, len(numbers), size)]
    return torch.tensor(numbers, requires_grad=requires_grad)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 4)
        self.act = F.gelu
        self.fc2 = nn.Linear(4, 2)

    def forward(self, x):
        return F.leaky_relu(self.fc2(self.act(self.fc1(x))), SLOPE)


def mlp():
    model = MLP()
    return model, lambda x: (model(x) ** 2).mean(), (spread(2, 3, requires_grad=True),)


def sequential():
    layers = (nn.Linear(3, 4), nn.Tanh(), nn.LayerNorm(4), nn.ELU(0.5), nn.Linear(4, 1, bias=False))
    model = nn.Sequential(*layers, nn.Flatten(0))
    return model, model, (spread(1, 3),)


class ResidualBlock(nn.Module):
    expansion = 1

    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels, momentum=0.2)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


def resnet_train():
    model = ResidualBlock(2)
    return model, lambda x: (model(x) * x).sum(), (spread(2, 2, 3, 3, requires_grad=True),)


def resnet_eval():
    model, call, inputs = resnet_train()
    model.eval()
    return model, call, inputs


class StraightThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return torch.sign(x)

    @staticmethod
    def backward(ctx, grad):
        return ctx.scale * grad, None


class Saved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * torch.cos(x)


class Quantized(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(spread(2, 3))
        self.scale = 0.5

    def forward(self, x):
        return (Saved.apply(F.linear(x, StraightThrough.apply(self.weight, self.scale)))).sum()


def custom_function():
    model = Quantized()
    return model, model, (spread(2, 3),)


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(3, 3) for _ in range(2))

    def _block(self, i, x):
        return torch.tanh(self.blocks[i](x))

    def forward(self, x):
        for i in range(len(self.blocks)):
            x = checkpoint(self._block, i, x, use_reentrant=False)
        return x.sum()


def checkpointed():
    model = Checkpointed()
    return model, model, (spread(2, 3),)


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))
        self.predictor = nn.Linear(3, 3)

    def forward(self, a, b):
        za, zb = self.encoder(a), self.encoder(b)
        pa, pb = self.predictor(za), self.predictor(zb)
        return (
            -(
                F.cosine_similarity(pa, zb.detach(), dim=-1).mean()
                + F.cosine_similarity(pb, za.detach(), dim=-1).mean()
            )
            / 2
        )


def siamese():
    model = Siamese()
    return model, model, (spread(2, 3), spread(3, 2).T)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 3)
        self.head = nn.Linear(3, 5, bias=False)
        self.head.weight = self.embed.weight
        self.register_buffer("mask", torch.tril(torch.ones(3, 3)))

    def forward(self, tokens, targets):
        x = self.embed(tokens)
        weights = (x @ x.transpose(-2, -1)).masked_fill(self.mask == 0, float("-inf"))
        return F.cross_entropy(self.head(F.softmax(weights, -1) @ x), targets)


def tied():
    model = Tied()
    return model, model, (torch.tensor([0, 3, 2]), torch.tensor([3, 2, 4]))


class Containers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.Linear(3, 3, bias=False)})
        self.gains = nn.ParameterList([nn.Parameter(spread(3)), nn.Parameter(spread(3) + 1.0)])
        self.order = ("b", "a")

    def forward(self, x):
        for name, gain in zip(self.order, self.gains, strict=True):
            x = self.layers[name](x) * gain
        return x.pow(2).sum()


def containers():
    model = Containers()
    return model, model, (spread(2, 3),)


def halve(module, given, output):
    return output * 0.5


class Recorder:
    def __init__(self):
        self.seen = []

    def __call__(self, module, given, output):
        self.seen.append(output.detach())


def hooked():
    model = MLP()
    model.fc1.register_forward_hook(halve)
    model.fc2.register_forward_hook(Recorder())
    model.fc2.weight.register_hook(lambda gradient: gradient.clamp(-0.01, 0.01))
    model.fc1.register_full_backward_hook(lambda module, into, out: (into[0] * 2.0,))
    return model, lambda x: model(x).sum(), (spread(2, 3, requires_grad=True),)


@dataclass
class Config:
    width: int = 3
    dropout: float = 0.2
    rate: float = 2.0


class Base(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.__scale = config.rate
        self.norm = nn.LayerNorm(config.width)

    @property
    def scale(self):
        return self.__scale

    def forward(self, x):
        return self.norm(x) * self.scale


class Derived(Base):
    def __init__(self, config):
        super().__init__(config)
        self.drop = nn.Dropout(config.dropout)
        self.frozen = nn.Linear(config.width, config.width)
        self.frozen.requires_grad_(False)

    @torch.no_grad()
    def _target(self, x):
        return self.frozen(x)

    def forward(self, x, *, shift=0.0):
        y = super().forward(x) + shift
        return F.mse_loss(self.drop(y), self._target(y))


def inherited():
    model = Derived(Config())
    model.eval()
    return model, functools.partial(model, shift=0.25), (spread(2, 3),)


def step():
    """Return a function that runs its backward pass itself."""
    model = MLP()

    def train_step(x, target):
        loss = nn.MSELoss()(model(x), target)
        loss.backward()
        return loss.item()

    return model, train_step, (spread(2, 3), spread(2, 2))


def double():
    model = MLP().double()
    return model, lambda x: model(x).sum(), (spread(2, 3).double(),)


CASES = {
    one.__name__: one
    for one in (
        mlp, sequential, resnet_train, resnet_eval, custom_function, checkpointed, siamese, tied, containers,
        hooked, inherited, step, double,
    )
}  # fmt: skip

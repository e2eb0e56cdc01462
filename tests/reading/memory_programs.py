"""Write random programs of views and changes in place, and run them with the library as they are written.

    /path/to/python-with-torch -m tests.reading.memory_programs 120 7 > tests/reading/memory_programs.json

Each statement is chosen for the values that there are, so the program runs while it is written. It ends where
the library raises an error, which is then its answer.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

STATEMENTS = 10
AGAIN = 0.8  # of the statements that raise an error

Names = dict[str, Any]


def _name(values: Names, draw: random.Random, fits: Callable[[Any], bool] = lambda _: True) -> str | None:
    """Choose a name whose value fits; None if there is none. What came last is chosen more often."""
    found = [name for name, value in values.items() if hasattr(value, "shape") and fits(value)]
    return draw.choice([*found, *found[-3:]]) if found else None


def _shape(draw: random.Random) -> tuple[int, ...]:
    return draw.choice([(4,), (2, 3), (3, 2), (2, 2), (2, 2, 2), (3, 3), (1, 3), (2, 1, 2), (6,)])


def _numbers(draw: random.Random, shape: tuple[int, ...], whole: bool) -> Any:
    if shape:
        return [_numbers(draw, shape[1:], whole) for _ in range(shape[0])]
    return draw.randint(-9, 9) if whole else draw.randint(-8, 8) / 4


def _other_shape(draw: random.Random, size: int) -> tuple[int, ...]:
    shapes = {
        1: [(1,), (1, 1)],
        2: [(2,), (2, 1)],
        3: [(3,), (1, 3)],
        4: [(4,), (2, 2)],
        6: [(6,), (3, 2), (2, 3)],
    }
    shapes |= {8: [(8,), (2, 4), (2, 2, 2)], 9: [(9,), (3, 3)], 12: [(12,), (3, 4), (2, 6)]}
    return draw.choice(shapes.get(size, [(size,)]))


def _plain_index(draw: random.Random, shape: tuple[int, ...], negative: bool) -> str:
    """Write an index of whole numbers and slices, of which each shows at least one element."""
    parts = []
    for size in shape[: draw.randint(1, len(shape))]:
        start, step = draw.randrange(size), draw.choice([1, 1, 2])
        parts.append(
            draw.choice(
                [
                    f"{start}",
                    f"{start - size}",
                    ":",
                    f"{start}:",
                    f":{start + 1}",
                    f"{start}::{step}",
                    "::-1" if negative else f"::{step}",
                ]
            )
        )
    if draw.random() < 0.1:
        parts.append("..." if draw.random() < 0.5 else "None")
    return ", ".join(parts)


def _value_for(values: Names, draw: random.Random, shape: tuple[int, ...], whole: bool = False) -> str:
    """Write a value that a change in place of this shape may have."""
    other = _name(values, draw, lambda one: tuple(one.shape) == tuple(shape))
    number = str(draw.choice([2, 3, -1]) if whole else draw.choice([0.5, 2.0, -1.0, 3.0]))
    return other if other and draw.random() < 0.4 else number


# PyTorch.


def torch_statement(values: Names, draw: random.Random, count: int) -> str:
    """Write a statement of PyTorch for the values that there are."""
    import torch

    new = f"v{count}"
    tensor = _name(values, draw, lambda one: isinstance(one, torch.Tensor) and one.is_floating_point())
    kind = draw.random()
    if tensor is None or kind < 0.12:
        shape = _shape(draw)
        numbers = _numbers(draw, shape, False)
        return draw.choice(
            [
                f"{new} = torch.tensor({numbers})",
                f"{new} = torch.zeros{shape}".replace(",)", ")"),
                f"{new} = torch.tensor({numbers}, requires_grad=True)",
                f"{new} = np.array({numbers}, dtype=np.float32)",
                f"{new} = torch.arange({float(np.prod(shape))}).reshape{shape}",
            ]
        )
    x, shape = tensor, tuple(values[tensor].shape)
    rank, size = len(shape), int(np.prod(shape))
    array = _name(values, draw, lambda one: isinstance(one, np.ndarray) and one.ndim > 0)
    if kind < 0.5:  # a view or a copy
        choices = [
            f"{x}.detach()",
            f"{x}.clone()",
            f"{x}.data",
            f"{x}.reshape({_other_shape(draw, size)})",
            f"{x}.view({_other_shape(draw, size)})",
            f"{x}.flatten()",
            f"{x}.ravel()",
            f"{x}.contiguous()",
            f"{x}.unsqueeze({draw.randint(0, rank)})",
            f"{x}.squeeze()",
            f"{x}.T" if rank == 2 else f"{x}.mT" if rank > 2 else f"{x}.t()",
            f"{x} * 2",
            f"torch.sin({x})",
            f"{x}.requires_grad_()" if _is_leaf(values[x]) else f"{x} + 1",
            f"{x}.to(torch.float32)",
            f"{x}.expand(2, {', '.join(map(str, shape))})",
            f"torch.atleast_2d({x})",
            f"torch.cat([{x}, {x}])",
        ]
        if rank:
            choices += [f"{x}[{_plain_index(draw, shape, False)}]"] * 3
            choices += [
                f"{x}.narrow(0, 0, 1)",
                f"{x}.select({rank - 1}, 0)",
                f"{x}[torch.tensor([0, -1])]",
                f"torch.flip({x}, (0,))",
                f"[one for one in {x}][0]",
                f"list({x})",
            ]
        if rank > 1:
            choices += [
                f"{x}.transpose(0, {rank - 1})",
                f"{x}.permute({', '.join(map(str, draw.sample(range(rank), rank)))})",
                f"{x}.movedim(0, {rank - 1})",
                f"{x}.diagonal()",
                f"{x}.swapaxes(0, 1)",
                f"{x}.flatten(0, 1)",
            ]
        if not values[x].requires_grad:
            choices += [f"{x}.numpy()"] * 2
        if array is not None:
            choices += [
                f"torch.from_numpy({array})",
                f"torch.as_tensor({array})",
                f"torch.tensor({array})",
            ] * 2
            choices += [f"{array}.T", f"{array}.reshape(-1)", f"{array}[0:1]"]
        if rank and shape[0] in (2, 3) and draw.random() < 0.3:
            names = ", ".join(f"{new}{letter}" for letter in "abc"[: shape[0]])
            how = draw.choice(["", ".unbind()", ".split(1)", f".chunk({shape[0]})"])
            return f"{names} = {x}{how}"
        made = f"{new} = {draw.choice(choices)}"
        return f"with torch.no_grad():\n    {made}" if draw.random() < 0.1 else made
    if kind < 0.93:  # a change in place
        target, own = x, shape
        number = draw.choice([0.5, 2.0, -1.0])
        value = _value_for(values, draw, own)
        choices = [
            f"{target} += {value}",
            f"{target} *= {number}",
            f"{target} -= {value}",
            f"{target}.add_({value})",
            f"{target}.mul_({number})",
            f"{target}.fill_({number})",
            f"{target}.zero_()",
            f"{target}.neg_()",
            f"{target}.clamp_(min={number})",
            f"{target}.data += {number}",
            f"{target}.copy_({value})" if value in values else f"{target}.fill_({number})",
        ]
        if rank:
            index = _plain_index(draw, shape, False)
            part = np.empty(shape)[eval(f"np.s_[{index}]")].shape
            choices += [
                f"{x}[{index}] = {_value_for(values, draw, part)}",
                f"{x}[{index}] += {_value_for(values, draw, part)}",
                f"{x}[{x} > 0] = {number}",
                f"{x}[torch.tensor([0])] = {number}",
                f"for row in {x}:\n    row *= 2",
            ]
        if rank > 1:
            choices += [f"{x}.diagonal().fill_({number})", f"{x}.T[0] *= 2" if rank == 2 else f"{x}[0] -= 1"]
        if array is not None:
            choices += [f"{array} += 1", f"{array}[0] = {number}", f"{array} *= {number}"] * 2
        statement = draw.choice(choices)
        if draw.random() < 0.3:
            return "with torch.no_grad():\n    " + statement.replace("\n", "\n    ")
        return statement
    ends = [name for name, one in values.items() if isinstance(one, torch.Tensor) and one.requires_grad]
    return f"({draw.choice(ends)} ** 2).sum().backward()" if ends else f"{new} = {x}.sum()"


TORCH_DTYPES = ("uint8", "int8", "int16", "int32", "int64", "float32", "float16", "bfloat16", "bool")


def torch_dtype_statement(values: Names, draw: random.Random, count: int) -> str:
    """Write a statement of PyTorch on tensors of several dtypes, for the values that there are."""
    new, kind = f"v{count}", draw.random()
    x = _name(values, draw)
    if x is None or kind < 0.25:
        shape = draw.choice([(3,), (2, 2), (2, 3), (1,)])
        dtype = draw.choice(TORCH_DTYPES)
        numbers = _numbers(draw, shape, "float" not in dtype)
        numbers = np.abs(numbers).tolist() if dtype == "uint8" else numbers
        return f"{new} = torch.tensor({numbers}, dtype=torch.{dtype})"
    shape = tuple(values[x].shape)
    same = _name(values, draw, lambda one: tuple(one.shape) == shape)
    big, small = draw.choice([2, 3, 7, 100, 120, 200, 1000, 40000, 1.1, 0.3]), draw.choice([1, 2, 3])
    if kind < 0.75:
        dtype = draw.choice(TORCH_DTYPES)
        choices = [
            f"{x} + {same}",
            f"{x} - {same}",
            f"{x} * {same}",
            f"{x} + {big}",
            f"{x} * {big}",
            f"{x} - {small}",
            f"{x} / {small}",
            f"{x} // {small}",
            f"{x} % {small}",
            f"{x} ** {small}",
            f"{x} > {big}",
            f"{x} == {same}",
            f"-{x}",
            f"{x}.abs()",
            f"{x}.sum()",
            f"{x}.max()",
            f"{x}.to(torch.{dtype})",
            f"{x}.to(torch.{dtype})",
            f"{x}.{draw.choice(['float', 'half', 'bfloat16', 'long', 'int', 'bool', 'double'])}()",
            f"{x}.clone()",
            f"{x}.T",
            f"{x}[0]",
            f"{x}[{x} > 0]",
            f"torch.where({x} > 1, {x}, {same})",
            f"torch.cat([{x}, {same}])",
            f"torch.maximum({x}, {same})",
            f"torch.zeros({shape}, dtype=torch.{dtype})",
            f"torch.full({shape}, {small}, dtype=torch.{dtype})",
            f"torch.full_like({x}, {small})",
            f"{x}.mean()",
            f"{x}.numpy()" if "bfloat16" not in str(values[x].dtype) else f"{x} + 1",
        ]
        return f"{new} = {draw.choice(choices)}"
    choices = [
        f"{x} += {same}",
        f"{x} *= {small}",
        f"{x} += {big}",
        f"{x}[0] = {big}",
        f"{x}[0] += {small}",
        f"{x}.fill_({big})",
        f"{x}.copy_({same})",
        f"{x}[{x} > 0] = {small}",
    ]
    return draw.choice(choices)


# NumPy.


DTYPES = ("np.uint8", "np.int8", "np.int16", "np.int32", "np.int64", "np.uint16", "np.float32", "np.float64")


def numpy_statement(values: Names, draw: random.Random, count: int, whole: bool = False) -> str:
    """Write a statement of NumPy for the values that there are; of whole numbers of all widths on demand."""
    new = f"v{count}"
    x = _name(values, draw)
    kind = draw.random()
    if x is None or kind < 0.12:
        shape = _shape(draw)
        numbers = _numbers(draw, shape, whole)
        if whole:
            dtype = draw.choice(DTYPES)
            numbers = np.abs(numbers).tolist() if "uint" in dtype else numbers
            return f"{new} = np.array({numbers}, dtype={dtype})"
        made = [
            f"np.array({numbers})",
            f"np.zeros({shape})",
            f"np.arange({np.prod(shape)}.0).reshape({shape})",
        ]
        return f"{new} = {draw.choice(made)}"
    shape = tuple(np.shape(values[x]))
    rank, size = len(shape), int(np.prod(shape))
    big = draw.choice([2, 3, 7, 100, 120, 200, 1000, 40000] if whole else [0.5, 2.0, -1.0])
    small = draw.choice([1, 2, 3]) if whole else draw.choice([0.5, 2.0])
    if kind < 0.5:
        same = _name(values, draw, lambda one: tuple(one.shape) == shape)
        choices = [
            f"{x} * {small}",
            f"{x} + {same}",
            f"{x}.copy()",
            f"np.array({x})",
            f"np.asarray({x})",
            f"{x}.reshape({_other_shape(draw, size)})",
            f"{x}.ravel()",
            f"{x}.flatten()",
            f"{x}.T",
            f"np.squeeze({x})",
            f"np.expand_dims({x}, {draw.randint(0, rank)})",
            f"np.atleast_2d({x})",
            f"np.maximum({x}, {small})",
            f"{x}.sum()",
            f"np.positive({x})",
            f"np.ascontiguousarray({x})",
            f"-{x}",
        ]
        if whole:
            dtype = draw.choice(DTYPES)
            choices += [
                f"{x} + {big}",
                f"{x} * {big}",
                f"{x} - {same}",
                f"{x} * {same}",
                f"{x}.astype({dtype})",
            ] * 2
            choices += [
                f"{x} // 3",
                f"{x} % 5",
                f"abs({x})",
                f"{x} ** 2",
                f"{x} > {small}",
                f"np.cumsum({x})",
            ]
            choices += [
                f"{x}.max()",
                f"np.prod({x})",
                f"np.where({x} > 1, {x}, {same})",
                f"{x}.mean()",
                f"{x} / 2",
            ]
        if rank:
            choices += [f"{x}[{_plain_index(draw, shape, True)}]"] * 4
            choices += [f"{x}[[0, -1]]", f"np.flip({x}, 0)", f"list({x})", f"np.concatenate([{x}, {x}])"]
        if rank > 1:
            choices += [
                f"np.swapaxes({x}, 0, {rank - 1})",
                f"{x}.transpose({', '.join(map(str, draw.sample(range(rank), rank)))})",
                f"np.moveaxis({x}, 0, {rank - 1})",
                f"np.diagonal({x})",
                f"np.fliplr({x})",
                f"{x}.sum(0)",
            ]
        if rank and shape[0] in (2, 3) and draw.random() < 0.2:
            names = ", ".join(f"{new}{letter}" for letter in "abc"[: shape[0]])
            return f"{names} = {draw.choice([x, f'np.split({x}, {shape[0]})'])}"
        return f"{new} = {draw.choice(choices)}"
    value = _value_for(values, draw, shape, whole)
    choices = [f"{x} += {value}", f"{x} *= {small}", f"{x} -= {value}"]
    if whole:
        choices += [f"{x} += {big}", f"{x} *= {big}", f"{x} //= 2"]
    if rank:
        index = _plain_index(draw, shape, True)
        part = np.shape(values[x][eval(f"np.s_[{index}]")])
        choices += [
            f"{x}[{index}] = {_value_for(values, draw, part, whole)}",
            f"{x}[{index}] += {_value_for(values, draw, part, whole)}",
            f"{x}[{x} > 0] = {small}",
            f"{x}[[0]] = {small}",
            f"for row in {x}:\n    row *= 2",
        ]
    return draw.choice(choices)


# Programs.


def written(begin: str, statement: Callable[..., str], draw: random.Random) -> tuple[str, Names, str]:
    """Write a program while it runs; return its text, the values of its names, and the error that ends it."""
    values: Names = {}
    exec(begin, values)
    modules = set(values)
    text, error = begin, ""
    for count in range(STATEMENTS):
        own = {name: value for name, value in values.items() if name not in modules and name != "row"}
        line = statement(own, draw, count)
        text += line + "\n"
        try:
            exec(line, values)
        except Exception as raised:
            if draw.random() < AGAIN:  # most programs go on without the statement
                text = text.removesuffix(line + "\n")
                values = {}
                exec(text, values)
                continue
            error = f"{type(raised).__name__}: {raised}"
            break
    return text, {name: value for name, value in values.items() if name not in modules}, error


def _is_leaf(one: Any) -> bool:
    try:
        return getattr(one, "requires_grad", False) and one.is_leaf
    except RuntimeError:  # a view that was made in another mode than its tensor was changed in
        return False


def numbers_of(values: Names) -> dict[str, Any]:
    """Return the numbers of names, of lists by their places, and the gradients of leaves."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        parts = (
            {f"{name}.{i}": one for i, one in enumerate(value)} if isinstance(value, list) else {name: value}
        )
        for path, one in parts.items():
            if hasattr(one, "shape"):
                plain = one.detach() if hasattr(one, "detach") else one
                found[path] = plain.tolist()
                if _is_leaf(one):
                    found[f"{path}.grad"] = None if one.grad is None else one.grad.tolist()
    return found


BY_HAND = """
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
for row in x:
    row *= 2

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
a, b = x
a += 10

x = torch.zeros(2, 2)
x.diagonal().fill_(3.0)

x = torch.zeros(2, 3, 2)
x.diagonal(1, 0, 1).copy_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))

x = torch.arange(4.0).reshape(2, 2)
f = x.T.reshape(-1)
f[0] = 9.0

x = torch.arange(4.0).reshape(2, 2)
f = x.T.contiguous()
f += 9.0

x = torch.arange(6.0).reshape(2, 3)
f = x[:, :2].flatten()
g = x[:1].flatten()
f += 9.0
g += 5.0

x = torch.arange(6.0).reshape(2, 3)
y = x.T + 1
f = y.reshape(-1)
f += 9.0

x = torch.arange(6.0).reshape(2, 3)
y = x.T.clone()
f = y.flatten()
f += 9.0

x = torch.arange(6.0)[::2]
f = x.ravel()
g = x.reshape(3, 1)
f += 9.0
g += 1.0

x = torch.tensor([1.0, 2.0])
n = x.numpy()
x += 1

a = np.array([1.0, 2.0], dtype=np.float32)
x = torch.from_numpy(a)
y = torch.as_tensor(a)
z = torch.tensor(a)
a[0] = 5.0
x[1] = 7.0

w = np.array([1.0, -2.0], dtype=np.float32)
wt = torch.from_numpy(w).requires_grad_()
y = (wt * torch.from_numpy(-2 / w)).sum()
y.backward()

t = torch.tensor([1.0, -2.0])
n = t.numpy()
t.requires_grad_()
y = (t * torch.from_numpy(-2 / n)).sum()
y.backward()

x = torch.tensor([1.0, 2.0], requires_grad=True)
for r in x:
    pass
opt = torch.optim.SGD([x], lr=0.5)
(x ** 2).sum().backward()
opt.step()

x = torch.arange(4.0)
a, b = x.chunk(2)
a.zero_()
c, d = x.split(2)
d += 5.0

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x.swapdims(0, 1).sum()
y.backward()
y.backward()

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.column_stack([x, x]).sum()
y.backward()
y.backward()

x = torch.tensor([1.0, 2.0], requires_grad=True)
z = x * 3
z.T.data += 1
y = (z * 2).sum()
y.backward()

y = torch.tensor([250], dtype=torch.uint8) + 10

y = torch.tensor([100], dtype=torch.int8) * 2

y = torch.tensor([16777217]) - 16777216
z = torch.tensor([16777217]) > 16777216

y = torch.tensor([2147483647], dtype=torch.int32) + torch.tensor(1)

y = torch.tensor([3], dtype=torch.uint8) - 5
z = torch.tensor([200, 100], dtype=torch.uint8).sum()

y = torch.tensor([70000.0]).half()

y = torch.tensor([1.01]).bfloat16().float()
z = torch.tensor([256.0], dtype=torch.bfloat16) + 1
w = torch.tensor([1.01], dtype=torch.bfloat16)

y = (torch.tensor(0.1).double() - 0.1) * 1e9

x = torch.tensor(0.1)
y = (x + torch.tensor([0.2], dtype=torch.float64) - 0.3) * 1e9

x = torch.tensor([True, False])
x[1] = 5
y = x + x

x = torch.tensor([1, 2])
x[0] = 2.7

x = torch.tensor([1, 2])
y = x.long()
x += 40
""".strip().split("\n\n")
"""Programs that were read wrong."""

TORCH_BEGIN = "import numpy as np\nimport torch\n"
NUMPY_BEGIN = "import numpy as np\n"


def main(count: int, seed: int) -> None:
    """Print what PyTorch gives for the programs by hand and for random ones, a third of several dtypes."""
    made = []
    for text in BY_HAND:
        values: Names = {}
        exec(TORCH_BEGIN + text, values)
        own = {name: one for name, one in values.items() if name not in ("np", "torch")}
        made.append({"text": TORCH_BEGIN + text, "error": "", "numbers": numbers_of(own)})
    for i in range(count):
        statement = torch_dtype_statement if i % 3 == 2 else torch_statement
        text, values, error = written(TORCH_BEGIN, statement, random.Random(f"{seed}:{i}"))
        made.append({"text": text, "error": error, "numbers": numbers_of(values)})
    sys.stdout.write("[\n" + ",\n".join(json.dumps(one) for one in made) + "\n]\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

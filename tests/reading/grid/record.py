"""Record what PyTorch and TensorFlow answer on the grid; run it where they are, from the project's folder.

    PYTHONPATH=. /tmp/real/bin/python -m tests.reading.grid.record torch
    PYTHONPATH=. /tmp/real/bin/python -m tests.reading.grid.record tf

Arrays that several cases have in common are written once: a method gives what its function gives.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from typing import Any

from tests.reading.grid.rows import FOLDER
from tests.reading.grid.texts import Case, cases

SINGLE = 4e-6  # as `compare.SINGLE`, which needs the reader


def main(dialect: str) -> None:
    """Write the answers of all cases of a dialect, with the version of its library."""
    warnings.simplefilter("ignore")
    library = __import__({"tf": "tensorflow"}.get(dialect, dialect))
    arrays: dict[str, int] = {}
    absent: dict[str, None] = {}  # functions that the library has not
    answers: dict[str, Any] = {}
    for case in cases(dialect):
        right = run(case, dialect)
        if isinstance(right, str):  # what has no answer raises an error
            if "has no attribute" in right:
                absent[case.call.name] = None
            continue
        wide = run(case, dialect, wide=True)
        found: dict[str, Any] = {}
        for name, value in right.items():
            exact = wide.get(name) if isinstance(wide, dict) else None
            found[name] = None if value is None else arrays.setdefault(written(value, exact), len(arrays))
        answers[case.name] = found
    lines = [f"{json.dumps('version')}: {json.dumps(library.__version__)}"]
    missing = sorted({*absent} - {case.call.name for case in cases(dialect) if case.name in answers})
    lines.append(f'"absent": {json.dumps(missing)}')
    lines.append('"arrays": [\n' + ",\n".join(json.dumps(one) for one in arrays) + "\n]")
    lines.append(
        '"answers": {\n'
        + ",\n".join(
            f"{json.dumps(name)}: {json.dumps(one, separators=(',', ':'))}" for name, one in answers.items()
        )
        + "\n}"
    )
    (FOLDER / f"{dialect}_answers.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def run(case: Case, dialect: str, wide: bool = False) -> dict[str, Any] | str:
    """Return the numbers of a case, or the error that the library raises."""
    text, names = case.text, {}
    try:
        if dialect == "torch":
            import torch

            torch.manual_seed(0)
            torch.set_default_dtype(torch.float64 if wide else torch.float32)
        elif wide:
            text = text.replace("tf.float32", "tf.float64").replace("tf.constant(", "constant(")
            names["constant"] = _double
        exec(compile(text, case.name, "exec"), names)
        found = {one: names[one] for one in case.values} | {one: names[one].grad for one in case.answers}
        arrays = {one: None if value is None else plain(value) for one, value in found.items()}
        odd = [one for one, value in arrays.items() if value is not None and value.dtype.kind not in "fiub"]
        return f"{odd[0]} is no array of numbers" if odd else arrays
    except Exception as error:
        return f"{type(error).__name__}: {error}".partition("\n")[0][:80]


def _double(value: Any) -> Any:
    import tensorflow as tf

    made = tf.constant(value)
    return tf.constant(value, tf.float64) if made.dtype == tf.float32 else made


def plain(value: Any) -> Any:
    """Return an answer as an array of NumPy."""
    import numpy as np

    if hasattr(value, "detach"):
        value = value.detach()
        value = (value.float() if str(value.dtype) == "torch.bfloat16" else value).numpy(force=True)
    if type(value).__name__ == "IndexedSlices":  # TensorFlow's gradient of what gather() reads
        import tensorflow as tf

        value = tf.convert_to_tensor(value)
    return np.asarray(value)


def written(value: Any, exact: Any) -> str:
    """Return an array as a text: dtype, shape, numbers, and by how much some differ in double precision."""
    import numpy as np

    kind = {"u": "i"}.get(value.dtype.kind, value.dtype.kind)
    digits = 9 if value.dtype.itemsize <= 4 else 17
    parts = [f"{kind}{value.dtype.itemsize if kind == 'f' else ''}", "x".join(map(str, value.shape)) or "-"]
    parts.append(" ".join(_number(one, digits) for one in value.ravel()))
    if exact is not None and kind == "f" and exact.shape == value.shape and digits == 9:
        with np.errstate(all="ignore"):
            apart = np.abs(value.astype(float) - exact).ravel()
        far = [
            f"{i}:{one:.1e}"
            for i, (one, of) in enumerate(zip(apart, np.abs(value).ravel(), strict=True))
            if math.isfinite(one) and math.isfinite(of) and one > SINGLE / 8 * of
        ]
        if far:
            parts.append(" ".join(far))
    return "|".join(parts)


def _number(one: Any, digits: int) -> str:
    """Return the shortest text that is the same number in its dtype."""
    if not math.isfinite(one):
        return {math.inf: "I", -math.inf: "-I"}.get(float(one), "N")
    written = (f"{float(one):.{d}g}" for d in range(1, digits))
    short = next((text for text in written if type(one)(float(text)) == one), f"{float(one):.{digits}g}")
    return short.replace("e+", "e").replace("e0", "e").replace("e-0", "e-")


def numbers(text: str) -> tuple[Any, Any]:
    """Return an array from its text, and how far the library's own answer in double precision is from it."""
    import numpy as np

    kind, shape, values, *far = text.split("|")
    special = {"I": math.inf, "-I": -math.inf, "N": math.nan}
    flat = [special[one] if one in special else float(one) for one in values.split()]
    dtype = {"f4": np.float32, "f8": np.float64, "i": np.int64, "b": bool, "f2": np.float16}[kind]
    array = (
        np.array(flat).astype(dtype).reshape([int(one) for one in shape.split("x")] if shape != "-" else ())
    )
    apart = np.zeros(array.size)
    for one in far[0].split() if far else ():
        place, _, value = one.partition(":")
        apart[int(place)] = float(value)
    return array, apart.reshape(array.shape)


if __name__ == "__main__":
    main(sys.argv[1])

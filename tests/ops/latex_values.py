"""Evaluate LaTeX in a small subset, so that the formulas on view can be compared with numbers.

It reads the notation of the catalog's elementwise ops and nothing else, in order of precedence:
sums, products (`\\cdot` only: two factors side by side would run together once numbers are put in),
powers, atoms. Placeholders are `<name>`, and `y`.
"""

import re

import numpy as np
import scipy.special

TOKEN = re.compile(
    r"\s*(\\begin\{cases\}|\\end\{cases\}|\\text\{[^}]*\}|\\operatorname\{\w+\}"
    r"|\\left|\\right|\\\\|\\[A-Za-z]+|<\w+>|\d+|\S)"
)
FUNCTIONS = {
    r"\sin": np.sin,
    r"\cos": np.cos,
    r"\tan": np.tan,
    r"\tanh": np.tanh,
    r"\arcsin": np.arcsin,
    r"\arccos": np.arccos,
    r"\arctan": np.arctan,
    r"\operatorname{arctan2}": np.arctan2,
    r"\sinh": np.sinh,
    r"\cosh": np.cosh,
    r"\operatorname{arsinh}": np.arcsinh,
    r"\operatorname{arcosh}": np.arccosh,
    r"\operatorname{artanh}": np.arctanh,
    r"\operatorname{erf}": scipy.special.erf,
    r"\ln": np.log,
    r"\sigma": scipy.special.expit,
    r"\Phi": scipy.special.ndtr,
    r"\varphi": lambda x: np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi),
    r"\max": np.maximum,
    r"\min": np.minimum,
    r"\operatorname{relu}": lambda x: np.maximum(x, 0.0),
    r"\operatorname{sign}": np.sign,
    r"\operatorname{clip}": np.clip,
    r"\operatorname{round}": np.rint,
    r"\operatorname{zeros}": np.zeros_like,
    r"\operatorname{ones}": np.ones_like,
}
CONSTANTS = {"e": np.e, r"\pi": np.pi}
RELATIONS = {
    r"\gt": np.greater,
    r"\lt": np.less,
    r"\ge": np.greater_equal,
    r"\le": np.less_equal,
    r"\ne": np.not_equal,
    "=": np.equal,
}


def evaluate(latex, **values):
    """The value of a formula, its placeholders standing for `values`; arrays broadcast."""
    reader = _Reader(TOKEN.findall(latex), values)
    found = reader.sum()
    assert reader.next is None, f"{latex!r}: cannot read on at {reader.next!r}."
    return found


class _Reader:
    def __init__(self, tokens, values):
        self.tokens, self.values = list(tokens), values

    @property
    def next(self):
        return self.tokens[0] if self.tokens else None

    def take(self, *wanted):
        """Step over one token; over one of `wanted` if they are given."""
        assert not wanted or self.next in wanted, f"{self.next!r} stands where {wanted} should."
        return self.tokens.pop(0)

    def skip(self, token):
        return self.next == token and bool(self.take())

    def sum(self):
        total = -self.product() if self.skip("-") else self.product()
        while self.next in ("+", "-"):
            sign = 1.0 if self.take() == "+" else -1.0
            total = total + sign * self.product()
        return total

    def product(self):
        result = self.power()
        while self.skip(r"\cdot"):
            result = result * self.power()
        return result

    def power(self):
        base = self.atom()
        return base ** self.between("{", "}") if self.skip("^") else base

    def between(self, opening, closing):
        self.take(opening)
        found = self.sum()
        self.take(closing)
        return found

    def atom(self):
        token = self.take()
        if token.isdigit():
            return float(token)
        if token in CONSTANTS:
            return CONSTANTS[token]
        if token == "y" or token.startswith("<"):
            return self.values[token.strip("<>")]
        if token in FUNCTIONS:
            return FUNCTIONS[token](*self.arguments())
        return getattr(self, ATOMS[token])()

    def arguments(self):
        self.take("(")
        found = [self.sum()]
        while self.skip(","):
            found.append(self.sum())
        self.take(")")
        return found

    def parenthesis(self):
        found = self.sum()
        self.take(")")
        return found

    def fraction(self):
        return self.between("{", "}") / self.between("{", "}")

    def root(self):
        degree = self.between("[", "]") if self.next == "[" else 2.0
        return self.between("{", "}") ** (1 / degree)

    def floor(self):
        found = np.floor(self.sum())
        self.take(r"\rfloor")
        return found

    def absolute(self):
        found = np.abs(self.between("|", r"\right"))
        self.take("|")
        return found

    def truth(self):
        """[a > b]: 1 where it holds, else 0."""
        found = self.condition()
        self.take("]")
        return np.where(found, 1.0, 0.0)

    def cases(self):
        values, conditions = [], []
        while self.next != r"\end{cases}":
            values.append(self.sum())
            self.take("&")
            conditions.append(self.condition())
            self.skip(r"\\")
        self.take()
        *arrays, _ = np.broadcast_arrays(*conditions, *values, 0.0)
        return np.select(arrays[: len(values)], arrays[len(values) :], np.nan)

    def condition(self):
        if self.skip(r"\text{otherwise}"):
            return True
        found, left = True, self.sum()
        while self.next in RELATIONS:
            relation = RELATIONS[self.take()]
            right = self.sum()
            found, left = np.logical_and(found, relation(left, right)), right
        return np.logical_or(found, self.condition()) if self.skip(r"\text{ or }") else found


ATOMS = {
    "(": "parenthesis",
    "[": "truth",
    r"\frac": "fraction",
    r"\sqrt": "root",
    r"\lfloor": "floor",
    r"\left": "absolute",
    r"\begin{cases}": "cases",
}

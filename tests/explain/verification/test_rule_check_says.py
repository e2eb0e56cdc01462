"""Test the sentence of the Node panel about a rule: declared, true, and the largest gap."""

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.analysis import program_says
from autodiff_viz.explain.rule_check.compute import rule_check
from autodiff_viz.language.parse import parse

LSQ = "x = 1.3\ns = 0.5\nc = clip(x / s, -3.0, 3.0)\nq = backward_as(round(c), c)\ny = q * s"


def test_a_straight_through_round_differs_on_purpose():
    said = program_says(trace(parse(LSQ)), "q").rule
    expected = (
        "Declared 1, true 0 at c = 2.6; over c from −5 to 5 declared differs from true on purpose by up to 1"
    )
    assert any(sentence.startswith(expected) for sentence in said)
    assert not any("Forward mode" in sentence for sentence in said)


def test_a_true_pullback_is_equal_and_blocks_forward_mode():
    text = "x = 1.0\nf = custom(sin(x), pullback=lambda v, x, s: v * cos(x))\nz = f * 2.0"
    said = program_says(trace(parse(text)), "f").rule
    equal = "Declared 0.5403, true 0.5403 at x = 1; the two are equal over x from −5 to 5."
    assert f"{equal} All in float64; the graph is in float32." in said
    assert "Forward mode is blocked here: jax.jvp raises a TypeError at a custom_vjp." in said
    wrong = program_says(trace(parse(text.replace("cos", "sin"))), "f").rule
    assert any("declared differs from true by up to 1.41" in sentence for sentence in wrong)


def test_a_node_without_a_rule_has_no_such_sentence():
    said = program_says(trace(parse("x = 1.0\ny = sin(x)")), "y").rule
    assert not any("Declared" in sentence for sentence in said)


def test_what_arrives_is_named_where_the_numbers_are_of_its_product_with_the_node():
    # d Ju[0] / d W[0, 0] is u[0] = 1; times v[0] = 2 it is 2. The slope of a rewrite of h is 1; 4 arrives.
    text = "W = [[1.0, 2.0], [3.0, 4.0]]\nu = [1.0, -1.0]\nJu = W @ u\ny = dot(Ju, [2.0, 1.0])"
    found = rule_check(trace(parse(text)), "Ju")
    assert "is 2 at W[0, 0] = 1" in found.sentence
    assert " All of this is of ⟨v, Ju⟩, where v = [2, 1] is what arrives." in found.sentence
    reversal = "h = 1.0\nr = rewrite(h, lambda v: -0.5 * v)\nz = square(2.0 * r - 1.0)"
    said = " ".join(program_says(trace(parse(reversal)), "r").rule)
    assert said.startswith("Declared −2, true 4 at h = 1; ")
    assert " All of this is of v r, where v = 4 is what arrives." in said
    assert "arrives" not in rule_check(trace(parse("x = 2.0\ny = sin(x)\nz = 3.0 * y")), "y").sentence

"""Test that addresses which earlier versions wrote open as what they were, letter by letter."""

from __future__ import annotations

import pytest

from autodiff_viz.lab.persistence.address import from_query
from autodiff_viz.lab.state import Lab, formula_text
from autodiff_viz.language.parse import parse

BODY = """x = 2.0{}
a = sin(rewrite(x, lambda v: v * 0.5))
with checkpoint("block"):
    b = a * a + stop_gradient(x)
c = custom(exp(b), pullback=lambda v, b, y: v)
d = backward_as(round(c), c)"""

FIRST_GRAPH = (
    "1eNqVks1ugzAMx9_FZ1S1k3bhVSaEDElR1JBEIWlLEe8-O1MgTN1hNyL-Hz9bXgBjsEJdr-1dvaC-VGC"
    "skBPUXwsYHCXU8IQKrKMPZVwM9HDocSTJAnfUkSQfp_O6VpvBy4dXQbaXzSikCSrM9J60DZxOqU0FPmr"
    "JOTdlxG4kGfohqe6s6qyYE1AKG6M-"
    "CKrz6bNZmxIAc_GkTNm5gzWFmgJ31J_0zcFJeFBPwbp28CgUzfT_EdkOJWuXE1CI0pypfveVLH32yqcr"
    "vd2bYhe17rC_HXeX6udiybzxEk_kCm-jOQByef-miEse6EWLEw3K_-WgrDmcVKdtIsm3ljD-"
    "nphCbAx8fAy0fgNEY9sF"
)

FIRST_DRAFT = (
    "eNo1jrEOwyAMRHe-wkoWaFHVpUukfEtkwGpQCCBCEvr3daTWm33v7tzD6iOJBiM8Hy_oYaZCAnndfJSF"
    "zuIryaYh4GocwjHAAbeLVUqcvs5gZ7JLTj5W2ZmQ7NKpQQCP4RBkFuEOW015ehd0nphrSlgW7c7nVVLL"
    "0igNeQ_BoF3Gf5UGo-HDhUo4xi_txOIm3GRJe3TSsssqQb9vvzmQPYY"
)

TEXT = (
    "eNo1jUsKwzAQQ_c-hWg2dhtCKHQTyFnC2B4ak4-N83Nv3-"
    "mis9PoSaqwhJVVQY9n06LCyJkVidzCqjNfOeysS42ZFusJZ4cTd7TNyxh1hX2EG9lNKYZ11zc7RzfdTK"
    "cgZ6WEhCU8sO0xDe9MPrBwxSgnpjvkvWguSVtTIx3zbMlN_X-"
    "qhq3xkUGjvOA_76LsB9p0jsfqtZOUM18YcTsl"
)

MUTED = (
    "1eNpNjUsKwzAMBe_y1qaULH2VEoqKHTD4RyyFUuO7V14kZPcEM6MOEi4ubNv7CD_YxSAX5xvsqyNT8rD"
    "4wqBUHSFXYT0q7ZQU6TgoiiLL4zmGuQQ6hRayzhYLz6CGVoMk7B0s7-"
    "JvyudUksS7oimNr0PFIjzfT3b8AfNYOSc"
)

GROUPED = (
    "1eNpVjtsKwjAQRP9lnoOIvuVXJMiWthJIsiGXIob8e7eFan2bhTNnp4Fq4dHO83OxH-"
    "i7QuBxytCPhkB-gsYbChwl2BBrkSNSIi9Iw0KuCnK7XHtX3wIdhWyDxOy4bEIRmRM1HJSv7kxJW3ymG4"
    "VX4hr_tkSyCb-N-6sBO8y1bPM2cV8BilFCmg"
)

BESIDE = {"dtype": "float64", "node": "a", "figure": "runs"}


def settings(lab: Lab) -> tuple:
    return lab.dtype, lab.selected, lab.figure, lab.ranges, lab.notice


def test_an_address_of_the_first_version_opens_with_its_unfinished_text():
    lab = from_query({"g": FIRST_GRAPH, **BESIDE, "draft": FIRST_DRAFT, "range": "x:-5:5"})
    assert lab.graph == parse(BODY.format(""), previous=lab.graph)
    assert settings(lab) == ("float64", "a", "runs", (("x", -5.0, 5.0),), ())
    assert lab.draft.startswith("# mine\nx = 0.5 # here\n")
    assert lab.draft.endswith("e = sin(")


def test_an_address_with_its_authors_text_opens_as_it_was_written():
    query = {"g": FIRST_GRAPH, "seed": "3.0", **BESIDE, "text": TEXT, "range": "x:-5.0:5.0"}
    lab = from_query(query)
    assert formula_text(lab) == "# mine\n" + BODY.format(" # here")
    assert (lab.seed, *settings(lab)) == (3.0, "float64", "a", "runs", (("x", -5.0, 5.0),), ())


@pytest.mark.parametrize(
    ("link", "text"),
    [
        (MUTED, "x = 2.0\na = bypass(sin(x))\nb = a * 2.0"),
        (GROUPED, 'x = 2.0\nwith group("pair"):\n    a = sin(x)\n    b = a * 2.0'),
    ],
)
def test_a_link_of_each_version_of_documents_opens(link, text):
    lab = from_query({"g": link})
    assert (lab.graph, lab.notice) == (parse(text, previous=lab.graph), ())

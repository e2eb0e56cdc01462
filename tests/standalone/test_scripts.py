"""Test how scripts and styles are written for a page that has only a part of them."""

from __future__ import annotations

import subprocess

import pytest

from autodiff_viz.standalone.modules import WEB, script_of, shaken
from autodiff_viz.standalone.page import AWAY, IN_PLACE, parts
from autodiff_viz.standalone.styles import compact_style, shaken_styles
from autodiff_viz.standalone.tokens import SPACE, compact, tokens
from tests.web.node import node

COMPACT = [
    ("const a = 1;\nconst b = a + +a - -a;", "const a=1;const b=a+ +a- -a;"),
    ('f("a  b", \'c // d\', /[/ "]+/g); // e', 'f("a  b",\'c // d\',/[/ "]+/g);'),
    ("const c = x / 2 / y; /* d */", "const c=x/2/y;"),
    ("g(`a  ${b + `${c /* d */}  e`} \\${ f }`);", "g(`a  ${b+`${c}  e`} \\${ f }`);"),
    ("return /a b/.test(c) ? 1 : 2;", "return/a b/.test(c)?1:2;"),
    ("h(\n  [\n    1,\n    2,\n  ],\n);", "h([1,2]);"),
    ("if (a) {\n  b();\n} else c();", "if(a){b()}else c();"),
    ("for (const [a, b] of c) d(...e);", "for(const[a,b]of c)d(...e);"),
    ("1 .toFixed(x in y);", "1 .toFixed(x in y);"),
    ('({ "a": 1, "b-c": d ? "e" : f, g: "h" });', '({a:1,"b-c":d?"e":f,g:"h"});'),
]


@pytest.mark.parametrize(("script", "short"), COMPACT)
def test_spaces_that_mean_nothing_are_left_out(script, short):
    assert compact(script) == short


def words_in(script: str) -> list[str]:
    """Return its tokens without spaces, quotes and what may end before a bracket, also inside templates."""
    return [
        "".join(token.text.split()) if token.text[0] == "`" else token.text.strip('"')
        for token in tokens(script)
        if token.kind != SPACE and token.text not in ",;"
    ]


def test_no_word_of_any_module_is_lost():
    """Nor is one joined with another: the same tokens, but for quotes and what may end before a bracket."""
    changed = []
    for path in sorted(WEB.rglob("*.js")):
        text = path.read_text("utf-8")
        if words_in(text) != words_in(compact(text)):
            changed.append(path.name)
    assert changed == []


def test_a_module_gives_only_what_is_needed(tmp_path):
    (tmp_path / "one.js").write_text(
        "const A = 1;\nconst B = 2;\nexport const a = () => A;\nexport const b = () => B;\n"
        "export function c({ A }) {\n  return d(A.b);\n}\n"
        "function d(x) {\n  return [...e, x, tab()];\n}\nconst e = [];\n"
        "const { tab: TAB } = A;\nfunction tab() {\n  return 3;\n}\n"
    )
    (tmp_path / "main.js").write_text(
        'import { a, b, c as f } from "./one.js";\n\nexport default function main() {\n  return f(b);\n}\n'
    )
    (_, one), (_, main) = shaken("main.js", {}, tmp_path)
    assert "const A" in one  # the name of a parameter: it may be meant
    assert "export const a" not in one
    assert "const B = 2" in one
    assert "const e = []" in one
    assert "function tab" in one
    assert "const { tab: TAB }" not in one
    assert main.startswith('import { b, c as f } from "one.js";')


def test_names_of_two_modules_do_not_clash(tmp_path):
    (tmp_path / "one.js").write_text("const hidden = 1;\nexport const most = () => hidden;\n")
    (tmp_path / "two.js").write_text(
        'import { most as other } from "./one.js";\n\nconst hidden = 10;\n'
        "export const most = () => hidden + other();\n"
    )
    (tmp_path / "main.js").write_text(
        'import { most as first } from "./one.js";\nimport { most } from "./two.js";\n\n'
        "export default function main() {\n  return 100 * first() + most();\n}\n"
    )
    script = script_of("main.js", {}, tmp_path)
    assert run(f"{script}console.log(main())") == "111"


def test_a_module_in_the_place_of_another_is_taken(tmp_path):
    (tmp_path / "one.js").write_text("export const a = 1;\n")
    (tmp_path / "two.js").write_text("export const a = 2;\n")
    (tmp_path / "main.js").write_text(
        'import { a } from "./one.js";\n\nexport default function main() {\n  return a;\n}\n'
    )
    assert run(f"{script_of('main.js', {'one.js': 'two.js'}, tmp_path)}console.log(main())") == "2"
    with pytest.raises(KeyError):
        script_of("main.js", {"one.js": "main.js"}, tmp_path)


def run(script: str) -> str:
    if node() is None:
        pytest.skip("node is not installed")
    done = subprocess.run([node(), "-"], input=script, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_script_of_figures_is_one_that_node_can_read():
    script, css = parts()
    assert (
        run(f"new (class {{ static {{ const f = () => {{ {script} }}; console.log(typeof f) }} }})()")
        == "function"
    )
    assert all(css.values())


def test_every_module_that_has_another_in_its_place_is_one_of_the_page():
    assert [name for name in (*IN_PLACE, *IN_PLACE.values()) if not (WEB / name).is_file()] == []
    assert AWAY in IN_PLACE.values()


STYLES = """/* a */
.used, .other .used:hover { color: light-dark(#fff, #000); margin: 0 }
.other { top: 1px; }
:is(.other, .used) b::after { content: "a b"; }
@media (max-width: 600px) { .other { left: 0 } }
@media print { .used > p { left: calc(1px + 2px); } }
"""


def test_rules_that_apply_to_nothing_are_left_out():
    assert shaken_styles(STYLES, {"used"}) == (
        ".used,.other .used:hover{color:light-dark(#fff,#000);margin:0}"
        ':is(.other,.used) b::after{content:"a b"}'
        "@media print{.used>p{left:calc(1px + 2px)}}"
    )
    assert compact_style(".a { b: c; }\n") == ".a{b:c}"

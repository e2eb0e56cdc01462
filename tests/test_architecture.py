"""Check on the source the rules that keep the project easy to read and safe to host."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = "autodiff_viz"
FOLDERS = (
    "graph",
    "messages",
    "ops",
    "branches",
    "language",
    "workers",
    "engine",
    "export",
    "functions",
    "reading",
    "display",
    "explain",
    "training",
    "segments",
    "asking",
    "embedding",
    "lessons",
    "canvas",
    "lab",
    "standalone",
    "ui",
    "notebook",
)
"""A folder imports only from itself and from the folders before it."""

SCRIPTS_ALONE = "web"
"""The folder of the browser's code, which holds no Python."""

ONLY_IN = {
    "jax": {"ops", "engine", "reading", "functions", "explain", "training", "segments"},
    "jaxlib": set(),
    "plotly": {"display", "explain", "training", "segments"},
    "streamlit": {"ui", "app.py"},
    "starlette": {"ui"},
    "PIL": {"standalone", "ui"},
    "uvicorn": set(),
    "anywidget": {"notebook"},
    "traitlets": {"notebook"},
    "ipywidgets": set(),
    "IPython": set(),
    "marimo": set(),
    "pandas": set(),
}
"""Where a library may be imported: folders of the package, or a file at the top."""

DRAWS = re.compile(r"(display/(theme|table)|(explain|training|segments)/(\w+/)?figure\w*)\.py")
"""The files that may import Plotly."""

STANDARD_ONLY = "graph"
THIRD_PARTY = {"jax", "numpy", "scipy", "pandas", "plotly", "streamlit", "PIL", "requests"}
RUNS_TEXT = {"eval", "exec", "compile", "__import__"}
COMPARES_CODE = "autodiff_viz/reading/live/sources.py"  # compiles the user's own file, and never runs it
RUNS_DATA = {"pickle", "marshal", "shelve", "subprocess", "ctypes", "importlib", "runpy", "code"}
OUR_OWN = {
    "autodiff_viz/workers/fork_client.py",
    "autodiff_viz/workers/fork_server.py",
    "autodiff_viz/workers/free_memory.py",
    "autodiff_viz/ui/server/heartbeat.py",
    "autodiff_viz/ui/start/supervisor.py",
    "autodiff_viz/lab/launch.py",
    "autodiff_viz/__main__.py",
    "autodiff_viz/notebook/opened.py",
    "autodiff_viz/notebook/beside.py",  # ends a thread of its own
    "autodiff_viz/notebook/widget.py",
    "autodiff_viz/standalone/write.py",
    "autodiff_viz/standalone/painted.py",
    "autodiff_viz/__init__.py",
}
"""These start processes of the project's own, which load modules that the server names, and call one function
of the C library, which takes nothing from outside; the watchdog, and the server itself. The two after them
run on the user's own machine and not on a server: they start the app, and import the file that its owner
names on the command line. The last import modules of the project's own once they are needed, so that
`import autodiff_viz` loads nothing, and look for a font."""

IDENTITIES = {"autodiff_viz/graph/identity.py", "autodiff_viz/graph/model.py"}
"""Where identities are made, and `__hash__` is of one."""

OWN_SCRIPTS = {
    "autodiff_viz/standalone/page.py",
    "autodiff_viz/ui/panels/lesson.py",
    "autodiff_viz/ui/navigation.py",
    "autodiff_viz/ui/server/lessons_page.py",  # names a file of web/lessons_page
    "autodiff_viz/ui/server/opening.py",  # a file of web/opening, and data that is no script
    "autodiff_viz/ui/server/poster.py",  # files of web/embed and web/base
    "autodiff_viz/ui/server/routes.py",  # a file of web/base
    "autodiff_viz/ui/server/security_headers.py",  # names the others' scripts
}
ASKS_ITS_OWN_HOST = "autodiff_viz/web/canvas/files/webfont.js"
LAB_SOCKET = "autodiff_viz/web/connection/socket.js"
LATER = "autodiff_viz/web/later.js"
"""Where a script of the project's own, with nothing of the user's in it, is put on the page."""

SAYS_NOTHING = {"utils", "util", "helpers", "misc", "common", "manager"}

APP = (*sorted((ROOT / PACKAGE).rglob("*.py")), ROOT / "app.py")
BENCHMARKS = tuple(sorted((ROOT / "benchmarks").rglob("*.py")))
TESTS = tuple(sorted((ROOT / "tests").rglob("*.py")))
SCRIPTS = tuple(sorted((ROOT / PACKAGE).rglob("*.js")))
STYLES = tuple(sorted((ROOT / PACKAGE).rglob("*.css")))


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def place(path: Path) -> str:
    """The folder of the package that a file is in, "" for the package itself; else the top folder or file."""
    first, *rest = path.relative_to(ROOT).parts
    return first if first != PACKAGE else rest[0] if len(rest) > 1 else ""


def draws(path: Path) -> bool:
    """Whether a file is one of those that make figures."""
    return path.is_relative_to(ROOT / PACKAGE) and bool(
        DRAWS.fullmatch(str(path.relative_to(ROOT / PACKAGE)))
    )


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imports(path: Path) -> Iterator[str]:
    """Full names of the modules that a file imports; "." for a relative one."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." if node.level else node.module or ""


def library(module: str) -> str:
    return module.split(".")[0]


def matches(paths: Iterable[Path], pattern: str) -> list[str]:
    """ "file:line: text" wherever the pattern is found."""
    return [
        f"{name(path)}:{number}: {line.strip()}"
        for path in paths
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if re.search(pattern, line)
    ]


def test_the_package_has_only_the_folders_of_the_list():
    found = {path.name for path in (ROOT / PACKAGE).iterdir() if path.is_dir()}
    assert found <= {*FOLDERS, SCRIPTS_ALONE, "__pycache__"}
    assert [name(path) for path in APP if place(path) == SCRIPTS_ALONE] == []


def test_a_folder_imports_only_from_the_folders_before_it():
    broken = [
        f"{name(path)} imports {module}"
        for path in APP
        if place(path) in FOLDERS
        for module in imports(path)
        if library(module) == PACKAGE
        and module.split(".")[1] not in FOLDERS[: FOLDERS.index(place(path)) + 1]
    ]
    assert broken == []


def imports_between_folders() -> dict[tuple[str, ...], set[tuple[str, ...]]]:
    """For each folder within a folder of the list, the folders beside it from which it imports."""
    folders = {path.relative_to(ROOT).parts[:-1] for path in APP}
    found: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for path in APP:
        here = path.relative_to(ROOT).parts[:-1]
        for there in (tuple(module.split(".")) for module in imports(path)):
            pairs = enumerate(zip(here, there, strict=False))
            parted = next((i for i, (own, other) in pairs if own != other), 0)
            if parted >= 2 and there[: parted + 1] in folders:
                found.setdefault(here[: parted + 1], set()).add(there[: parted + 1])
    return found


def test_the_folders_within_a_folder_do_not_import_each_other_in_a_circle():
    try:
        TopologicalSorter(imports_between_folders()).prepare()
        circle = []
    except CycleError as error:
        circle = error.args[1]
    assert circle == []


def modules_imported(path: Path) -> set[str]:
    """The modules of the package that a file imports, also those that it imports for their types alone."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if library(alias.name) == PACKAGE}
        elif isinstance(node, ast.ImportFrom) and library(node.module or "") == PACKAGE:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name for name in names if module_path(name) in APP} or {node.module}
    return found


def module_path(module: str) -> Path:
    return ROOT / (module.replace(".", "/") + ".py")


def test_the_files_do_not_import_each_other_in_a_circle():
    """`TYPE_CHECKING` hides none: what needs another file's types needs the file."""
    try:
        modules = {
            module_path(m): p for p in APP for m in [".".join(p.relative_to(ROOT).with_suffix("").parts)]
        }
        needs = {
            path: {modules.get(module_path(m)) for m in modules_imported(path)} - {None, path} for path in APP
        }
        TopologicalSorter(needs).prepare()
        circle = []
    except CycleError as error:
        circle = [name(path) for path in error.args[1]]
    assert circle == []


def test_plotly_is_imported_only_by_files_that_draw():
    drawing = [name(path) for path in APP if "plotly" in {library(module) for module in imports(path)}]
    assert [file for file in drawing if not draws(ROOT / file)] == []


def test_only_the_page_imports_what_draws():
    """So `import autodiff_viz` loads no Plotly, and a computation none either."""
    drawing = {path for path in APP if draws(path)}
    computing = [
        path
        for path in APP
        if place(path) in FOLDERS and path.stem in {"compute", "search", "cures", "elements"}
    ]
    assert [name(p) for p in computing if {module_path(m) for m in modules_imported(p)} & drawing] == []


def test_imports_are_absolute():
    assert [name(path) for path in (*APP, *BENCHMARKS, *TESTS) if "." in imports(path)] == []


def test_a_library_is_imported_only_where_it_belongs():
    broken = [
        f"{name(path)} imports {module}"
        for path in APP
        for module in imports(path)
        if place(path) not in ONLY_IN.get(library(module), {place(path)})
    ]
    assert broken == []


def test_the_graph_needs_nothing_but_the_standard_library():
    used = {library(module) for path in APP if place(path) == STANDARD_ONLY for module in imports(path)}
    assert not used & THIRD_PARTY


def test_no_import_hides_inside_a_function():
    hidden = [
        f"{name(path)}:{inner.lineno}"
        for path in (*APP, *BENCHMARKS)
        for outer in ast.walk(tree(path))
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(outer)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    ]
    assert hidden == []


def test_nothing_that_a_visitor_sends_can_be_run():
    called = [
        f"{name(path)}:{node.lineno}: {node.func.id}"
        for path in APP
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RUNS_TEXT
        if (name(path), node.func.id) != (COMPARES_CODE, "compile")
    ]
    imported = [name(path) for path in APP if RUNS_DATA & {library(module) for module in imports(path)}]
    assert called + [path for path in imported if path not in OUR_OWN] == []


def test_whatever_is_remembered_is_keyed_by_its_identity():
    """`functools.lru_cache` and `hash` take 0.0 for -0.0, 1 for True, and -1.0 for -2.0."""
    found = matches(APP, r"\blru_cache\b|(?<![\w.])hash\(")
    assert {line.split(":")[0] for line in found} <= IDENTITIES


def test_pythons_parser_is_called_in_one_place_alone():
    found = matches(APP, r"\bast\.parse\(|\bliteral_eval\b|PyCF_ONLY_AST")
    assert {line.split(":")[0] for line in found} == {"autodiff_viz/graph/syntax_tree.py"}


def test_documents_from_outside_are_read_in_one_place_alone():
    """`decoded` and `document_in` check nothing of ops: code that opens a document must not stop there."""
    found = {line.split(":")[0] for line in matches(APP, r"\b(decoded|document_in)\(")}
    assert {file for file in found if "/graph/" not in file} == {"autodiff_viz/language/documents.py"}


def test_no_markdown_on_the_page_may_hold_html():
    assert matches(APP, r"\bunsafe_allow_html\b") == []


def test_scripts_on_the_page_are_the_projects_own():
    found = matches(APP, r"\bunsafe_allow_javascript\b|<script")
    assert [line for line in found if line.split(":")[0] not in OWN_SCRIPTS] == []


def test_the_browser_code_makes_no_html_of_text_and_runs_no_text():
    pattern = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
    assert matches(SCRIPTS, pattern) == []


def test_the_browser_code_and_styles_ask_nothing_of_other_hosts():
    pattern = r"https?://(?!www\.w3\.org/)|@import|\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon"
    found = matches((*SCRIPTS, *STYLES), pattern)
    assert [line for line in found if line.split(":")[0] not in {ASKS_ITS_OWN_HOST, LAB_SOCKET, LATER}] == []
    for file in (ASKS_ITS_OWN_HOST, LATER):
        source = (ROOT / file).read_text("utf-8")
        assert source.index("address.origin !== location.origin") < source.index("fetch(address")


def test_the_labs_websocket_is_asked_of_the_pages_own_host():
    found = matches(SCRIPTS, r"new WebSocket|\bthis\.connect\(")
    assert [line.split(":")[0] for line in found] == [LAB_SOCKET] * 2
    source = (ROOT / LAB_SOCKET).read_text("utf-8")
    assert "this.connect(address(), " in source
    assert "if (url.host !== location.host) throw" in source


def test_the_browser_code_is_checked_against_its_types():
    assert [name(path) for path in SCRIPTS if not path.read_text("utf-8").startswith("// @ts-check")] == []
    assert matches(SCRIPTS, r"@ts-(nocheck|ignore|expect-error)") == []


def test_every_module_says_what_it_is_for():
    """Also a folder, in its `__init__`."""
    assert [name(path) for path in (*APP, *BENCHMARKS) if not ast.get_docstring(tree(path))] == []


def test_files_are_named_by_what_is_in_them():
    assert [name(path) for path in (*APP, *BENCHMARKS, *TESTS) if path.stem in SAYS_NOTHING] == []


def test_every_requirement_is_pinned_exactly():
    texts = [(ROOT / file).read_text("utf-8") for file in ("requirements.txt", "requirements-dev.txt")]
    lines = [line.split("#")[0].strip() for text in texts for line in text.splitlines()]
    assert [line for line in lines if line and "==" not in line and not line.startswith("-r ")] == []

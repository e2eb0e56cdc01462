"""Test that links, documents, texts and stored histories of earlier versions open as what they were.

The expected documents are those that the earlier version wrote, in `corpus`.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any

import pytest

from autodiff_viz.graph.codec import to_json
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from autodiff_viz.lessons.gallery import lesson
from tests.lab.persistence.corpus.write import FOLDER, meaning, reopened, write

VERSIONS = sorted(path.name for path in FOLDER.glob("*.json.gz"))


@cache
def corpus(version: str) -> dict[str, Any]:
    return json.loads(gzip.decompress((FOLDER / version).read_bytes()))


def named(section: str) -> list[Any]:
    return [
        pytest.param(version, name, id=f"{version} {name}")
        for version in VERSIONS
        for name in corpus(version)[section]
    ]


def test_there_is_a_corpus():
    assert VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("form", "read"), [("link", from_link), ("document", from_json)])
def test_a_graph_of_an_earlier_version_opens_as_it_was(version, form, read):
    graphs = corpus(version)["graphs"]
    changed = [name for name, kept in graphs.items() if to_json(read(kept[form]), None) != kept["document"]]
    assert (len(graphs) > 100, changed) == (True, [])


@pytest.mark.parametrize("version", VERSIONS)
def test_a_formula_of_an_earlier_version_opens_as_it_was(version):
    graphs = corpus(version)["graphs"]
    expected = {name: kept.get("document of text", kept["document"]) for name, kept in graphs.items()}
    read = {name: to_json(parse(kept["text"]), None) for name, kept in graphs.items()}
    assert [name for name in graphs if read[name] != expected[name]] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_a_graph_of_an_earlier_version_has_the_formula_that_it_had(version):
    graphs = corpus(version)["graphs"]
    assert [name for name, kept in graphs.items() if show(from_json(kept["document"])) != kept["text"]] == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("version", "name"), named("sessions"))
def test_an_address_with_its_stored_history_opens_as_it_was(version, name):
    kept = corpus(version)["sessions"][name]
    lab = reopened(kept)
    now, then = json.loads(json.dumps(meaning(lab))), {**kept["means"]}
    if found := lesson(lab.lesson):  # its graphs may have changed their order since: links have numbers
        assert str(found.number_of(now.pop("variant"))) == kept["query"].get("variant", "0")
        del then["variant"]
    assert now == then


def test_what_a_version_has_written_is_not_written_anew():
    before = [(FOLDER / version).read_bytes() for version in VERSIONS]
    with pytest.raises(FileExistsError):
        write(VERSIONS[0].removesuffix(".json.gz"))
    assert [(FOLDER / version).read_bytes() for version in VERSIONS] == before

"""The benchmarks of unusual exclusions contain only queries that the rules miss."""

import json
import os
from functools import partial
from pathlib import Path

import pytest
import zstandard
from lab.tests.catalogs.catalogs import FOLDER, films, jsonl

from boolattn.reading.caller import labelled_reading
from boolattn.reading.readers import reader_of
from boolattn.reading.spans import Span
from boolattn_lab.benchmarks.sets import generated, load_benchmark
from boolattn_lab.catalogs.films import genre_exclusions
from boolattn_lab.catalogs.splits import Splits
from boolattn_lab.catalogs.wordings.exclusions import EXCLUSIONS
from boolattn_lab.formats.folder import DataFolder

NAMES = ("films-unusual", "debian-unusual")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    data = tmp_path_factory.mktemp("data")
    for source, target in (("films", "films/films"), ("packages", "debian/packages")):
        path = data / f"{target}.jsonl.zst"
        path.parent.mkdir()
        path.write_bytes(zstandard.compress((FOLDER / f"{source}.jsonl").read_bytes()))
    paragraphs = [f"Tag: {term['name']}\nDescription: {term['short']}\n" for term in jsonl("tags.jsonl")]
    (data / "debian" / "vocabulary.txt").write_text("\n".join(paragraphs), encoding="utf-8")
    return DataFolder(data)


def check(task, count):
    assert len(task.queries) == count
    assert set(task.template_of.values()) <= set(EXCLUSIONS)
    assert not any(reading.exclusions for reading in reader_of("rules").read(list(task.queries.values())))
    for key in task.queries:
        assert task.answers[key] and task.negated[key]
        assert task.answers[key].isdisjoint(task.negated[key])
    assert len(set(task.queries.values())) > 0.8 * count


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(generated, "UNSEEN_QUERIES", 40)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("name", NAMES)
def test_the_rules_miss_the_queries(folder, name):
    task = load_benchmark(name, folder)
    assert task.name == name
    check(task, 40)
    documents = {identifier for identifier, _ in task.documents()}
    assert set().union(*task.answers.values(), *task.negated.values()) <= documents
    assert "violation@20" in [str(measure) for measure in task.measures]
    assert load_benchmark(name, folder).queries == task.queries


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("name", NAMES)
def test_what_the_rules_find_is_skipped_and_replaced(folder, name, monkeypatch):
    class FindsI:
        name = "finds i"

        def read(self, queries):
            return [
                labelled_reading(text, [], {}, {"not": (Span(0, 1),) * text.lower().startswith("i")})
                for text in queries
            ]

    assert any(text.lower().startswith("i") for text in load_benchmark(name, folder).queries.values())
    monkeypatch.setattr(generated, "reader_of", lambda name: FindsI())
    task = load_benchmark(name, folder)
    assert len(task.queries) == 40
    assert not any(text.lower().startswith("i") for text in task.queries.values())


@pytest.mark.usefixtures("few")
def test_films_queries_use_only_meaning(folder):
    texts = json.dumps(list(load_benchmark("films-unusual", folder).queries.values()))
    names = [atom.written for atom in films().atoms if atom.column == "cast"]
    assert names
    assert not any(name in texts for name in names)


@pytest.mark.skipif("BOOLATTN_DATA" not in os.environ, reason="set BOOLATTN_DATA to the folder of the real datasets")
@pytest.mark.parametrize("name", NAMES)
def test_the_real_ones(name):
    task = load_benchmark(name, DataFolder(Path(os.environ["BOOLATTN_DATA"])))
    check(task, 300)
    assert set(task.template_of.values()) == set(EXCLUSIONS)


def test_pairs_used_in_training_are_skipped(folder, monkeypatch):
    small = partial(genre_exclusions, smallest_genre=2, overlap=0.0, smallest_answer=1)
    monkeypatch.setattr(generated, "genre_exclusions", small)
    pairs = {query.text: Splits().split_of(mention.atom for mention in query.mentions) for query in small(films())}
    assert {"train", "test"} <= set(pairs.values())
    asked = set(load_benchmark("films-pairs", folder).queries.values())
    assert asked == {text for text, split in pairs.items() if split != "train"}

"""The real films and Debian packages: answers derived independently from the raw rows."""

import io
import json
import os
from collections import defaultdict
from itertools import islice
from pathlib import Path

import pytest
import zstandard

from boolattn_lab.catalogs.debian import debian_catalog
from boolattn_lab.catalogs.expressions import And, AndNot, Or
from boolattn_lab.catalogs.films import films_catalog, genre_exclusions
from boolattn_lab.catalogs.generator import generate

DATA = Path(os.environ.get("BOOLATTN_DATA", ""))
pytestmark = pytest.mark.skipif(
    "BOOLATTN_DATA" not in os.environ, reason="set BOOLATTN_DATA to the folder of the real datasets"
)


def rows(name):
    with (DATA / name).open("rb") as packed, zstandard.ZstdDecompressor().stream_reader(packed) as unpacked:
        return [json.loads(line) for line in io.TextIOWrapper(unpacked, encoding="utf-8")]


@pytest.fixture(scope="module")
def raw_films():
    return rows("films/films.jsonl.zst")


@pytest.fixture(scope="module")
def films(raw_films):
    return films_catalog(raw_films)


def brute_force(films, expression):
    """The numbers of the films that match an expression, by plain sets."""
    match expression:
        case And(parts):
            return set.intersection(*(brute_force(films, part) for part in parts))
        case Or(parts):
            return set.union(*(brute_force(films, part) for part in parts))
        case AndNot(kept, dropped):
            return brute_force(films, kept) - brute_force(films, dropped)
    column, value = expression.column, expression.value
    if column == "decades":
        return {i for i, film in enumerate(films) if str(film["year"])[:3] + "0s" == value}
    values = {"Sport", "Sports"} if value == "Sports" else {value}
    return {i for i, film in enumerate(films) if values.intersection(film[column])}


def test_two_hundred_answer_sets_equal_brute_force(raw_films, films):
    slices = [films, films.slice("meaning"), films.slice("names")]
    queries = [
        query
        for catalog, count in zip(slices, (80, 80, 40), strict=True)
        for query in islice(generate(catalog, seed=2024), count)
    ]
    assert len(queries) == 200
    for query in queries:
        assert set(query.answers) == brute_force(raw_films, query.expression)
        if isinstance(query.expression, AndNot):
            kept, dropped = (brute_force(raw_films, part) for part in (query.expression.kept, query.expression.dropped))
            assert set(query.near_misses) == kept & dropped


def test_genre_exclusions_are_139(raw_films, films):
    queries = list(genre_exclusions(films))
    genres = defaultdict(set)
    for number, film in enumerate(raw_films):
        for genre in film["genres"]:
            genres["Sports" if genre == "Sport" else genre].add(number)
    expected = {
        f"{a.lower()} films that are not {b.lower()} films": genres[a] - genres[b]
        for a in genres
        for b in genres
        if a != b
        and len(genres[a]) >= 100
        and len(genres[b]) >= 100
        and len(genres[a] & genres[b]) / len(genres[a]) >= 0.08
        and len(genres[a] - genres[b]) >= 60
    }
    assert {query.text: set(query.answers) for query in queries} == expected
    assert len(queries) == 139


def test_the_catalog_has_every_film(films):
    assert len(films.ids) == 34_532
    assert not {"and", "voices of", "(narrator)", "The", "Cast:"} & {atom.value for atom in films.atoms}


def test_tag_wordings_are_unique():
    vocabulary = (DATA / "debian/vocabulary.txt").read_text(encoding="utf-8").split("\n\n")
    terms = [
        {key: value for key, _, value in (line.partition(": ") for line in paragraph.strip().splitlines())}
        for paragraph in vocabulary
    ]
    tags = [{"name": term["Tag"], "short": term["Description"]} for term in terms if "Tag" in term]
    packages = debian_catalog(rows("debian/packages.jsonl.zst"), tags)
    assert len(packages.ids) == 63_620
    tag_of = {}
    for atom in packages.atoms:
        for wording in atom.wordings("noun", "packages"):
            assert tag_of.setdefault(wording, atom.value) == atom.value
    assert all(query.answers for query in islice(generate(packages, seed=1), 100))

"""Catalogs contain the values of the rows, in any format."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab.tests.catalogs.catalogs import films, jsonl, plain_column

from boolattn_lab.catalogs.atoms import Phrases
from boolattn_lab.catalogs.catalog import build_catalog
from boolattn_lab.catalogs.expressions import And, AndNot

COLUMNS = [plain_column("colour"), plain_column("shape", in_slice="forms")]
ROWS = [
    ("p", {"colour": ["red", "blue"], "shape": ["round"]}),
    ("q", {"colour": ["red"]}),
    ("r", {"shape": ["round", "round"], "size": ["large"]}),
    ("s", {}),
]


def test_answers_are_those_of_the_rows():
    catalog = build_catalog(ROWS, COLUMNS)
    red, rounded = catalog.atom("colour", "red"), catalog.atom("shape", "round")
    assert list(catalog.ids_of(catalog.answers(red))) == ["p", "q"]
    assert list(catalog.ids_of(catalog.answers(And((red, rounded))))) == ["p"]
    assert list(catalog.ids_of(catalog.answers(AndNot(rounded, red)))) == ["r"]
    assert list(catalog.ids_of(catalog.near_misses(AndNot(rounded, red)))) == ["p"]
    assert [atom.value for atom in catalog.atoms_of(0)] == ["red", "blue", "round"]
    assert catalog.atoms_of(3) == []


def test_a_slice_has_its_columns_only_and_the_same_entities():
    forms = build_catalog(ROWS, COLUMNS).slice("forms")
    assert [(atom.column, atom.value) for atom in forms.atoms] == [("shape", "round")]
    assert list(forms.ids) == ["p", "q", "r", "s"]
    assert list(forms.ids_of(forms.answers(forms.atom("shape", "round")))) == ["p", "r"]
    assert [len(forms.atoms_of(entity)) for entity in range(4)] == [1, 0, 1, 0]


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), min_size=1, max_size=20), st.data())
def test_atoms_are_counted(values, data):
    catalog = build_catalog(((str(i), {"colour": has}) for i, has in enumerate(values)), COLUMNS)
    chosen = data.draw(st.sets(st.integers(0, len(values) - 1)))
    codes, counts = catalog.count_atoms(type(catalog.everything)(chosen))
    counted = {catalog.atoms[code].value: count for code, count in zip(codes, counts, strict=True)}
    assert counted == Counter(value for entity in chosen for value in values[entity])


def test_mistakes_are_named():
    catalog = build_catalog(ROWS, COLUMNS)
    with pytest.raises(ValueError, match="row 3 has the ID 'p' of row 1"):
        build_catalog([*ROWS[:2], ("p", {})], COLUMNS)
    with pytest.raises(KeyError, match="no column 'weight' in this catalog; it has: colour, shape"):
        catalog.atom("weight", "heavy")
    with pytest.raises(KeyError, match="no entity has 'green' in column 'colour'"):
        catalog.atom("colour", "green")
    with pytest.raises(ValueError, match="no column in slice 'names'; slices of this catalog: forms, meaning"):
        catalog.slice("names")
    with pytest.raises(ValueError, match=r"must end in '\{value\}'"):
        Phrases(noun=("{head}",), post=("with {value} colour",), tail=("{value}",))


def test_atoms_are_known_by_column_and_value_alone():
    films_atom = films().atom("genres", "Comedy")
    assert films_atom == plain_column("genres").atom("Comedy")
    assert films_atom != plain_column("decades").atom("Comedy")
    assert films_atom.wordings("noun", "movies") == ("comedy movies", "comedies")


def test_films_have_slices_for_meaning_and_names():
    raw, catalog = jsonl("films.jsonl"), films()
    assert {atom.column for atom in catalog.slice("meaning").atoms} == {"genres", "decades"}
    assert {atom.column for atom in catalog.slice("names").atoms} == {"cast"}
    fifties = [i for i, film in enumerate(raw) if 1950 <= film["year"] < 1960]
    assert list(catalog.answers(catalog.atom("decades", "1950s"))) == fifties
    # "Sport" and "Sports" are one genre; "and" and "(narrator)" are not names.
    sports = [i for i, film in enumerate(raw) if {"Sport", "Sports"} & set(film["genres"])]
    assert list(catalog.answers(catalog.atom("genres", "Sports"))) == sports
    assert not {"and", "(narrator)"} & {atom.value for atom in catalog.atoms}
    assert catalog.atom("cast", "Salt and Pepper").wordings("post", "films")[0] == "starring Salt and Pepper"

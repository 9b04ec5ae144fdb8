"""Expressions have the same meaning on bitmaps as on sets, and correct atoms, signs and scopes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab.tests.catalogs.catalogs import plain_column

from boolattn_lab.catalogs.catalog import build_catalog
from boolattn_lab.catalogs.expressions import (
    TEMPLATES,
    And,
    AndNot,
    Not,
    Or,
    atoms_of,
    positive_part,
    scopes_of,
    signed_atoms,
    without,
)

COLUMN = plain_column("c")
A, B, C, D = (COLUMN.atom(letter) for letter in "ABCD")

expressions = st.recursive(
    st.sampled_from([A, B, C, D]),
    lambda parts: st.one_of(
        st.builds(And, st.lists(parts, min_size=2, max_size=3).map(tuple)),
        st.builds(Or, st.lists(parts, min_size=2, max_size=3).map(tuple)),
        st.builds(Not, parts),
        st.builds(AndNot, parts, parts),
    ),
    max_leaves=8,
)
rows = st.lists(st.sets(st.sampled_from("ABCD")), max_size=30)


def catalog_of(values):
    """One entity per set of letters, and one for each letter, so that all atoms are known."""
    everyone = [*values, *({letter} for letter in "ABCD")]
    return everyone, build_catalog(((str(i), {"c": sorted(has)}) for i, has in enumerate(everyone)), [COLUMN])


def brute_force(expression, everyone):
    everything = set(range(len(everyone)))
    match expression:
        case And(parts):
            return set.intersection(*(brute_force(part, everyone) for part in parts))
        case Or(parts):
            return set.union(*(brute_force(part, everyone) for part in parts))
        case Not(part):
            return everything - brute_force(part, everyone)
        case AndNot(kept, dropped):
            return brute_force(kept, everyone) - brute_force(dropped, everyone)
        case atom:
            return {i for i, has in enumerate(everyone) if atom.value in has}


@given(rows, expressions)
def test_bitmaps_equal_sets(values, expression):
    everyone, catalog = catalog_of(values)
    assert set(catalog.answers(expression)) == brute_force(expression, everyone)


@given(rows, st.sampled_from(sorted(TEMPLATES)))
def test_near_misses_match_a_negated_atom_and_are_no_answers(values, template):
    everyone, catalog = catalog_of(values)
    letters = {slot: COLUMN.atom(slot.value.upper()) for slot in atoms_of(TEMPLATES[template])}
    expression = replace_atoms(TEMPLATES[template], letters)
    near_misses = set(catalog.near_misses(expression))
    negated = {atom.value for atom, sign in signed_atoms(expression) if sign == -1}
    assert not near_misses & brute_force(expression, everyone)
    assert all(everyone[entity] & negated for entity in near_misses)
    if template == "_ that are not _":
        assert near_misses == {i for i, has in enumerate(everyone) if {"A", "B"} <= has}


def replace_atoms(expression, atoms):
    match expression:
        case And(parts):
            return And(tuple(replace_atoms(part, atoms) for part in parts))
        case Or(parts):
            return Or(tuple(replace_atoms(part, atoms) for part in parts))
        case AndNot(kept, dropped):
            return AndNot(replace_atoms(kept, atoms), replace_atoms(dropped, atoms))
        case slot:
            return atoms[slot]


def test_a_negation_within_a_negation_is_positive():
    expression = AndNot(A, AndNot(B, Not(C)))
    assert list(signed_atoms(expression)) == [(A, 1), (B, -1), (C, -1)]
    assert list(signed_atoms(AndNot(A, AndNot(B, C)))) == [(A, 1), (B, -1), (C, 1)]


@pytest.mark.parametrize(
    ("expression", "scopes"),
    [
        (A, {}),
        (And((A, B)), {"and": (0, 1)}),
        (AndNot(And((A, B)), C), {"and": (0, 1), "not": (2,)}),
        (AndNot(A, Or((B, C))), {"or": (1, 2), "not": (1, 2)}),
        (And((A, Or((B, C)))), {"and": (0, 1, 2), "or": (1, 2)}),
        (Or((AndNot(A, B), C)), {"or": (0, 1, 2), "not": (1,)}),
        (And((A, Not(B))), {"and": (0, 1), "not": (1,)}),
    ],
)
def test_scopes(expression, scopes):
    assert scopes_of(expression) == scopes
    assert list(scopes_of(expression)) == list(scopes), "operators come in the order and, or, not"


def test_an_atom_can_be_removed():
    assert without(And((A, B)), [B]) == A
    assert without(And((A, B, C)), [B]) == And((A, C))
    assert without(AndNot(A, Or((B, C))), [C]) == AndNot(A, B)
    assert without(AndNot(A, B), [B]) == A
    assert without(AndNot(A, B), [A]) == Not(B)
    assert without(A, [A]) is None


def test_the_positive_part():
    assert positive_part(AndNot(And((A, B)), C)) == And((A, B))
    assert positive_part(Or((AndNot(A, B), C))) == Or((A, C))
    assert positive_part(And((A, Not(B)))) == A
    assert positive_part(Not(A)) is None


def test_combining_one_part_is_an_error():
    with pytest.raises(ValueError, match="two or more parts, not 1"):
        And((A,))

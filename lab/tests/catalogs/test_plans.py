"""Plans of generated queries, whose atoms are known, and their answers in a catalog."""

from itertools import islice

import pytest
from hypothesis import given
from lab.tests.catalogs.catalogs import CATALOGS, plain_column

from boolattn.reading.caller import labelled_reading
from boolattn.reading.plan import AllOf, PlanNode, QueryAtom
from boolattn.reading.spans import Span
from boolattn_lab.catalogs.catalog import build_catalog
from boolattn_lab.catalogs.expressions import expression_of
from boolattn_lab.catalogs.generator import generate
from tests.reading.syntax_trees import TEXTS, brute_force, condition_of_tree, everyone, trees

COLUMN = plain_column("says")


def answers(condition: PlanNode, everyone) -> set[int]:
    """Evaluate a condition over bitmaps."""
    rows = [*everyone, TEXTS]  # so that every atom is known
    catalog = build_catalog(((str(number), {"says": sorted(has)}) for number, has in enumerate(rows)), [COLUMN])
    return set(catalog.answers(expression_of(condition, lambda text: catalog.atom("says", text)))) - {len(everyone)}


@pytest.mark.parametrize("name", CATALOGS)
def test_a_right_reading_gives_every_atom_its_right_sign(name):
    for query in islice(generate(CATALOGS[name](), seed=3, minimum=2), 150):
        plan = labelled_reading(query.text, query.scopes, query.cues, query.scopes).plan()
        for mention in query.mentions:
            covering = [atom for atom in plan.atoms if atom.span.overlaps(mention.span)]
            assert {atom.sign for atom in covering} == {mention.sign}, f"{query.text!r} as {str(plan)!r}"


@given(trees(), everyone)
def test_the_answers_of_a_plan_are_those_of_brute_force(tree, everyone):
    assert answers(condition_of_tree(tree), everyone) == brute_force(tree, everyone)


def test_an_unknown_atom_is_the_lookups_error():
    with pytest.raises(KeyError):
        expression_of(AllOf((QueryAtom("a", Span(0, 1)), QueryAtom("b", Span(2, 3)))), {}.__getitem__)

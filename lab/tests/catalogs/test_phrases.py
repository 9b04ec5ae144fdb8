from itertools import islice

from boolattn_lab.catalogs.generator import generate
from boolattn_lab.catalogs.quest import phrases_catalog

PHRASES = ["birds of Peru", "1956 debut novels", "trees", "birds of Peru", "novels about war", "war films"]


def test_every_phrase_can_be_combined_with_every_other():
    catalog = phrases_catalog(PHRASES, seed=0)
    assert {atom.value for atom in catalog.atoms} == set(PHRASES)
    members = [catalog.members[atom] for atom in catalog.atoms]
    assert all(len(a & b) >= 3 and len(a - b) >= 3 for a in members for b in members if a is not b)


def test_queries_use_the_phrases_unchanged():
    for query in islice(generate(phrases_catalog(PHRASES, seed=0), seed=0, templates=["_ that are not _"]), 20):
        assert [mention.span.of(query.text).lower() for mention in query.mentions] == [
            mention.atom.value.lower() for mention in query.mentions
        ]
        assert query.scopes["not"]


def test_the_order_of_phrases_does_not_matter_but_the_seed_does():
    def sets(phrases, seed):
        catalog = phrases_catalog(phrases, seed)
        return {atom.value: list(catalog.members[atom]) for atom in catalog.atoms}

    assert sets(PHRASES, 0) == sets(PHRASES[::-1], 0) != sets(PHRASES, 1)

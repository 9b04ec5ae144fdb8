"""Triples like SetBERT's: positives match the gold sentence, negatives do not."""

from itertools import islice

import pytest
from lab.tests.catalogs.catalogs import films, packages

from boolattn.operators import OPERATORS
from boolattn_lab.catalogs.expressions import And, AndNot, Or
from boolattn_lab.catalogs.sentence_triples import generate_triples
from boolattn_lab.catalogs.splits import Splits


def fulfils(atoms, expression):
    match expression:
        case And(parts):
            return all(fulfils(atoms, part) for part in parts)
        case Or(parts):
            return any(fulfils(atoms, part) for part in parts)
        case AndNot(kept, dropped):
            return fulfils(atoms, kept) and not fulfils(atoms, dropped)
        case atom:
            return atom in atoms


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("catalog", [films, packages])
def test_the_sentences_are_true(catalog, operator):
    triples = list(islice(generate_triples(catalog(), operator, seed=2), 150))
    for triple in triples:
        assert operator in triple.gold.operators
        assert all(fulfils(sentence.atoms, triple.gold.expression) for sentence in triple.positives)
        assert not any(fulfils(sentence.atoms, triple.gold.expression) for sentence in triple.negatives)
        for sentence in (*triple.positives, *triple.negatives):
            assert all(
                atom.written.lower() in sentence.text.lower() for atom in sentence.atoms if atom.column == "cast"
            )
    assert sum(len(triple.positives) == 2 and len(triple.negatives) == 3 for triple in triples) > 140


def test_a_negative_of_not_is_mostly_a_near_miss():
    triples = list(islice(generate_triples(films(), "not", seed=2), 100))
    negated = [{mention.atom for mention in triple.gold.mentions if mention.sign == -1} for triple in triples]
    hits = [bool(set(s.atoms) & bad) for triple, bad in zip(triples, negated, strict=True) for s in triple.negatives]
    assert sum(hits) > 0.6 * len(hits)


def test_training_triples_mention_no_unseen_value():
    splits = Splits(unseen_values=0.3)
    train = islice(generate_triples(films(), "not", seed=0, split="train", splits=splits), 80)
    told = {atom for triple in train for sentence in (*triple.positives, *triple.negatives) for atom in sentence.atoms}
    assert told
    assert not any(splits.is_unseen(atom) for atom in told)


def test_the_same_seed_gives_the_same_triples():
    triples = [list(islice(generate_triples(films(), "or", seed=seed), 10)) for seed in (4, 4, 5)]
    assert triples[0] == triples[1] != triples[2]


def test_an_unknown_operator_is_named():
    with pytest.raises(ValueError, match="no operator 'xor'; choose from"):
        generate_triples(films(), "xor", seed=0)

from collections import Counter
from random import Random

from boolattn.reading.spans import Span
from boolattn_lab.reader.rows import FOLDS, ReaderRow, fold_of, with_noise


def test_noise_keeps_every_span_in_its_place():
    row = ReaderRow("laptops but not from Straße & Co", frozenset(["topic"]), (Span(21, 32),))
    changed = {with_noise(row, Random(seed)).query for seed in range(300)}
    assert len(changed) > 10
    assert {len(query) for query in changed} == {len(row.query)}
    assert any(query.islower() for query in changed)


def test_noise_changes_only_the_query():
    row = ReaderRow("a b", frozenset(["topic"]), (Span(2, 3),), {"and": True}, {"and": ()}, {"or": ()})
    noisy = with_noise(row, Random(1))
    assert (noisy.kinds, noisy.excluded, noisy.operators, noisy.cues, noisy.scopes) == (
        row.kinds, row.excluded, row.operators, row.cues, row.scopes,
    )  # fmt: skip


def test_folds_are_fixed_and_of_similar_size():
    folds = Counter(fold_of(f"query {number}") for number in range(5000))
    assert sorted(folds) == list(range(FOLDS))
    assert min(folds.values()) > 900
    assert [fold_of(query) for query in ("films", "no war films", "a")] == [4, 1, 0]

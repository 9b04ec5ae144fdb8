import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from boolattn.encoders.token_reading import (
    TokenReading,
    exclusion_reading,
    in_text,
    reading_on_characters,
    reading_on_tokens,
)
from boolattn.reading.rules.rule_reader import Reading
from boolattn.reading.spans import Span
from boolattn.reading.understanding import Excluded, excluded_by_rules


def test_the_space_before_a_word_is_not_the_words():
    text = "find: films NOT war"
    offsets = [(0, 0), (0, 5), (5, 11), (11, 15), (15, 19), (0, 0)]  # as byte-level tokenizers count
    assert in_text(text, offsets, start=6) == [(0, 0), (0, 0), (0, 5), (6, 9), (10, 13), (0, 0)]


def test_tokens_that_begin_with_a_space_are_told_apart():
    query = "films AND comedy NOT war"
    raw = [(0, 0), (0, 5), (5, 9), (9, 16), (16, 20), (20, 24), (0, 0)]
    found = exclusion_reading([excluded_by_rules(query)], [in_text(query, raw)])
    assert found.scopes[0, :, 0].tolist() == [0, 0, 0, 0, 0, 1, 0]
    assert found.cues[0, :, 0].tolist() == [0, 0, 1, 0, 1, 0, 0]


def test_no_token_in_scope_no_open_gate():
    found = exclusion_reading([Excluded(), excluded_by_rules("films without war")], [[(0, 5)], [(0, 5)]])
    assert found.gates.tolist() == [[0.0], [0.0]]


TEXT = "films but not;war now"
OFFSETS = [(0, 0), (0, 5), (6, 9), (10, 13), (13, 16), (17, 20), (0, 0), (0, 0)]


def test_a_reading_goes_to_tokens_and_back():
    empty = {"and": (), "or": (), "not": ()}
    said = Reading(frozenset({"not"}), empty | {"not": (Span(6, 9),)}, empty | {"not": (Span(10, 16),)})
    on_tokens = reading_on_tokens([said, Reading(frozenset(), empty, empty)], [OFFSETS, OFFSETS])
    assert on_tokens.gates.tolist() == [[0, 0, 1], [0, 0, 0]]
    assert on_tokens.cues[0, :, 2].tolist() == [0, 0, 1, 0, 0, 0, 0, 0]
    assert on_tokens.scopes[0, :, 2].tolist() == [0, 0, 0, 1, 1, 0, 0, 0]
    assert on_tokens.cues.sum() == 1 and on_tokens.scopes.sum() == 2
    assert reading_on_characters(TokenReading(*(each[:1] for each in on_tokens)), OFFSETS, TEXT) == said


def test_one_operator_may_be_taken_from_all():
    found = TokenReading(torch.rand(2, 3), torch.rand(2, 5, 3), torch.rand(2, 5, 3))
    assert [each.shape for each in found.of(1)] == [(2, 1), (2, 5, 1), (2, 5, 1)]
    assert torch.equal(found.of(1).scopes[..., 0], found.scopes[..., 1])


@given(st.lists(st.booleans(), min_size=8, max_size=8))
def test_spans_cover_the_marked_tokens_and_no_other(marks):
    scopes = torch.zeros(1, 8, 3)
    scopes[0, :, 0] = torch.tensor(marks, dtype=torch.float)
    spans = reading_on_characters(TokenReading(torch.ones(1, 3), torch.zeros(1, 8, 3), scopes), OFFSETS, TEXT).scopes[
        "and"
    ]
    for (first, last), marked in zip(OFFSETS, marks, strict=True):
        if first < last:
            assert any(span.start <= first and last <= span.end for span in spans) == marked
    assert list(spans) == sorted(spans) and not any(a.overlaps(b) for a in spans for b in spans if a != b)


@pytest.mark.parametrize(
    ("marks", "found"), [([1, 0, 0], ()), ([0, 1, 0], ("magnification",)), ([1, 1, 1], ("magnification x",))]
)
def test_words_are_marked_whole_or_not_at_all(marks, found):
    text, offsets = "magnification x", [(0, 3), (3, 13), (14, 15)]
    scopes = torch.zeros(1, 3, 3)
    scopes[0, :, 2] = torch.tensor(marks)
    reading = reading_on_characters(TokenReading(torch.ones(1, 3), torch.zeros(1, 3, 3), scopes), offsets, text)
    assert tuple(span.of(text) for span in reading.scopes["not"]) == found
    assert ("not" in reading.operators) == bool(found)

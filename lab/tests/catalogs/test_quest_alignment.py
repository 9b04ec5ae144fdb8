import json
import re
from pathlib import Path
from typing import Any

import pytest

from boolattn.reading.spans import Span
from boolattn_lab.catalogs.quest_alignment import Alignment, Unaligned, align
from boolattn_lab.catalogs.word_matching import content_words

CHECKED = Path(__file__).parent / "fixtures" / "quest_alignment_checked.jsonl"


def said(query: str, original_query: str) -> list[list[str]]:
    alignment = align(query, original_query)
    assert isinstance(alignment, Alignment), alignment
    return [[span.of(query) for span in atom.spans] for atom in alignment.atoms]


def test_atoms_share_words_that_occur_once():
    pieces = said(
        "Nepalese documentary or coming-of-age films",
        "<mark>Nepalese coming-of-age films</mark> or <mark>Nepalese documentary films</mark>",
    )
    assert pieces == [["Nepalese", "coming-of-age films"], ["Nepalese documentary", "films"]]


def test_each_atom_gets_a_separate_mention_of_a_repeated_word():
    pieces = said(
        "Flora of Chile that are also Flora of Peru",
        "<mark>Flora of Peru</mark> that are also <mark>Flora of Chile</mark>",
    )
    assert pieces == [["Flora of Peru"], ["Flora of Chile"]]


def test_a_negated_atom_has_exactly_what_is_excluded():
    query = "Films that aren't about war that are set in 1917"
    alignment = align(query, "<mark>Films set in 1917</mark> that are not <mark>War films</mark>")
    assert isinstance(alignment, Alignment)
    assert [atom.negated for atom in alignment.atoms] == [False, True]
    assert [[span.of(query) for span in atom.spans] for atom in alignment.atoms] == [["Films", "set in 1917"], ["war"]]
    assert alignment.confidence == 1.0


def test_the_negated_atom_takes_in_its_neighbouring_words():
    pieces = said(
        "Non romantic comedy films about weddings",
        "<mark>Films about weddings</mark> that are not <mark>Romantic comedy films</mark>",
    )
    assert pieces == [["films about weddings"], ["romantic comedy"]]


def test_a_span_does_not_run_across_a_clause():
    pieces = said(
        "French novels that are either fantasy or from 1919",
        "<mark>French fantasy novels</mark> or <mark>1919 French novels</mark>",
    )
    assert pieces == [["French novels", "fantasy"], ["French novels", "1919"]]


def test_another_head_replaces_a_missing_one():
    pieces = said("Moths of Asia and Chad", "<mark>Moths of Asia</mark> that are also <mark>Fauna of Chad</mark>")
    assert pieces == [["Moths of Asia"], ["Moths", "Chad"]]


def test_a_word_of_no_atom_joins_its_neighbour():
    pieces = said(
        "Insects from the Carboniferous period or birds",
        "<mark>Carboniferous insects</mark> or <mark>Birds</mark>",
    )
    assert pieces == [["Insects from the Carboniferous period"], ["birds"]]


def test_missing_words_lower_the_confidence():
    formula = "<mark>Endemic flora of Cuba</mark> or <mark>Birds</mark>"
    whole, part = align("Endemic flora of Cuba or birds", formula), align("Flora of Cuba or birds", formula)
    assert isinstance(whole, Alignment)
    assert isinstance(part, Alignment)
    assert whole.confidence == 1.0
    assert 0 < part.confidence < 1


@pytest.mark.parametrize(
    ("query", "original_query", "reason"),
    [
        (
            "Trees of Guerrero",
            "<mark>Trees of Guerrero</mark> or <mark>Trees of Oaxaca</mark>",
            "name 'Trees of Oaxaca'",
        ),
        ("Fish of Asia", "<mark>Fish of Asia</mark> that are not <mark>Sharks</mark>", "exclude 'Sharks'"),
        (
            "Books about Tokyo that are not French",
            "<mark>Books about Tokyo</mark> that are not <mark>Japanese books</mark>",
            "exclude 'Japanese books'",
        ),
        (
            "Indian sport films that are not about cricket",
            "<mark>Cricket films</mark> that are not <mark>Indian sports films</mark>",
            "exclude 'Indian sports films'",
        ),
        ("", "<mark>Fish</mark>", "name 'Fish'"),
    ],
)
def test_an_unaligned_query_states_the_reason(query: str, original_query: str, reason: str):
    result = align(query, original_query)
    assert isinstance(result, Unaligned)
    assert reason in result.reason


def test_a_formula_without_marks_is_refused():
    with pytest.raises(ValueError, match="<mark>"):
        align("fish", "fish")


def marked_spans(marked: str) -> list[Span]:
    """Read the spans of a query from its <mark> and </mark>."""
    spans, position = [], 0
    for number, piece in enumerate(re.split(r"</?mark>", marked)):
        if number % 2:
            spans.append(Span(position, position + len(piece)))
        position += len(piece)
    return spans


def word_places(query: str, spans: list[Span]) -> set[int]:
    return {place for place, word in enumerate(content_words(query)) if any(span.overlaps(word.span) for span in spans)}


def mistakes(row: dict[str, Any]) -> list[bool]:
    """Return for each wrong atom of a row whether it is negated; a row wrongly aligned or not is one mistake."""
    result = align(row["query"], row["original_query"])
    if isinstance(result, Unaligned) or row["atoms"] is None:
        return [] if isinstance(result, Unaligned) and row["atoms"] is None else [False]
    return [
        atom.negated
        for atom, marked in zip(result.atoms, row["atoms"], strict=True)
        if word_places(row["query"], list(atom.spans)) != word_places(row["query"], marked_spans(marked))
    ]


def test_the_error_on_hand_checked_rows_is_the_documented_one():
    rows = [json.loads(line) for line in CHECKED.read_text(encoding="utf-8").splitlines()]
    by_row = [mistakes(row) for row in rows]
    assert len(rows) == 50
    assert sum(bool(row) for row in by_row) <= 3
    assert sum(len(row) for row in by_row) <= 5
    assert not any(negated for row in by_row for negated in row)


def test_the_checked_rows_mark_spans_of_the_query():
    for row in map(json.loads, CHECKED.read_text(encoding="utf-8").splitlines()):
        assert all(re.sub(r"</?mark>", "", marked) == row["query"] for marked in row["atoms"] or [])

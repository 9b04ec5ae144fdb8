import torch

from boolattn.backbones.token_reading import TokenReading, exclusions_on_tokens, in_text, reading_on_characters
from boolattn.reading.caller import labelled_reading
from boolattn.reading.reading import Reading
from boolattn.reading.rules.rule_reader import read_by_rules
from boolattn.reading.spans import Span
from boolattn.reading.syntax import SyntaxReader


def test_the_space_before_a_word_is_not_part_of_it():
    text = "find: films NOT war"
    offsets = [(0, 0), (0, 5), (5, 11), (11, 15), (15, 19), (0, 0)]  # as byte-level tokenizers count
    assert in_text(text, offsets, start=6) == [(0, 0), (0, 0), (0, 5), (6, 9), (10, 13), (0, 0)]


def test_tokens_that_start_with_a_space_are_distinguished():
    query = "films AND comedy NOT war"
    raw = [(0, 0), (0, 5), (5, 9), (9, 16), (16, 20), (20, 24), (0, 0)]
    found = exclusions_on_tokens(SyntaxReader().read([query]), [in_text(query, raw)])
    assert found.scopes[0, :, 0].tolist() == [0, 0, 0, 0, 0, 1, 0]
    assert found.cues[0, :, 0].tolist() == [0, 0, 1, 0, 1, 0, 0]


def test_a_gate_without_tokens_in_scope_is_closed():
    readings = [Reading.plain("films", "caller", "caller"), read_by_rules("films without war")]
    assert exclusions_on_tokens(readings, [[(0, 5)], [(0, 5)]]).gates.tolist() == [[0.0], [0.0]]


TEXT = "films but not;war now"
OFFSETS = [(0, 0), (0, 5), (6, 9), (10, 13), (13, 16), (17, 20), (0, 0), (0, 0)]


def on_characters(gates, cues, scopes):
    marks = torch.zeros(2, 1, len(OFFSETS), 3)
    marks[0, 0, cues, :], marks[1, 0, scopes, :] = 1, 1
    found = TokenReading(torch.tensor([gates]), marks[0], marks[1])
    return reading_on_characters(found, OFFSETS, TEXT, 0.8, "mechanism", "mine 1")


def test_a_reading_goes_to_tokens_and_back():
    said = labelled_reading(TEXT, {"not"}, {"not": (Span(6, 9),)}, {"not": (Span(10, 16),)})
    on_tokens = exclusions_on_tokens([said], [OFFSETS])
    assert on_tokens.cues[0, :, 0].nonzero()[:, 0].tolist() == [2]
    assert on_tokens.scopes[0, :, 0].nonzero()[:, 0].tolist() == [3, 4]
    found = on_characters([0, 0, 1], [2], [3, 4])
    assert (found.operators, found.cues, found.scopes) == (said.operators, said.cues, said.scopes)
    assert [(each.span, each.kind, each.confidence) for each in found.exclusions] == [(Span(10, 16), "topic", 0.8)]
    assert (found.confidence, found.source, found.reader) == (0.8, "mechanism", "mine 1")


def test_cues_and_scopes_of_absent_operators_are_dropped():
    found = on_characters([0, 1, 0], [2], [3])
    assert found.operators == {"or"} and found.exclusions == ()
    assert found.cues["not"] == found.scopes["not"] == found.cues["and"] == () != found.cues["or"]


def test_a_not_with_an_empty_scope_is_dropped():
    found = on_characters([0, 0, 1], [2], [])
    assert (found.operators, found.cues["not"]) == (frozenset(), ())

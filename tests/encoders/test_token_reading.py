from boolattn.encoders.token_reading import exclusion_reading, in_text
from boolattn.queries.understanding import Excluded, excluded_by_rules


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

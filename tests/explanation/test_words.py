from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolattn.explanation.words import MINUS, in_words, joined, reasons, runs_of, same_in_all_layers, signed, words_of
from boolattn.reading.spans import Span
from tests.explanation.handmade import handmade
from tests.explanation.queries import TWO_NEGATIONS, VIETNAM

QUERY = "comedies or musicals without any subtitles"
CUES, SCOPES = {"or": ["or"], "not": ["without"]}, {"or": ["comedies", "musicals"], "not": ["subtitles", "without"]}


def test_pieces_become_words_with_their_roles():
    words = words_of(handmade(QUERY, CUES, SCOPES))
    assert [(word.text, word.role, word.operators) for word in words] == [
        ("comedies", "wanted", ("or",)),
        ("or", "cue", ("or",)),
        ("musicals", "wanted", ("or",)),
        ("without", "cue", ("not",)),
        ("any", "wanted", ()),
        ("subtitles", "excluded", ("not",)),
    ]


def test_a_word_combines_the_values_of_its_tokens():
    explanation = handmade(QUERY, CUES, SCOPES)
    subtitles = words_of(explanation)[-1]  # subt-itle-s: tokens 9 to 11
    np.testing.assert_allclose(subtitles.before, explanation.attention_before[:, 9:12].sum(1))
    np.testing.assert_allclose(subtitles.after, explanation.attention_after[:, 9:12].sum(1))
    np.testing.assert_array_equal(subtitles.biases, [[0, 0, -2]] * 2)
    assert subtitles.weight == pytest.approx(-0.9 / 13)


def test_a_closed_gate_gives_no_roles():
    explanation = handmade(QUERY, CUES, SCOPES, gates=np.zeros(3), readout=np.ones(13))
    assert {word.role for word in words_of(explanation)} == {"wanted"}


@pytest.mark.parametrize(("second_layer", "role"), [(0.6, "excluded"), (0.5, "wanted")])
def test_half_of_all_heads_and_layers_make_a_scope(second_layer, role):
    explanation = handmade("films not war", {"not": ["not"]}, readout=np.ones(6))  # film-s not war
    scopes = np.zeros((2, 6, 3))
    scopes[:, 4, 2] = 0.4, second_layer
    assert words_of(replace(explanation, scopes=scopes))[-1].role == role


def test_weight_alone_distinguishes_wanted_unused_and_excluded():
    words = words_of(handmade("a b c", readout=np.array([0, 1, 0, -1, 0])))
    assert [word.role for word in words] == ["wanted", "unused", "excluded"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("isn't U.S.A 1,000 3.5", ["isn't", "U.S.A", "1,000", "3.5"]),
        ('non-fiction "war", (sea)', ["non", "-", "fiction", '"', "war", '"', ",", "(", "sea", ")"]),
        ("كِتَاب नमस्ते 👨‍👩‍👧 c'est", ["كِتَاب", "नमस्ते", "👨‍👩‍👧", "c'est"]),
    ],
)
def test_what_counts_as_a_word(query, expected):
    assert [word.text for word in words_of(handmade(query))] == expected


def test_what_the_encoder_did_not_read():
    explanation = handmade("films about war")
    spans = tuple(Span(0, 0) if span.start > 5 else span for span in explanation.spans)  # cut off after "films"
    words = words_of(handmade("films about war", spans=spans))
    assert [word.role for word in words] == ["wanted", "unread", "unread"]


def test_a_token_of_two_words_counts_once():
    whole = handmade("war peace now", spans=(Span(0, 0), *[Span(0, 9)] * 3, Span(10, 13), Span(0, 0)))
    words = words_of(whole)
    assert [word.text for word in words] == ["war", "now"]
    np.testing.assert_allclose(words[0].before, whole.attention_before[:, 1:4].sum(1))
    assert "".join(run.text for run in runs_of(whole.query, words)) == whole.query


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), st.data())
def test_runs_are_the_query_and_words_share_all_its_attention(query, data):
    tokens = handmade(query).tokens[1:-1]
    excluded = data.draw(st.lists(st.sampled_from(query.split() or [""]), max_size=2))
    explanation = handmade(query, {"not": []}, {"not": excluded}) if tokens else handmade(query)
    words = words_of(explanation)
    assert "".join(run.text for run in runs_of(query, words)) == query
    inside = [bool(span.of(query)) for span in explanation.spans]
    total = explanation.attention_after[:, inside].sum()
    assert sum(word.after.sum() for word in words) == pytest.approx(total)


def test_each_exclusion_has_its_nearest_reason():
    query = "films not French without subtitles"
    words = words_of(handmade(query, {"not": ["not", "without"]}, {"not": ["French", "subtitles"]}))
    assert reasons(list(runs_of(query, words))) == [("French", "not"), ("subtitles", "without")]
    query = "pirates or treasure excluded"
    held = {"not": ["excluded"], "or": ["or"]}
    runs = list(runs_of(query, words_of(handmade(query, held, {"not": ["pirates", "treasure"]}))))
    assert reasons(runs) == [("pirates", "excluded"), ("treasure", "excluded")]  # after it, and never an "or"
    assert joined(runs) == {}


def test_a_word_that_only_joins_is_no_reason_if_there_is_a_better_one():
    query = "laptops excluding Chromebooks and anything from Acer"
    cues, scopes = {"not": ["excluding", "and", "from"]}, {"not": ["Chromebooks", "Acer"]}
    runs = list(runs_of(query, words_of(handmade(query, cues, scopes))))
    assert reasons(runs) == [("Chromebooks", "excluding"), ("Acer", "excluding")]
    query = "laptops from Acer"
    runs = list(runs_of(query, words_of(handmade(query, {"not": ["from"]}, {"not": ["Acer"]}))))
    assert reasons(runs) == [("Acer", "from")]


def test_in_words():
    def said(*args, **changes):
        explanation = handmade(*args, **changes)
        return in_words(explanation, list(runs_of(explanation.query, words_of(explanation))))

    assert said(QUERY, CUES, SCOPES) == [
        'Excludes "subtitles", because of "without".',
        'Combines "comedies", "musicals" with or.',
    ]
    assert said("films war", scopes={"not": ["war"]}) == ['Excludes "war".']
    assert said("films")[0].startswith("Nothing was changed")
    assert said("films", {"not": []})[0].startswith('Found "not", but no word')


def test_one_layer_represents_all_only_if_all_are_equal():
    explanation = handmade(QUERY, CUES, SCOPES)
    assert same_in_all_layers(explanation)
    for name in ("scopes", "biases"):
        other = getattr(explanation, name).copy()
        other[1, 2, 1] = 0.5
        assert not same_in_all_layers(replace(explanation, **{name: other}))


def test_numbers_keep_their_sign():
    assert [signed(value) for value in (0.3, -0.3, 0.001, -0.001, 0)] == ["+0.30", f"{MINUS}0.30", "0", "0", "0"]


def test_real_word_pieces(explain):
    words = words_of(explain("photosynthesising micro-organisms but not cyanobacteria"))
    assert [word.text for word in words] == [
        "photosynthesising",
        "micro",
        "-",
        "organisms",
        "but",
        "not",
        "cyanobacteria",
    ]
    assert [word.role for word in words] == ["wanted"] * 4 + ["cue"] * 2 + ["excluded"]


def test_what_real_queries_exclude(explain):
    def said(query):
        explanation = explain(query)
        return reasons(list(runs_of(query, words_of(explanation))))

    assert said(VIETNAM) == [("war", "but not")]
    assert [cue for _, cue in said(TWO_NEGATIONS)] == ["not", "without"]

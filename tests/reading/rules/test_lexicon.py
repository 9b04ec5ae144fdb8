import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolattn.reading.rules.lexicon import (
    ALTERNATIVES,
    CONJUNCTIONS,
    DENIALS,
    EXCLUSIONS,
    OMITTING_VERBS,
    find_cues,
    quoted_spans,
)
from boolattn.reading.spans import Span


def cues(text: str, *names: str) -> list[tuple[str, str]]:
    spans = [Span(*found.span()) for name in names for found in re.finditer(re.escape(name), text)]
    return [(cue.operator, cue.span.of(text)) for cue in find_cues(text, spans)]


@pytest.mark.parametrize("phrase", [*EXCLUSIONS, *OMITTING_VERBS, *sorted({*DENIALS} - {"non"})])
def test_every_negative_phrase_is_found_whole(phrase: str):
    assert cues(f"films {phrase.upper()} xyz") == [("not", phrase.upper())]


@pytest.mark.parametrize("phrase", CONJUNCTIONS)
def test_every_conjunction_is_found_whole(phrase: str):
    assert cues(f"xyz {phrase} zyx") == [("and", phrase)]


@pytest.mark.parametrize("phrase", ALTERNATIVES)
def test_every_alternative_is_found_whole(phrase: str):
    assert cues(f"xyz {phrase} zyx") == [("or", phrase)]


def test_the_longest_phrase_wins():
    assert cues("cats but not lions, except  for tigers") == [("not", "but not"), ("not", "except  for")]


@pytest.mark.parametrize("word", ["aren't", "aren\u2019t", "arent", "Don\u2019t", "haven't", "isnt"])
def test_contractions_with_either_apostrophe_or_none(word: str):
    assert cues(f"films that {word} long") == [("not", word)]


@pytest.mark.parametrize(
    "text",
    [
        "nothingness, Norway, orchids and-or-like sandals knot",
        "animals that no longer exist",
        "books of 300 pages or more",
        "whether or not it rains",
        "black and white photographs",
        "non-fiction of a non-profit",
        "sans serif fonts",
        "black-and-white",
    ],
)
def test_words_that_only_look_like_cues(text: str):
    assert cues(text) == []


def test_not_only_but_also_is_a_conjunction():
    assert cues("not only comedies but also dramas") == [("and", "not only"), ("and", "but also")]


def test_non_is_a_cue_unless_it_names_a_kind():
    assert cues("Non-American non fiction, non teen") == [("not", "Non"), ("not", "non")]


def test_in_addition_excludes_if_others_are_requested():
    assert cues("In addition to Rush, what other films did he make?") == [("not", "In addition to")]
    assert cues("vitamins in addition to iron") == [("and", "in addition to")]


def test_a_cue_inside_a_known_name_or_a_quotation_is_none():
    assert cues("fish of Saint Kitts and Nevis and Cuba", "Saint Kitts and Nevis") == [("and", "and")]
    assert cues("No Country for Old Men", "No Country for Old Men") == []
    assert cues('films like "War and Peace" or "Now or Never"') == [("or", "or")]


def test_quoted_strings_are_found_and_apostrophes_do_not_quote():
    text = 'besides "Rush" and “Thor, God of Thunder”'
    assert [span.of(text) for span in quoted_spans(text)] == ['"Rush"', "“Thor, God of Thunder”"]
    assert quoted_spans("the dogs' and the cats' food isn't here") == []


def test_a_name_that_opens_with_the_cue_needs_its_capital():
    assert cues("films without love", "without love") == [("not", "without")]
    assert cues("Without Love", "Without Love") == []


def test_a_name_equal_to_the_cue_hides_nothing():
    assert cues("cats And dogs", "And") == [("and", "And")]


def test_a_cue_in_a_capitalised_title_is_none_even_where_no_catalog_knows_it():
    assert cues("who starred in No Country for Old Men") == []
    assert cues("the French film A Grin Without A Cat") == []


@given(st.text(alphabet="abn orted'\u2019-NOT ,.\"", max_size=80))
def test_cues_are_ordered_apart_and_inside_the_text(text: str):
    spans = [cue.span for cue in find_cues(text)]
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(before.end <= after.start for before, after in pairwise(spans))


@pytest.mark.parametrize("text", ["films or \u017fo", "films w\u0131thout war", "NOT ALWAY\u017f"])
def test_letters_that_count_as_others_regardless_of_case_are_no_error(text):
    assert all(found for _, found in cues(text))

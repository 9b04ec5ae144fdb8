import numpy as np
import pytest
import Stemmer
from hypothesis import assume, example, given
from hypothesis import strategies as st

from boolattn.plans.mention_search import MOST_SEARCHES
from boolattn.plans.word_forms import COMMON_WORDS
from boolattn.plans.word_matching import distinctive_words, find_mentions, words_of
from boolattn.reading.plan import QueryAtom
from boolattn.reading.rules.rule_reader import read_by_rules
from boolattn.reading.syntax import parse


def shares_found(wanted, texts):
    """Return the shares (A, N) of the words of wanted atoms."""
    return find_mentions([QueryAtom(" ".join(words), None) for words in wanted], texts).shares


def test_words_are_distinct_without_stop_words():
    assert words_of(["The War of the Worlds", "war films"]) == ["war", "worlds", "films"]


def test_wanted_words_do_not_distinguish_what_is_unwanted():
    plan = read_by_rules("war films that are not spy film").plan()
    assert distinctive_words(plan.atoms) == [["war", "films"], ["spy"]]


def test_words_count_by_their_stems():
    [row] = shares_found([["comedies"]], ["A comedy.", "Comedies about war", "A tragedy"])
    assert list(row) == [1, 1, 0]


def test_rare_words_weigh_more():
    texts = ["war film", "film", "film", "tank"]
    [row] = shares_found([["war", "film"]], texts)
    rare, common = np.log(1 + 3.5 / 1.5), np.log(1 + 1.5 / 3.5)
    assert row == pytest.approx([1, common / (rare + common), common / (rare + common), 0])


def test_words_within_words_are_not_found():
    [row] = shares_found([["war"]], ["a warm and rewarding postwar film", "WAR!"])
    assert list(row) == [0, 1]


def test_an_atom_without_words_is_found_nowhere():
    assert shares_found([[], ["war"]], ["war"]).tolist() == [[0], [1]]
    assert shares_found([["war"]], []).shape == (1, 0)


ENDINGS = ("", "s", "es", "ies", "ied", "ing", "ying", "ed", "y", "ly", "ally", "bly", "ility", "ational", "ization")


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=9), st.sampled_from(ENDINGS))
@example("d", "ying")
@example("sk", "ies")
def test_every_word_is_found_by_its_stem(beginning, ending):
    word = beginning + ending
    stem = Stemmer.Stemmer("english").stemWord(word)
    assume(len(word) > 1 and stem and not {word, stem} & COMMON_WORDS)
    assert shares_found([[word]], [f"the {word}.", "0"]).tolist() == [[1, 0]]
    [[found]] = shares_found([[stem]], [word])
    assert found == (Stemmer.Stemmer("english").stemWord(stem) == stem), "another word with the same stem"


def test_each_text_keeps_its_own_words():
    texts = ["", "war", "a film", "", "War film", "İ war"]
    assert shares_found([["war"], ["films"]], texts).tolist() == [[0, 1, 0, 0, 1, 1], [0, 0, 1, 0, 1, 0]]


def test_words_are_found_in_the_same_texts_however_many_are_wanted():
    words = [f"{first}{second}{number}" for number, first in enumerate("abdgmst") for second in "aeiouybcdfghlnr"]
    assert len(words) > MOST_SEARCHES
    texts = [f"{word.upper()}, x{other}" for word, other in zip(words, reversed(words), strict=True)] + ["nothing"]
    together = shares_found([[word] for word in words], texts)
    np.testing.assert_array_equal(together, np.concatenate([shares_found([[word]], texts) for word in words]))
    np.testing.assert_array_equal(together[:, :-1], np.eye(len(words)))


def test_words_of_any_script_are_found():
    assert shares_found([["ärzte"], ["2010s"]], ["Die Ärzte, 2010s", "Æther"]).tolist() == [[1, 0], [1, 0]]


def test_words_of_a_request_count_only_where_there_are_no_others():
    [request, cooking] = distinctive_words(parse('"what soup can I make" AND cooking').atoms)
    assert (request, cooking) == (["soup"], ["cooking"])
    assert words_of(["what soup can I make"]) == ["soup", "make"], "a text search has them all"

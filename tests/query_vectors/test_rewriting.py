import subprocess
import sys

import numpy as np
import pytest

from boolattn import signed_vectors
from boolattn.query_vectors.rewriting import rewritten
from boolattn.reading.caller import caller_reading
from tests.query_vectors.rewrite import rewrite
from tests.reading.fixed_reader import THRESHOLDS, FixedReader

QUERY = "movies set in Vietnam but not about war"
VECTORS = {"movies set in Vietnam": [3.0, 4.0], "war": [0.0, 2.0], "war films": [0.0, 5.0], QUERY: [1.0, 1.0]}


def encode(texts):
    return [VECTORS[text] for text in texts]


@pytest.mark.parametrize(
    ("query", "wanted", "unwanted"),
    [
        (QUERY, "movies set in Vietnam", "war"),
        ("films AND comedy NOT war", "films comedy", "war"),
        ("birds of Peru or Ecuador", "birds of Peru or Ecuador", ""),
        ("anything but horror", "anything but horror", "horror"),  # nothing is left to ask for
        ("", "", ""),
    ],
)
def test_a_query_in_two(query, wanted, unwanted):
    assert rewrite(query, reader="rules") == (wanted, unwanted)


def test_the_caller_chooses_what_is_acted_on():
    assert rewrite('comedy -war -"slow burn"', syntax=True) == ("comedy", "war slow burn")
    assert rewrite("films that are not comedies", reader="rules") == ("films that are not comedies", "")
    assert rewrite("films that are not comedies", reader="rules", documents="things") == ("films", "comedies")
    assert rewrite(QUERY, reader="rules", act=False) == (QUERY, "")
    assert rewrite(QUERY, reader="rules", exclude=[]) == (QUERY, "")
    assert rewrite("movies about war", exclude=["war"]) == ("movies about", "war")
    sure = FixedReader("love", confidence=THRESHOLDS["pages"]["balanced"])
    assert rewrite("love stories", reader=sure) == ("love stories", "")
    assert rewrite("love stories", reader=sure, strictness="balanced") == ("stories", "love")


def test_a_reading_whose_plan_excludes_nothing_is_not_rewritten():
    query = "films without \N{PARTY POPPER} please"
    assert rewritten(caller_reading(query, ["\N{PARTY POPPER}"])) == (query, "")


def test_the_vector_is_moved_away_from_what_is_unwanted():
    found = signed_vectors([QUERY, "war films"], encode, reader="rules", penalty=0.5)
    expected = np.array([0.6, 0.8 - 0.5])
    assert np.allclose(found[0], expected / np.linalg.norm(expected))
    assert found[1].tolist() == [0.0, 5.0], "as the function gave it"


def test_one_call_for_all():
    asked = []

    def counting(texts):
        asked.append(texts)
        return encode(texts)

    signed_vectors(["war films", QUERY], counting, reader="rules")
    assert asked == [["war films", "movies set in Vietnam", "war"]]


def test_callers_say_what_each_query_excludes():
    found = signed_vectors([QUERY, QUERY], encode, exclude=[["war"], []], penalty=0.5)
    assert np.allclose(found[0], signed_vectors([QUERY], encode, reader="rules", penalty=0.5)[0])
    assert found[1].tolist() == [1.0, 1.0]


def test_without_acting_every_vector_is_the_functions_own():
    assert signed_vectors([QUERY, "war films"], encode, act=False).tolist() == [[1.0, 1.0], [0.0, 5.0]]


def test_it_needs_no_torch():
    code = "import sys; from boolattn import signed_vectors; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_things_are_excluded_more_strongly_than_pages():
    def moved(documents):
        found = signed_vectors([QUERY], encode, reader="rules", documents=documents)[0]
        return found @ np.asarray(encode(["war"])[0])

    assert moved("things") < moved("pages")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_vectors_that_are_not_finite_are_refused(value):
    with pytest.raises(ValueError, match="NaN or infinity: check"):
        signed_vectors(["films"], lambda texts: np.full((len(texts), 2), value), reader="rules")


PARTS = {"pasta": [3.0, 4.0, 0.0], "cheese": [0.0, 2.0, 0.0], "eggs": [0.0, 0.0, 5.0], "cheese eggs": [0.0, 3.0, 3.0]}


def moved(exclude, penalty=0.5):
    return signed_vectors(["pasta"], lambda texts: [PARTS[text] for text in texts], exclude=exclude, penalty=penalty)[0]


def unit(vector):
    return np.asarray(vector) / np.linalg.norm(vector)


def test_words_that_are_not_in_the_query_are_subtracted_like_others():
    assert rewrite("pasta", exclude=["cheese"]) == ("pasta", "cheese")
    assert rewrite("pasta without eggs", exclude=["cheese", "eggs"]) == ("pasta", "eggs cheese")
    assert rewrite("", exclude=["cheese"]) == ("", "cheese")
    assert np.allclose(moved(["cheese"]), unit([0.6, 0.8 - 0.5, 0]))
    assert np.allclose(moved(["cheese", "eggs"]), unit(unit([3, 4, 0]) - 0.5 * unit([0, 3, 3])))


def test_a_weight_multiplies_what_is_subtracted():
    assert np.allclose(moved({"cheese": 2}), unit([0.6, 0.8 - 1.0, 0]))
    assert np.array_equal(moved({"cheese": 1}), moved(["cheese"]))
    assert np.allclose(moved({"cheese": 2, "eggs": 2}), unit(unit([3, 4, 0]) - 2 * 0.5 * unit([0, 3, 3])))


def test_exclusions_of_different_weights_are_encoded_one_by_one():
    length = np.linalg.norm([0, 2, 5])
    expected = unit([3, 4, 0]) - 0.5 * np.array([0, 3 * 2, 5]) / length
    assert np.allclose(moved({"cheese": 3, "eggs": 1}), unit(expected))
    queries, asked = ["pasta", QUERY, "war films"], []

    def counting(texts):
        asked.append(list(texts))
        return np.eye(6)[: len(texts)]

    signed_vectors(queries, counting, exclude=[{"cheese": 3, "eggs": 1}, ["war"], None], reader="rules")
    assert asked == [["pasta", "movies set in Vietnam", "war films", "cheese", "eggs", "war"]]


def test_a_document_about_a_word_that_is_not_in_the_query_scores_less(bare):
    documents = ["Spaghetti in a sauce of four cheeses", "Spaghetti in a sauce of fresh tomatoes"]
    cheese, tomatoes = bare.encode(documents, normalize_embeddings=True)

    def gap(exclude):
        [query] = signed_vectors(["pasta recipes"], bare.encode, exclude=exclude)
        return query @ cheese - query @ tomatoes

    assert gap([]) > gap(["cheese"]) > gap({"cheese": 2})

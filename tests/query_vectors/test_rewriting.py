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

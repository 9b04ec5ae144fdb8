import subprocess
import sys

import numpy as np
import pytest

from boolattn import rewrite, signed_vectors

QUERY = "movies set in Vietnam but not about war"
VECTORS = {"movies set in Vietnam": [3.0, 4.0], "war": [0.0, 2.0], "war films": [0.0, 5.0], QUERY: [1.0, 1.0]}


def encode(texts):
    return [VECTORS[text] for text in texts]


@pytest.mark.parametrize(
    ("query", "wanted", "unwanted"),
    [
        (QUERY, "movies set in Vietnam", "war"),
        ("films AND comedy NOT war", "films comedy", "war"),
        ('comedy -war -"slow burn"', "comedy", "war slow burn"),
        ("birds of Peru or Ecuador", "birds of Peru or Ecuador", ""),
        ("anything but horror", "anything but horror", "horror"),  # nothing is left to ask for
        ("", "", ""),
    ],
)
def test_a_query_in_two(query, wanted, unwanted):
    assert rewrite(query) == (wanted, unwanted)


def test_the_vector_is_moved_away_from_what_is_unwanted():
    found = signed_vectors([QUERY, "war films"], encode, penalty=0.5)
    expected = np.array([0.6, 0.8 - 0.5])
    assert np.allclose(found[0], expected / np.linalg.norm(expected))
    assert found[1].tolist() == [0.0, 5.0], "as the function gave it"


def test_one_call_for_all():
    asked = []

    def counting(texts):
        asked.append(texts)
        return encode(texts)

    signed_vectors(["war films", QUERY], counting)
    assert asked == [["war films", "movies set in Vietnam", "war"]]


def test_somebody_else_may_read():
    from boolattn.reading.understanding import plan_by_rules

    found = signed_vectors([QUERY], encode, plan=lambda query: plan_by_rules("war films"))
    assert found.tolist() == [[1.0, 1.0]]


def test_it_needs_no_torch():
    code = "import sys; from boolattn import signed_vectors; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)

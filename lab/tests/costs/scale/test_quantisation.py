import numpy as np
import pytest

from boolattn_lab.costs.scale.quantisation import measure_quantisation
from boolattn_lab.costs.scale.vectors import unit


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    vectors, queries = (unit(rng.normal(size=(count, 64)).astype("f4")) for count in (5000, 30))
    found = measure_quantisation(vectors, {"plain": queries, "signed": queries})
    return {(row["form"], row["rescored"]): row for row in found["rows"]}


def test_bytes_per_vector(rows):
    assert {form: row["bytes"] for (form, _), row in rows.items()} == {
        "float32": 256,
        "float16": 128,
        "int8": 64,
        "one bit, query float32": 8,
        "one bit, query one bit": 8,
    }


def test_recall_falls_with_the_bytes_and_returns_with_rescoring(rows):
    recall = {key: row["recall"]["plain"] for key, row in rows.items()}
    assert recall["float32", 1] == 1
    assert 1 >= recall["float16", 1] > recall["int8", 1] > 0.95
    for form in ("one bit, query float32", "one bit, query one bit"):
        assert recall[form, 1] < recall[form, 4] < recall[form, 10] <= 1
        assert recall[form, 1] < 0.8
    assert recall["one bit, query float32", 1] > recall["one bit, query one bit", 1]


def test_both_kinds_are_measured_alike(rows):
    assert all(row["recall"]["plain"] == row["recall"]["signed"] for row in rows.values())

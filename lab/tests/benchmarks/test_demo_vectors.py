"""The vectors that `boolattn demo` ships."""

import numpy as np
import pytest

from boolattn.demo.output import QUERIES, read_queries
from boolattn.demo.sample_films import load_films
from boolattn_lab.benchmarks.demo_vectors import texts_of, write_vectors


@pytest.fixture(scope="module")
def films():
    return load_films()


def test_every_text_that_the_queries_need_has_a_vector(films):
    assert set(texts_of(read_queries())) <= set(films.vector_of)


def test_vectors_are_written_as_they_are_read(films, tmp_path, monkeypatch):
    path = tmp_path / "vectors.npz"
    count = write_vectors(path, lambda texts: np.array([[len(text), 1.0] for text in texts]), read_queries())
    monkeypatch.setattr("boolattn.demo.sample_films.VECTORS_FILE", path)
    written = load_films()
    assert count == len(written.films) + len(written.vector_of)
    assert written.embed([QUERIES[0]]).tolist() == [[len(QUERIES[0]), 1.0]]
    assert written.vectors[3].tolist() == [len(films.films[3].to_encode()), 1.0]

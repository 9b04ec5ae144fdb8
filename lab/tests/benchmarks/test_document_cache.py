"""Vectors are encoded once, cached under a hash of their inputs, and never partially written."""

import numpy as np
import pytest

from boolattn_lab.benchmarks import document_cache
from boolattn_lab.benchmarks.document_cache import cached_blocks


class Encoder:
    def __init__(self):
        self.texts = []

    def __call__(self, texts):
        self.texts += texts
        return np.array([[len(text), ord(text[0])] for text in texts], dtype=np.float32)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(document_cache, "BLOCK", 2)


DOCUMENTS = [("a", "one"), ("b", "two"), ("c", "three")]


def read(folder, encode, documents=DOCUMENTS, encoder="e"):
    return [(ids, vectors.tolist()) for ids, vectors in cached_blocks(documents, encode, encoder, folder)]


def test_a_second_run_encodes_nothing(tmp_path):
    first, second = Encoder(), Encoder()
    blocks = read(tmp_path, first)
    assert blocks == [(["a", "b"], [[3, 111], [3, 116]]), (["c"], [[5, 116]])]
    assert read(tmp_path, second) == blocks
    assert (first.texts, second.texts) == (["one", "two", "three"], [])


def test_another_text_or_encoder_is_encoded_again(tmp_path):
    read(tmp_path, Encoder())
    changed, other = Encoder(), Encoder()
    read(tmp_path, changed, [("a", "one"), ("b", "two"), ("c", "four")])
    assert changed.texts == ["four"], "only the block that changed"
    read(tmp_path, other, encoder="another")
    assert other.texts == ["one", "two", "three"]
    shifted = Encoder()
    read(tmp_path, shifted, [("a", "onet"), ("b", "wo")])
    assert shifted.texts == ["onet", "wo"], "where one text ends matters"


def test_a_killed_run_leaves_no_partial_file(tmp_path):
    class Dies(Encoder):
        def __call__(self, texts):
            if "three" in texts:
                raise KeyboardInterrupt
            return super().__call__(texts)

    with pytest.raises(KeyboardInterrupt):
        read(tmp_path, Dies())
    rest = Encoder()
    assert len(read(tmp_path, rest)) == 2
    assert rest.texts == ["three"]
    assert not list(tmp_path.glob("*.part"))

"""One protocol for vectors of queries that have been read, whichever model makes them."""

import subprocess
import sys

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from boolattn import DualEncoder, ReadingOptions, signed_vectors
from boolattn.encoders.model_parts import (
    as_boolean,
    document_encoder,
    finds_operators,
    operators_of,
    query_encoder,
    reading_options_of,
    transformer_of,
)
from boolattn.encoders.query_encoder import PlainEncoder
from boolattn.encoders.vectors.rewriting import RewriteEncoder
from boolattn.reading.caller import caller_reading
from tests.training import small

QUERY = "movies set in Vietnam but not about war"
READINGS = [caller_reading(QUERY, ["war"]), caller_reading("war films", [])]
TEXTS = [reading.query for reading in READINGS]


@pytest.fixture(scope="module")
def start(tmp_path_factory, minilm_folder):
    return small.backbone(tmp_path_factory.mktemp("bert"), minilm_folder)


@pytest.fixture(scope="module")
def plain(start):
    return SentenceTransformer(start)


@pytest.fixture(scope="module")
def boolean(start):
    return DualEncoder.training_free(start)


def test_a_boolean_model_acts_on_readings_in_its_attention(boolean):
    found = query_encoder(boolean, normalize_embeddings=True).encode(READINGS)
    assert np.array_equal(found, boolean.encode_readings(READINGS, normalize_embeddings=True))
    assert np.array_equal(found, boolean.encode_query(TEXTS, exclude=[["war"], []], normalize_embeddings=True))


def test_a_plain_model_is_given_readings_rewritten(plain):
    found = query_encoder(plain).encode(READINGS)
    assert np.array_equal(found, signed_vectors(TEXTS, plain.encode_query, exclude=[["war"], []]))


def test_every_encoder_moves_excluding_queries_and_no_others(plain, boolean):
    usual = PlainEncoder(plain.encode_query).encode(READINGS)
    assert np.array_equal(usual, plain.encode_query(TEXTS))
    for encoder in (query_encoder(boolean), query_encoder(plain), RewriteEncoder(plain.encode_query, penalty=0.1)):
        found = encoder.encode(READINGS)
        assert found.shape == usual.shape
        assert not np.allclose(found[0], usual[0], atol=1e-3)
        assert np.allclose(found[1], usual[1], atol=1e-5)


def test_any_model_has_a_plain_one_for_documents(plain, boolean):
    assert document_encoder(plain) is plain
    assert as_boolean(document_encoder(boolean)) is None
    assert np.array_equal(document_encoder(boolean).encode(["war films"]), plain.encode(["war films"]))
    assert transformer_of(plain) is plain[0] and transformer_of(boolean) is boolean.tower.transformer


def test_any_model_says_how_it_reads(plain, boolean, start):
    assert reading_options_of(plain) == ReadingOptions()
    assert reading_options_of(boolean) is boolean.options
    assert (operators_of(plain), operators_of(boolean)) == ((), ("not",))
    found = [finds_operators(model) for model in (plain, boolean, DualEncoder.untrained(start))]
    assert found == [False, True, False]


def test_encoders_of_functions_need_no_torch():
    code = (
        "import sys; sys.modules['torch'] = sys.modules['sentence_transformers'] = None\n"
        "from boolattn.encoders.query_encoder import PlainEncoder\n"
        "from boolattn.encoders.vectors.rewriting import RewriteEncoder\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

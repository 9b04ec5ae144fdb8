"""One protocol for encoding readings, with any model."""

import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from boolattn import DualEncoder, ReadingOptions, signed_vectors
from boolattn.backbones.dual_encoder import as_boolean
from boolattn.backbones.retrieval_model import ModelWithEncoder, document_encoder, retrieval_model
from boolattn.query_vectors.query_encoder import PlainEncoder
from boolattn.query_vectors.rewriting import RewriteEncoder
from boolattn.reading.caller import caller_reading

QUERY = "movies set in Vietnam but not about war"
READINGS = [caller_reading(QUERY, ["war"]), caller_reading("war films", [])]
TEXTS = [reading.query for reading in READINGS]


@pytest.fixture(scope="module")
def plain(start):
    return SentenceTransformer(start)


@pytest.fixture(scope="module")
def boolean(start):
    return DualEncoder.training_free(start)


def test_a_boolean_model_acts_on_readings_in_its_attention(boolean):
    found = boolean.query_encoder(normalize_embeddings=True).encode(READINGS)
    assert np.array_equal(found, boolean.encode_readings(READINGS, normalize_embeddings=True))
    assert np.array_equal(found, boolean.encode_query(TEXTS, exclude=[["war"], []], normalize_embeddings=True))


def test_a_plain_model_gets_rewritten_readings(plain):
    found = retrieval_model(plain).query_encoder().encode(READINGS)
    assert np.array_equal(found, signed_vectors(TEXTS, plain.encode_query, exclude=[["war"], []]))


def test_every_encoder_moves_excluding_queries_and_no_others(plain, boolean):
    usual = PlainEncoder(plain.encode_query).encode(READINGS)
    assert np.array_equal(usual, plain.encode_query(TEXTS))
    models = (boolean, retrieval_model(plain), ModelWithEncoder(plain, partial(RewriteEncoder, penalty=0.1)))
    for encoder in (model.query_encoder() for model in models):
        found = encoder.encode(READINGS)
        assert found.shape == usual.shape
        assert not np.allclose(found[0], usual[0], atol=1e-3)
        assert np.allclose(found[1], usual[1], atol=1e-5)


def test_any_model_has_a_plain_document_encoder(plain, boolean):
    assert document_encoder(plain) is plain
    assert as_boolean(document_encoder(boolean)) is None
    assert np.array_equal(document_encoder(boolean).encode(["war films"]), plain.encode(["war films"]))


def test_any_model_has_reading_options(plain, boolean):
    assert retrieval_model(plain).options == ReadingOptions()
    assert retrieval_model(boolean) is boolean


def test_a_model_with_an_encoder_reads_by_its_options(plain):
    model = ModelWithEncoder(plain, RewriteEncoder, ReadingOptions(reader="rules"))
    assert np.array_equal(model.encode_query(TEXTS), signed_vectors(TEXTS, plain.encode_query, reader="rules"))
    assert np.allclose(model.encode_query(QUERY), model.encode_query([QUERY])[0], atol=1e-6)
    model.options = ReadingOptions(reader="rules", act=False)
    assert np.array_equal(model.encode_query(TEXTS), plain.encode_query(TEXTS))


def test_encoders_of_functions_need_no_torch():
    code = (
        "import sys; sys.modules['torch'] = sys.modules['sentence_transformers'] = None\n"
        "from boolattn.query_vectors.query_encoder import PlainEncoder\n"
        "from boolattn.query_vectors.rewriting import RewriteEncoder\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

"""One way to make vectors of documents, and one digest of all they depend on."""

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from boolattn.encoders.document_encoder import arithmetic_of, document_vectors, similarity_of
from boolattn.encoders.dual_encoder import DualEncoder
from boolattn.encoders.storage.fingerprint import document_fingerprint
from tests.training.small import backbone

TEXTS = ["kites over Peru", "drums", "a longer text about wolves and lamps in Nepal"]


@pytest.fixture
def model(tmp_path, minilm_folder) -> SentenceTransformer:
    return SentenceTransformer(backbone(tmp_path, minilm_folder))


def test_vectors_are_the_model_s_own(model):
    found = document_vectors(model, TEXTS)
    assert found.dtype == np.float32
    error = 2e-2 if arithmetic_of(model) == "bf16" else 1e-6
    assert np.allclose(found, model.encode(TEXTS, normalize_embeddings=True), atol=error)
    model.similarity_fn_name = "dot"
    assert np.linalg.norm(document_vectors(model, TEXTS), axis=1).min() > 1.5


def test_the_fingerprint_tells_what_a_vector_depends_on(model):
    before = document_fingerprint(model)
    model.prompts["document"] = "passage: "
    prompted = document_fingerprint(model)
    model.similarity_fn_name = "dot"
    dot = document_fingerprint(model)
    with torch.no_grad():
        next(model.parameters())[0, 0] += 1e-3
    assert len({before, prompted, dot, document_fingerprint(model)}) == 4


def test_the_fingerprint_stays_what_it_was(minilm_folder):
    """Vectors are kept on disk under it."""
    plain = SentenceTransformer(str(minilm_folder))
    assert document_fingerprint(plain) == "2c17e47a6cb68773f350d8f8e90f1b4b"
    assert document_fingerprint(DualEncoder.training_free(plain)) == "2c17e47a6cb68773f350d8f8e90f1b4b"


def test_similarity(model):
    assert similarity_of(model, "small") == "cosine"
    model.similarity_fn_name = "manhattan"
    with pytest.raises(ValueError, match="small compares by manhattan"):
        similarity_of(model, "small")

"""The encoding of documents."""

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from boolattn.backbones.document_encoder import arithmetic_of, document_vectors, similarity_of
from tests.backbones.small import backbone

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


def test_similarity(model):
    assert similarity_of(model, "small") == "cosine"
    model.similarity_fn_name = "manhattan"
    with pytest.raises(ValueError, match="small compares vectors by manhattan"):
        similarity_of(model, "small")

"""A model without attention and without padding: one vector per word, of which a text's is the mean."""

import httpx
import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from boolattn.backbones.retrieval_model import retrieval_model
from boolattn.backbones.storage.model_names import load_encoder
from tests.retrieval.search.vietnam import QUERY
from tests.service.running import running

TEXTS = [QUERY, "war films", "movies", "", "movies about a river but not war", "a river in Vietnam, not about war"]
ACTED = [["war"], [], [], [], ["war"], ["war"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    words = sorted({word for text in TEXTS for word in text.replace(",", " ,").split()})
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(["?", *words])}, unk_token="?"))
    tokenizer.pre_tokenizer = Whitespace()
    weights = np.random.default_rng(0).normal(size=(len(words) + 1, 32)).astype(np.float32)
    folder = tmp_path_factory.mktemp("static")
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_weights=weights)]).save(str(folder / "model"))
    return folder


@pytest.fixture(scope="module")
def server(folder):
    with running(folder, "--model", str(folder / "model")) as found:
        yield found


def embedded(server, texts, name="m-query"):
    answer = server.post("/v1/embeddings", {"input": texts, "model": name, "reading": True})
    assert answer.status_code == 200, answer.text
    return answer.json()


def vectors(answer):
    return np.array([row["embedding"] for row in answer["data"]], np.float32)


def test_texts_that_are_sent_together_get_the_vectors_of_single_texts(server, folder):
    together = embedded(server, TEXTS)
    assert [row["reading"]["acted_on"] for row in together["data"]] == ACTED
    alone = np.concatenate([vectors(embedded(server, text)) for text in TEXTS])
    assert np.array_equal(vectors(together), alone)
    model = retrieval_model(load_encoder(folder / "model"))
    assert np.array_equal(alone, np.stack([model.encode_query(text) for text in TEXTS]))
    plain = model.document_encoder().encode_document(TEXTS)
    assert [np.array_equal(*pair) for pair in zip(alone, plain, strict=True)] == [not words for words in ACTED]
    assert np.array_equal(vectors(embedded(server, TEXTS, "m")), plain)


def test_tokens_are_counted_and_there_is_no_longest_text(server):
    assert embedded(server, "movies set in Vietnam")["usage"]["prompt_tokens"] == 4
    long = {"inputs": "war " * 1000, "truncate": False}
    assert server.post("/embed", long).status_code == 200
    info = httpx.get(f"{server.url}/info").json()
    assert (info["max_input_length"], info["dimension"]) == (None, 32)
    assert info["model_type"] == {"embedding": {"pooling": "mean"}}

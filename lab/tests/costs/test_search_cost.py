import dataclasses
import json

import numpy as np
import pytest

from boolattn.backbones.retrieval_model import retrieval_model
from boolattn.backbones.storage.model_names import load_encoder
from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import Hit, WrongIndexError
from boolattn_lab.costs import search_cost
from boolattn_lab.costs.search_cost import FILTERS, measure_search
from tests.backbones.small import backbone

QUERIES = ["kites of Peru", "kites but not of Peru", "boats or trains"]
WORDS = ["kites", "boats", "trains", "drums", "wolves", "lamps", "roses", "clocks", "Peru", "Chad", "Nepal", "Cuba"]


@pytest.fixture(scope="module", params=["", "training-free:"])
def model(request, tmp_path_factory, minilm_folder):
    folder = backbone(tmp_path_factory.mktemp("model"), minilm_folder)
    return retrieval_model(load_encoder(f"{request.param}{folder}"))


def documents():
    rng = np.random.default_rng(0)
    return ((str(number), " ".join(rng.choice(WORDS, 12))) for number in range(500))


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))


def test_all_figures_are_measured_and_the_index_is_dropped(model, tmp_path):
    uri = f"lance://{tmp_path}/index/measured"
    cost = measure_search(model, "small", uri, documents, QUERIES, seconds=0.1)
    found = json.loads(json.dumps(dataclasses.asdict(cost)))
    assert found["documents"] == 500
    assert found["encode_ratio"] > 0 and found["search_ratio"] > 0
    assert found["filtered_recall"] == {"0.1": 1.0, "0.01": 1.0}  # so few documents are all compared
    assert set(found["stages_ms"]) == {"dense", "+ text", "+ verification"}
    with pytest.raises(WrongIndexError):
        open_index(uri).describe()


def test_an_index_that_is_in_use_is_not_measured(model, tmp_path):
    uri = f"lance://{tmp_path}/index/measured"
    index = open_index(uri)
    dense = search_cost.DenseRetriever("small", model)
    search_cost._fill(index, dense, documents())
    with pytest.raises(ValueError, match="exists already"):
        measure_search(model, "small", uri, documents, QUERIES, seconds=0.1)
    assert index.count() == 500


def test_documents_missed_by_a_filtered_search_lower_the_recall():
    vectors = np.random.default_rng(0).normal(size=(2000, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)

    class Forgetful:
        def search(self, vector, k, where):
            fulfil = [n for n in range(2000) if (n % 100 < 10 if where[0].comparison == "<" else n % 100 == 0)]
            best = sorted(fulfil, key=lambda number: -vectors[number] @ vector)[:k]
            return [Hit(str(number), float(vectors[number] @ vector)) for number in best[::2]]

    for share, where in FILTERS.items():
        assert search_cost._recall(Forgetful(), vectors, where) == pytest.approx(0.5), share

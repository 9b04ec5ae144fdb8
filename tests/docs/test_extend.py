"""docs/extend.md: the path of a query names real functions, and the code of every recipe works."""

import re

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from transformers import CamembertConfig, CamembertModel

from boolattn import ReadingOptions, attach, detach, explain, signed_vectors
from boolattn.backbones.attach import backbones
from boolattn.backbones.retrieval_model import ModelWithEncoder
from boolattn.backbones.storage.fingerprint import document_fingerprint
from boolattn.reading.readers import reader_of
from boolattn.retrieval.index.protocol import IndexDescription, Rows
from boolattn.retrieval.search.searcher import Searcher, SearchSettings
from tests.backbones.tiny import SIZES, TOKENS, batch
from tests.docs.blocks import ROOT

PAGE = (ROOT / "docs/extend.md").read_text(encoding="utf-8")


def section(heading):
    """Return what is written under a heading."""
    return re.split(r"^## ", PAGE.split(f"## {heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]


def follow(heading):
    """Run the code of a recipe and return what it defines."""
    names = {}
    exec(re.search(r"```python\n(.*?)```", section(heading), re.DOTALL)[1], names)
    return names


def test_the_path_of_a_query_names_real_functions():
    steps = re.findall(r"`([\w/]+\.py):(?:(\w+)\.)?(\w+)`", section("The path of one query"))
    assert len(steps) > 10
    for path, owner, function in steps:
        source = (ROOT / "src/boolattn" / path).read_text(encoding="utf-8")
        assert re.search(rf"def {function}\(", source), f"{path}:{function}"
        assert not owner or re.search(rf"class {owner}\b", source), f"{path}:{owner}"


def test_the_default_reader_makes_the_plan_that_is_shown():
    path = section("The path of one query")
    query, plan = re.search(r'`boolattn search "(.+?)" --index \S+`', path)[1], re.search(r"the plan, `(.+?)`", path)[1]
    options = ReadingOptions()
    assert str(options.applied(options.read([query])[0]).plan()) == plan


def embed(texts):
    """A toy embedding model: count two words."""
    return np.array([[text.count("films"), text.count("war"), 1] for text in texts], np.float32)


def test_add_a_reader():
    reader = follow("Add a reader")["SansReader"]()
    excluding, plain = signed_vectors(["films sans war", "films without war"], embed, reader=reader)
    films, war = (vector / np.linalg.norm(vector) for vector in embed(["films", "war"]))
    expected = films - 0.3 * war
    assert excluding == pytest.approx(expected / np.linalg.norm(expected))
    assert (plain == embed(["films without war"])[0]).all()


TEXTS = ["A platoon of soldiers fights in the jungle of Vietnam", "A cooking show travels through Vietnam"]
QUERY = "movies set in Vietnam but not about war"


def rows_and_description(model):
    """Return two documents as index rows."""
    vectors = model.encode(TEXTS, normalize_embeddings=True)
    description = IndexDescription(document_fingerprint(model), "MiniLM", vectors.shape[1], "cosine")
    return description, Rows(["war", "food"], ["", ""], TEXTS, vectors, [{}, {}])


def test_add_a_query_encoder():
    encoder = follow("Add a query encoder")["WantedOnly"](list)  # its "vectors" are the texts themselves
    readings = reader_of("rules").read(["films without war", "war films", "cats and dogs"])
    assert encoder.encode(readings) == ["films", "war films", "cats and dogs"]


def test_an_added_query_encoder_works_everywhere(minilm_folder):
    plain, wanted_only = SentenceTransformer(str(minilm_folder)), follow("Add a query encoder")["WantedOnly"]
    model = ModelWithEncoder(plain, wanted_only, ReadingOptions(reader="rules"))
    expected = plain.encode_query("movies set in Vietnam")
    assert np.allclose(model.encode_query(QUERY), expected, atol=1e-6)
    index = follow("Add an index")["ListIndex"](*rows_and_description(plain))
    found = Searcher(model, index, settings=SearchSettings(verify=False, text=False)).search(QUERY)
    scores = plain.encode(TEXTS) @ expected
    assert [hit.score for hit in found] == pytest.approx(sorted(scores, reverse=True), abs=1e-5)
    explanation = explain(model, QUERY)
    assert [atom.text for atom in explanation.plan.negatives] == ["war"] and explanation.held == ("not",)


def test_add_an_index(minilm_folder):
    model = SentenceTransformer(str(minilm_folder))
    index = follow("Add an index")["ListIndex"](*rows_and_description(model))
    found = Searcher(model, index, reader="rules").search(QUERY)
    assert [(hit.doc_id, hit.text) for hit in found] == [("food", TEXTS[1]), ("war", TEXTS[0])]


def test_add_a_backbone_family(monkeypatch):
    torch.manual_seed(1)
    model = CamembertModel(CamembertConfig(**SIZES, **TOKENS)).eval()
    with pytest.raises(backbones.UnknownBackboneError):
        attach(model)
    monkeypatch.setattr(backbones, "BACKBONES", dict(backbones.BACKBONES))
    follow("Add a backbone family")
    tokens = batch()
    with torch.inference_mode():
        bare = model(**tokens).last_hidden_state
        attach(model)
        assert torch.equal(model(**tokens).last_hidden_state, bare)
        assert not torch.allclose(model(**tokens, operators=[["not"]] * 3).last_hidden_state, bare)
        detach(model)
        assert torch.equal(model(**tokens).last_hidden_state, bare)

import numpy as np
import pytest
import torch

from boolattn import DualEncoder
from boolattn.reading.understanding import LEXICON_CONFIDENCE
from tests.encoders.readers import Marks, ReadsHints
from tests.training import small

QUERY = "movies set in Vietnam but not about unwatchable wars"  # one word of several tokens
UNKNOWN_TO_RULES = "films that pass over wars"


@pytest.fixture(scope="module")
def start(tmp_path_factory, minilm_folder):
    return small.backbone(tmp_path_factory.mktemp("bert"), minilm_folder)


@pytest.fixture
def model(start):
    return DualEncoder.with_reader(start, reader_layers=2)


def _places(model, *words):
    tokens = model.tokenizer.tokenize(QUERY, add_special_tokens=True)
    return [place for place, token in enumerate(tokens) if token in words]


def test_the_plan_is_the_readers(model):
    unwatchable = model.tokenizer.tokenize("unwatchable")
    assert len(unwatchable) > 1
    model.tower.reader = Marks(_places(model, "but", "not"), _places(model, *unwatchable, "wars"))
    reading = model.read(QUERY)
    assert reading.operators == {"not"}
    assert [span.of(QUERY) for span in reading.cues["not"]] == ["but not"]
    assert [span.of(QUERY) for span in reading.scopes["not"]] == ["unwatchable wars"]  # neighbours are one span
    plan = model.plan(QUERY)
    assert plan.source == "learned"
    assert [atom.text for atom in plan.negatives] == ["unwatchable wars"]
    assert plan.positives[0].text.startswith("movies set in Vietnam")


def test_spans_apart_are_told_apart(model):
    model.tower.reader = Marks([], [0, *_places(model, "movies", "set", "wars", "[SEP]")])
    assert [span.of(QUERY) for span in model.read(QUERY).scopes["not"]] == ["movies set", "wars"]


def test_what_no_cue_speaks_of_is_in_neither_the_plan_nor_the_vector(model):
    model.tower.reader = Marks(_places(model, "not"), _places(model, "wars"))
    vector = model.encode_query(QUERY)
    model.tower.reader = Marks(_places(model, "not"), _places(model, "movies", "wars"))
    assert [span.of(QUERY) for span in model.read(QUERY).scopes["not"]] == ["wars"]
    assert np.array_equal(model.encode_query(QUERY), vector)


@pytest.mark.parametrize("logit", [-3.0, -0.2, 0.0, 0.2, 3.0])
def test_a_plan_is_as_sure_as_the_least_sure_gate(model, logit):
    model.tower.reader = Marks([2], [4], gate=logit)
    plan = model.plan(UNKNOWN_TO_RULES)
    assert 0.5 <= plan.confidence <= 1
    assert plan.confidence == pytest.approx(torch.sigmoid(torch.tensor(abs(logit))).item())
    assert bool(plan.negatives) == (logit > 0)
    if logit <= 0:
        assert "not" not in model.read(UNKNOWN_TO_RULES).operators


@pytest.mark.parametrize(("logit", "stands"), [(-3.0, False), (-2.0, True), (0.0, True), (2.0, False)])
def test_the_rules_are_overruled_by_a_reader_that_is_sure(model, logit, stands):
    model.tower.reader = Marks(_places(model, "not"), _places(model, "wars"), gate=logit)
    plan, unwanted = model.plan(QUERY), {True: ["unwatchable wars"], False: ["wars"] if logit > 0 else []}
    assert [atom.text for atom in plan.negatives] == unwanted[stands]
    assert (plan.confidence == pytest.approx(LEXICON_CONFIDENCE)) == stands


def test_the_rules_say_what_a_not_speaks_of_where_the_reader_does_not(model):
    model.tower.reader = Marks(_places(model, "not"), [0])  # a special token
    assert [atom.text for atom in model.plan(QUERY).negatives] == ["unwatchable wars"]
    model.tower.reader = Marks([], [], gate=-5.0)
    assert not model.plan(QUERY).negatives
    bare = model.documents().encode([QUERY])
    assert np.array_equal(model.encode_query([QUERY]), bare)
    assert not np.allclose(model.encode_query([QUERY], operators=["not"]), bare, atol=1e-2), "the caller said so"


def test_a_not_that_speaks_of_nothing_is_none(model):
    model.tower.reader = Marks([2], [0])  # a special token
    assert model.read(UNKNOWN_TO_RULES).operators == frozenset()
    assert not model.plan(UNKNOWN_TO_RULES).negatives


def test_explicit_syntax_is_followed_and_not_read(model):
    model.tower.reader = Marks([], [1])
    plan = model.plan("films AND comedy NOT war")
    assert plan.source == "syntax"
    assert [atom.text for atom in plan.negatives] == ["war"]


def test_a_reader_in_training_is_asked_in_earnest(model):
    model.train()
    plans = {model.plan(QUERY).confidence for _ in range(3)}
    assert len(plans) == 1
    assert not model.training


def test_a_reader_that_follows_the_rules_plans_as_they_do(model, start):
    model.tower.reader = ReadsHints()
    by_rules = DualEncoder.training_free(start)
    for query in ("movies set in Vietnam but not about war", "birds of Peru or Ecuador", "war films"):
        assert str(model.plan(query)) == str(by_rules.plan(query))
        assert model.read(query).operators == by_rules.read(query).operators

from math import exp, log

import pytest
import torch
import torch.nn.functional as F
from lab.tests.paper import small
from sentence_transformers import SentenceTransformer
from torch import nn

from boolattn_lab.paper.corpus import SAMPLE, CorpusLoss, corpus_loss
from boolattn_lab.paper.examples import Example, Question
from boolattn_lab.paper.losses import BooleanLoss, LossWeights, subset_loss
from boolattn_lab.paper.sources import load_training_data
from boolattn_lab.paper.train import make_trainer

DOCUMENTS = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
QUERIES = torch.tensor([[3.0, 4.0], [0.0, -2.0]])  # of unit length: (0.6, 0.8), (0, -1)


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))


def _loss(documents=DOCUMENTS, examples=(([1], [2]), ([0, 1], [])), scale=2.0, excluded_counts=1.0):
    numbered = [tuple(torch.tensor(each, dtype=torch.long) for each in pair) for pair in examples]
    return CorpusLoss(documents, numbered, scale, excluded_counts)


def test_by_hand():
    first = log(exp(1.2) + exp(1.6) + exp(-1.2)) - 1.6
    second = log(exp(0) + exp(-2) + exp(0)) - log(exp(0) + exp(-2))
    both = _loss()(QUERIES, torch.tensor([0, 1]))
    assert both.item() == pytest.approx((first + second) / 2, rel=1e-5)
    assert _loss()(QUERIES[:1], torch.tensor([0])).item() == pytest.approx(first, rel=1e-5)


def test_a_query_is_identified_by_its_row_number():
    swapped = _loss()(QUERIES.flip(0), torch.tensor([1, 0]))
    assert torch.isclose(swapped, _loss()(QUERIES, torch.tensor([0, 1])))
    assert not torch.isclose(_loss()(QUERIES, torch.tensor([1, 0])), swapped)


def test_an_excluded_document_counts_for_several():
    found = _loss(excluded_counts=7.0)(QUERIES, torch.tensor([0, 1]))
    first = log(exp(1.2) + exp(1.6) + 7 * exp(-1.2)) - 1.6
    second = log(exp(0) + exp(-2) + exp(0)) - log(exp(0) + exp(-2))  # it excludes nothing
    assert found.item() == pytest.approx((first + second) / 2, rel=1e-5)


@pytest.mark.parametrize("count", [2, 5])
def test_an_excluded_document_counts_like_that_many_copies(count):
    documents, queries = F.normalize(torch.randn(20, 6), dim=-1), torch.randn(1, 6)
    answers, excluded = [3, 4], [7, 11, 15]
    once = _loss(documents, [(answers, excluded)], 5.0, float(count))(queries, torch.tensor([0]))
    copies = torch.cat([documents, *[documents[excluded]] * (count - 1)])
    often = _loss(copies, [(answers, excluded)], 5.0)(queries, torch.tensor([0]))
    assert torch.isclose(once, often, atol=1e-5)


def test_lengths_of_queries_do_not_matter_and_learning_makes_answers_likelier():
    queries = QUERIES.clone().requires_grad_()
    loss = _loss()
    before = loss(queries, torch.tensor([0, 1]))
    assert torch.isclose(loss(9 * queries, torch.tensor([0, 1])), before)
    before.backward()
    assert loss(queries - 0.5 * queries.grad, torch.tensor([0, 1])) < before


def test_a_sample_is_of_the_documents_and_no_two_the_same():
    documents = F.normalize(torch.randn(300, 4), dim=-1)
    drawn = _loss(documents, [([0], [])]).sample()
    assert drawn.shape == (SAMPLE, 4)
    places = [(documents == each).all(dim=1).nonzero().item() for each in drawn]
    assert len(set(places)) == SAMPLE
    assert len(_loss().sample()) == 3


class _Told(nn.Module):
    def forward(self, features):
        return features


def _column(vectors):
    return {"sentence_embedding": vectors, "attention_mask": torch.ones(len(vectors), 3)}


def test_queries_come_alone_and_their_label_starts_with_the_row_number():
    corpus, labels = _loss(), torch.tensor([[1, 0b000], [0, 0b000]])
    losses = BooleanLoss(_Told(), corpus, LossWeights(ranking=3.0))([_column(QUERIES)], labels)
    assert losses.keys() == {"ranking"}
    assert torch.isclose(losses["ranking"], 3 * corpus(QUERIES, torch.tensor([1, 0])))


def test_logical_losses_use_a_sample_of_the_corpus():
    labels, implied = torch.tensor([[0, 0b010], [1, 0b010]]), torch.randn(2, 2)
    weights = LossWeights(ranking=0.0, subset=1.0)
    columns = [_column(each) for each in (QUERIES, implied, torch.randn(2, 2))]
    losses = BooleanLoss(_Told(), _loss(), weights)(columns, labels)
    assert torch.isclose(losses["subset"], subset_loss(QUERIES, implied, DOCUMENTS), atol=1e-6)


def _example(positives, unwanted=()):
    return Example(Question("kites", frozenset(), {}, None), positives, unwanted=unwanted)


def test_documents_are_encoded_once_and_answers_are_row_numbers(start):
    model = SentenceTransformer(start)
    texts = {"a": "kites in Peru", "b": "boats " * 40, "c": "wolves"}
    loss = corpus_loss(model, [_example(("c", "a"), ("b",)), _example(("b",))], texts, 24, 20.0, 1.0)
    assert [[each.tolist() for each in pair] for pair in loss.examples] == [[[2, 0], [1]], [[1], []]]
    model.max_seq_length = 24
    expected = model.encode(list(texts.values()), convert_to_tensor=True, normalize_embeddings=True)
    assert torch.allclose(loss.documents, expected, atol=1e-2)  # as kept on disk
    assert torch.allclose(loss.documents.norm(dim=1), torch.ones(3), atol=1e-6)


def test_what_cannot_be_compared_is_refused(start):
    with pytest.raises(ValueError, match="requires a source with documents"):
        corpus_loss(SentenceTransformer(start), [], None, 24, 1.0, 1.0)
    with pytest.raises(ValueError, match="similarity = 'cosine'"):
        corpus_loss(SentenceTransformer(start, similarity_fn_name="dot"), [], {"a": "kites"}, 24, 1.0, 1.0)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (((), ("a",)), "'kites' has no answer"),
        ((("a", "77"), ()), "'kites' refers to document '77'"),
        ((("a",), ("78",)), "'kites' refers to document '78'"),
    ],
)
def test_a_query_without_answers_or_with_unknown_ones_is_refused_before_anything_is_encoded(start, wrong, says):
    model = SentenceTransformer(start)
    model.encode_document = None  # any further encoding would fail
    with pytest.raises(ValueError, match=says):
        corpus_loss(model, [_example(("a",)), _example(*wrong)], {"a": "kites in Peru"}, 24, 1.0, 1.0)


def _trainer(start, data, tmp_path, **training):
    recipe = small.recipe(
        "finetune", start, "films",
        model={"pooling": "mean", "similarity": "cosine", "encoding": "two-sided", "rank": 3},
        data={"queries": 8, "excluding": True, "validation_queries": 0},
        training={"learns": "adapter", "candidates": "corpus", "scale": 20.0, "batch_size": 8} | training,
    )  # fmt: skip
    return make_trainer(recipe, load_training_data(data, recipe.data, 0), tmp_path)


def test_the_gradient_reaches_only_the_readout(start, data, tmp_path):
    trainer = _trainer(start, data, tmp_path)
    model, batch = trainer.model.train(), next(iter(trainer.get_train_dataloader()))
    for by in (model.readout.move_wanted, model.readout.move_unwanted):
        nn.init.normal_(by[1].weight, std=0.1)  # at 0, nothing would go through
    trainer.compute_loss(model, dict(batch)).backward()
    reached = {id(weight) for weight in model.parameters() if weight.grad is not None and weight.grad.any()}
    assert reached == {id(weight) for weight in model.readout.parameters()}
    assert len(reached) == 6


def test_the_loss_is_over_all_films_and_no_document_is_read_again(start, data, tmp_path):
    trainer = _trainer(start, data, tmp_path)
    batch = next(iter(trainer.get_train_dataloader()))
    assert not [name for name in batch if name.startswith(("positive", "negative"))]
    assert trainer.loss.ranking.documents.shape == (120, 32)
    harm = [loss.loss.ranking.harm for loss in (trainer, _trainer(start, data, tmp_path, excluded_counts=10.0))]
    assert harm == [0.0, pytest.approx(log(10))]

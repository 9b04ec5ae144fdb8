import pytest
import torch
from lab.tests.paper import small
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling

from boolattn import DualEncoder
from boolattn.backbones.attach.plugin import mechanism_of
from boolattn.backbones.signed_pooling import SignedPooling
from boolattn.reading.spans import Span
from boolattn_lab.paper.examples import Example, Question
from boolattn_lab.paper.labels import unpack
from boolattn_lab.paper.models import build_model, freeze_parameters, limit_lengths, transformers_of, unlimit_lengths
from boolattn_lab.paper.recipes import RecipeError
from boolattn_lab.paper.sources import TrainingData, load_training_data
from boolattn_lab.paper.train import label_rows, make_trainer

SIGNED = {"pooling": "mean", "signed": True}
TWO_SIDED = {"pooling": "mean", "encoding": "two-sided", "rank": 3, "signed": True}


def _learning(model):
    return {name for name, weight in model.named_parameters() if weight.requires_grad}


def _kind(name):
    for kind in ("boolattn", "weigh", "embeddings"):
        if f".{kind}." in name:
            return kind
    return "layers"


@pytest.mark.parametrize(
    ("learns", "kinds"),
    [
        ("full", {"boolattn", "weigh", "embeddings", "layers"}),
        ("embeddings", {"boolattn", "weigh", "embeddings"}),
        ("adapter", {"boolattn", "weigh"}),
    ],
)
@pytest.mark.parametrize("stage", ["pretrain", "finetune"])
def test_gradients_reach_only_trained_parameters(start, data, tmp_path, stage, learns, kinds):
    losses = {"cue": 1.0, "gate": 1.0, "scope": 1.0}
    recipe = small.recipe(
        stage, start, "film-sentences" if stage == "pretrain" else "quest", model=SIGNED, losses=losses,
        training={"learns": learns, "gates": "learned", "batch_size": 8}, data={"queries": 20},
    )  # fmt: skip
    trainer = make_trainer(recipe, load_training_data(data, recipe.data, 0), tmp_path)
    model = trainer.model
    assert {_kind(name) for name in _learning(model)} == kinds
    trainer.create_optimizer()
    last = mechanism_of(transformers_of(model)[0].auto_model).gate.ffn[-1]
    last.weight.data *= 1e-3  # open for all, but only just: a closed gate lets nothing through
    last.bias.data.fill_(0.01)
    reached = set()
    for _ in range(8):  # nor does an empty scope
        batch = next(iter(trainer.get_train_dataloader()))
        trainer.compute_loss(model.train(), dict(batch)).backward()
        reached |= {name for name, weight in model.named_parameters() if weight.grad is not None and weight.grad.any()}
    never = {name for name in _learning(model) if "pooler" in name}  # of BERT, and not part of its token states
    assert reached == _learning(model) - never
    in_optimizer = {id(weight) for group in trainer.optimizer.param_groups for weight in group["params"]}
    assert in_optimizer == {id(weight) for weight in model.parameters() if weight.requires_grad}


def test_an_adapter_encodes_documents_as_in_the_index(start):
    recipe = small.recipe("finetune", start, "quest", training={"learns": "adapter"})
    model = build_model(recipe)
    freeze_parameters(model, recipe)
    index = model.document_encoder().encode(["Many kites are found in Peru."], convert_to_tensor=True)
    model.train()
    features = model.preprocess(["Many kites are found in Peru."], task="document")
    assert torch.allclose(model(features)["sentence_embedding"], index, atol=1e-6)


def test_the_papers_model_pools_by_its_first_token(start):
    model = build_model(small.recipe("finetune", start, "quest"))
    assert isinstance(model, DualEncoder)
    assert type(model.readout) is Pooling
    assert model.readout.pooling_mode == "cls"
    assert model.similarity_fn_name == "dot"
    signed = build_model(small.recipe("finetune", start, "quest", model=SIGNED))
    assert isinstance(signed.readout, SignedPooling)


@pytest.mark.parametrize("boolean", [True, False])
def test_queries_and_documents_have_separate_lengths(start, tmp_path, boolean):
    recipe = small.recipe("finetune", start, "quest", model={"boolean": boolean})
    model = build_model(recipe)
    assert isinstance(model, DualEncoder) == boolean
    limit_lengths(model, recipe)
    model.save(str(tmp_path))
    saved = DualEncoder(str(tmp_path)) if boolean else SentenceTransformer(str(tmp_path))
    for each in (model, saved):
        for longest in (each.max_seq_length, 20):  # has no effect if these are set
            each.max_seq_length = longest
            for task, length in (("query", 16), ("document", 24)):
                assert each.preprocess(["kites " * 50], task=task)["input_ids"].shape[1] == length


def test_a_saved_boolean_model_can_be_trained_further(start, tmp_path):
    first = build_model(small.recipe("finetune", start, "quest"))
    first.save(str(tmp_path))
    again = build_model(small.recipe("finetune", str(tmp_path), "quest"))
    mine, theirs = first.state_dict(), again.state_dict()
    assert mine.keys() == theirs.keys()
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)
    with pytest.raises(RecipeError, match="boolean = false"):
        build_model(small.recipe("finetune", str(tmp_path), "quest", model={"boolean": False}))
    with pytest.raises(RecipeError, match="pooling = 'mean'"):
        build_model(small.recipe("finetune", str(tmp_path), "quest", model={"pooling": "mean"}))


@pytest.mark.parametrize(
    ("made", "asked", "says"),
    [
        ({}, {"signed": True}, "signed = True, but .* was made with False"),
        ({}, {"rank": 4}, "rank = 4, but .* was made with 0"),
        ({}, {"encoding": "two-sided"}, "encoding = 'two-sided', but .* was made with 'mechanism'"),
        (TWO_SIDED, {"rank": 4}, "rank = 4, but .* was made with 3"),
    ],
)
def test_settings_that_conflict_with_a_boolean_model_are_refused(start, tmp_path, made, asked, says):
    build_model(small.recipe("finetune", start, "quest", model=made)).save(str(tmp_path))
    again = {"pooling": None, "similarity": None}
    build_model(small.recipe("finetune", str(tmp_path), "quest", model=again))  # omitted settings are the model's own
    build_model(small.recipe("finetune", str(tmp_path), "quest", model=again | made))
    with pytest.raises(RecipeError, match=says):
        build_model(small.recipe("finetune", str(tmp_path), "quest", model=again | asked))


def test_models_that_cannot_be_trained_are_refused(start):
    recipe = small.recipe("finetune", start, "quest", mechanism={"gate": "given"}, training={"gates": "learned"})
    with pytest.raises(RecipeError, match="need a learned gate"):
        build_model(recipe)
    recipe = small.recipe("finetune", start, "quest", model=TWO_SIDED, training={"gates": "learned"})
    with pytest.raises(RecipeError, match="need a learned gate, which the model lacks: set gates = 'given'"):
        build_model(recipe)
    plain = small.recipe("finetune", start, "quest", model={"boolean": False}, training={"learns": "adapter"})
    with pytest.raises(RecipeError, match="nothing to learn"):
        freeze_parameters(build_model(plain), plain)
    with pytest.raises(RecipeError, match="training-free"):
        build_model(small.recipe("finetune", f"training-free:{start}", "quest", model={"pooling": None}))


def test_labels_match_their_tokens_even_in_a_truncated_query(start):
    recipe = small.recipe("finetune", start, "quest", model={"query_tokens": 9})
    model = build_model(recipe)
    limit_lengths(model, recipe)
    text = "kites but not of Peru"
    long = text + " and boats" * 20
    questions = [
        Question(each, frozenset({"not"}), {"not": (Span(6, 13),)}, {"not": (Span(17, len(each)),)})
        for each in (text, long)
    ]
    rows = label_rows(model, TrainingData([Example(each, ("a",)) for each in questions]), query_tokens=9)
    tokens = model.preprocess([text, long], task="query")["input_ids"]
    labels = unpack(torch.tensor(rows), 3, tokens.shape[1])
    for n in range(2):
        words = model.tokenizer.convert_ids_to_tokens(tokens[n])
        assert words[0] == "[CLS]" and words[8] == ("[PAD]" if n == 0 else "[SEP]")
        cues = [word for word, label in zip(words, labels.cues[n, :, 2], strict=True) if label]
        scopes = [word for word, label in zip(words, labels.scopes[n, :, 2], strict=True) if label]
        assert cues == ["but", "not"]
        assert scopes == (["peru"] if n == 0 else ["peru", "and"])


def test_an_adapter_limits_only_queries_and_restores_their_length(start):
    recipe = small.recipe("finetune", start, "quest", training={"learns": "adapter"})
    model = build_model(recipe)

    def lengths():
        return [model.preprocess(["kites " * 50], task=task)["input_ids"].shape[1] for task in ("query", "document")]

    unlimited = lengths()
    assert unlimited[0] == unlimited[1] > 24
    limit_lengths(model, recipe)
    assert lengths() == [16, unlimited[1]]
    unlimit_lengths(model, recipe)
    assert lengths() == unlimited
    full = small.recipe("finetune", start, "quest")
    limit_lengths(model, full)
    unlimit_lengths(model, full)
    assert lengths() == [16, 24]


def test_an_adapter_restores_the_query_length(start):
    recipe = small.recipe("finetune", start, "quest", training={"learns": "adapter"})
    model = build_model(recipe)
    transformers_of(model)[0].query_length = 40
    limit_lengths(model, recipe)
    limit_lengths(model, recipe)  # twice is as once
    unlimit_lengths(model, recipe)
    assert transformers_of(model)[0].query_length == 40

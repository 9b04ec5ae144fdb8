"""attach, detach, save, load."""

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch
from transformers import AutoModel, BertConfig, BertForMaskedLM, DebertaV2Config, MPNetForMaskedLM

from boolattn import BoolAttnConfig, attach, detach, load_adapter, save_adapter
from boolattn.backbones.attach.backbones import UnknownBackboneError
from boolattn.backbones.attach.plugin import adapter_of, mechanism_of
from boolattn.backbones.storage.adapter_format import write_adapter
from boolattn.backbones.storage.checksums import ChangedWeightsError
from tests.backbones.tiny import FAMILIES, KINDS, SIZES, batch, tiny
from tests.forked import run_python

OPEN = {"operators": torch.ones(3, 3)}

LOAD_AND_EMBED = """
import sys, pathlib, torch
from boolattn import load_adapter
from tests.backbones.tiny import batch, tiny
for folder in pathlib.Path(sys.argv[1]).iterdir():
    model = load_adapter(tiny(*folder.name.split()), folder)
    with torch.no_grad():
        torch.save(model(**batch(), operators=torch.ones(3, 3)).last_hidden_state, folder / "states.pt")
"""


@torch.no_grad()
def test_saved_then_loaded_in_a_new_process_gives_identical_embeddings(tmp_path):
    expected = {}
    for family, attention in KINDS:
        model, folder = (
            attach(tiny(family, attention), BoolAttnConfig(gate="learned", window=4)),
            f"{family} {attention}",
        )
        save_adapter(model, tmp_path / folder)
        assert sorted(path.name for path in (tmp_path / folder).iterdir()) == ["boolattn.json", "boolattn.safetensors"]
        expected[folder] = model(**batch(), **OPEN).last_hidden_state
    run_python("-c", LOAD_AND_EMBED, str(tmp_path))
    for folder, states in expected.items():
        assert torch.equal(torch.load(tmp_path / folder / "states.pt"), states), folder


@torch.no_grad()
def test_a_minilm_adapter_loads_back_to_identical_embeddings(minilm, minilm_folder, minilm_tokenizer, tmp_path):
    tokens = minilm_tokenizer(["movies set in Vietnam but not about war"], return_tensors="pt")
    attention = minilm.config._attn_implementation
    save_adapter(attach(minilm), tmp_path)
    fresh = AutoModel.from_pretrained(minilm_folder, attn_implementation=attention).eval()
    loaded = load_adapter(fresh, tmp_path)
    states = loaded(**tokens, operators=["not"]).last_hidden_state
    assert torch.equal(states, minilm(**tokens, operators=["not"]).last_hidden_state)


def test_an_adapter_for_another_backbone_is_refused(tmp_path):
    save_adapter(attach(tiny("bert")), tmp_path)
    with pytest.raises(ValueError, match=r"'model_type': 'bert'.*'model_type': 'electra'"):
        load_adapter(tiny("electra"), tmp_path)


def test_a_damaged_adapter_does_not_change_the_backbone(tmp_path):
    save_adapter(attach(tiny("bert")), tmp_path)
    settings = json.loads((tmp_path / "boolattn.json").read_text())
    settings["mechanism"]["config"]["bias_rank"] = 5
    (tmp_path / "boolattn.json").write_text(json.dumps(settings))
    model = tiny("bert")
    with pytest.raises(ChangedWeightsError, match=r"boolattn\.json.*not the file that was saved"):
        load_adapter(model, tmp_path)
    assert not hasattr(model, "boolattn")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"bias_rank": 5}, "require .* of shape"),
        ({"operator_dim": 10**12}, "require .* of shape|damaged"),  # before memory is allocated for them
        ({"colour": "blue"}, "unknown settings"),
        ({"sigma": float("nan")}, "damaged"),  # not JSON
        ({"sigma": 0.0}, "sigma must be positive and finite"),
        ({"window": "wide"}, "damaged"),
    ],
)
def test_settings_that_do_not_fit_the_weights_are_refused(tmp_path, change, says):
    adapter = adapter_of(attach(tiny("bert")))
    config = adapter.mechanism.config | change
    write_adapter(replace(adapter, mechanism=replace(adapter.mechanism, config=config)), tmp_path)
    model = tiny("bert")
    with pytest.raises(ValueError, match=says):
        load_adapter(model, tmp_path)
    assert not hasattr(model, "boolattn")


def test_weights_that_are_not_finite_are_refused(tmp_path):
    model = attach(tiny("bert"))
    model.boolattn.operators.data[0, 0] = float("nan")
    save_adapter(model, tmp_path)
    with pytest.raises(ValueError, match=r"mechanism\.operators .* not finite"):
        load_adapter(tiny("bert"), tmp_path)


def test_changed_weights_are_refused(tmp_path):
    save_adapter(attach(tiny("bert")), tmp_path)
    content = (tmp_path / "boolattn.safetensors").read_bytes()
    (tmp_path / "boolattn.safetensors").write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ChangedWeightsError, match="not the file that was saved"):
        load_adapter(tiny("bert"), tmp_path)


def test_unknown_families_get_advice_on_adding_a_row():
    sizes = {name: SIZES[name] for name in ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads")}
    model = AutoModel.from_config(DebertaV2Config(**sizes, intermediate_size=64))
    with pytest.raises(UnknownBackboneError, match=r"BACKBONES\['deberta-v2'\] = Backbone\("):
        attach(model)


def test_attaching_twice_or_detaching_nothing_is_refused():
    model = tiny("bert")
    with pytest.raises(ValueError, match="attach"):
        detach(model)
    attach(model)
    with pytest.raises(ValueError, match="detach"):
        attach(model)


def test_decoders_are_refused():
    model = AutoModel.from_config(BertConfig(**SIZES, is_decoder=True))
    with pytest.raises(ValueError, match="is_decoder"):
        attach(model)


@torch.no_grad()
def test_a_model_under_a_head_works_too():
    model = BertForMaskedLM(BertConfig(**SIZES)).eval()
    bare = model(**batch()).logits
    attach(model)
    assert torch.equal(model(**batch()).logits, bare)
    assert not torch.equal(model(**batch(), **OPEN).logits, bare)
    assert torch.equal(detach(model)(**batch()).logits, bare)


def test_a_head_that_drops_keywords_is_refused():
    model = MPNetForMaskedLM(FAMILIES["mpnet"]())
    with pytest.raises(ValueError, match=r"model\.base_model"):
        attach(model)
    attach(model.base_model)


@torch.no_grad()
def test_values_computed_under_autocast_are_not_reused_later():
    model = attach(tiny("bert"), BoolAttnConfig(cue_conditioning="additive"))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        model(**batch(), **OPEN)
    after = model(**batch(), **OPEN).last_hidden_state
    model.eval()  # forgets
    assert torch.equal(after, model(**batch(), **OPEN).last_hidden_state)


@torch.no_grad()
def test_a_copy_has_a_separate_mechanism(encoder):
    attach(encoder)
    before = encoder(**batch(), **OPEN).last_hidden_state
    for twin in (copy.deepcopy(encoder), pickle.loads(pickle.dumps(encoder))):
        assert torch.equal(twin(**batch(), **OPEN).last_hidden_state, before)
        for weight in mechanism_of(twin).parameters():
            weight.add_(1.0)
        assert torch.equal(encoder(**batch(), **OPEN).last_hidden_state, before)
        assert not torch.equal(twin(**batch(), **OPEN).last_hidden_state, before)
        detach(twin)
        assert torch.equal(twin(**batch()).last_hidden_state, encoder(**batch()).last_hidden_state)


@torch.no_grad()
def test_threads_do_not_mix_their_calls(encoder):
    attach(encoder)
    calls = [{"operators": [["not"]] * 3}, {"operators": [["and"]] * 3}, {}, {"operators": [["or"]] * 3}] * 8
    alone = [encoder(**batch(), **call).last_hidden_state for call in calls]

    def run(call: dict) -> torch.Tensor:
        with torch.no_grad():
            return encoder(**batch(), **call).last_hidden_state

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(run, calls))
    for one, other in zip(alone, together, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@torch.no_grad()
def test_half_precision_follows_the_backbone(encoder, dtype):
    model = attach(encoder.to(dtype))
    assert {weight.dtype for weight in mechanism_of(model).parameters()} == {dtype}
    states = model(**batch(), **OPEN).last_hidden_state
    assert states.dtype == dtype
    assert states.isfinite().all()


def test_autocast(encoder):
    attach(encoder.train())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        encoder(**batch(), **OPEN).last_hidden_state.float().square().mean().backward()
    assert all(weight.grad.isfinite().all() for weight in mechanism_of(encoder).parameters())


@torch.no_grad()
def test_512_tokens(encoder):
    tokens = batch(2, 512)
    states = attach(encoder)(**tokens, operators=torch.ones(2, 3)).last_hidden_state
    assert states.shape == (2, 512, 32)
    assert states.isfinite().all()


def test_a_sentence_transformers_model_is_refused_with_what_to_pass(bare):
    with pytest.raises(TypeError, match="pass the Hugging Face model inside it"):
        attach(bare)
    attach(bare[0].model)

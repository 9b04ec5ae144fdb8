"""The two sides of a query that excludes something."""

from functools import partial

import pytest
import torch

from boolattn import attach
from boolattn.backbones.encodings.bias import GIVEN_SCOPES_CONFIG
from boolattn.backbones.signed_pooling import UNWANTED, UNWANTED_STATES, WANTED
from boolattn.backbones.token_reading import TokenReading
from boolattn.backbones.two_sided import encode_both_sides, encode_excluding, encode_sentence
from tests.backbones.tiny import batch, tiny

FIRST, LAST = 1, 2  # the special tokens, at both ends
STRENGTH = 4.0
CUES, SCOPES = [[3], [2, 3], [2]], [[4, 5], [5], [3, 4]]


def _encoder(family="bert"):
    return attach(tiny(family), GIVEN_SCOPES_CONFIG)


def _inputs():
    inputs = batch(3, 9)
    ids, ends = inputs["input_ids"].clone(), inputs["attention_mask"].sum(dim=1) - 1
    ids[:, 0], ids[torch.arange(3), ends] = FIRST, LAST
    return inputs | {"input_ids": ids}


def _reading(cues=CUES, scopes=SCOPES, gates=(1.0, 1.0, 1.0)):
    found = TokenReading(torch.tensor(gates)[:, None], torch.zeros(3, 9, 1), torch.zeros(3, 9, 1))
    for row in range(3):
        found.cues[row, cues[row]] = 1
        found.scopes[row, scopes[row]] = 1
    return found


def _sides(encoder, special):
    if special is None:
        return partial(encode_sentence, encoder, strength=STRENGTH)
    return partial(encode_both_sides, encoder, strength=STRENGTH, special=special)


def _rows(inputs, rows):
    return {name: value[rows] for name, value in inputs.items()}


@pytest.mark.parametrize("family", ["bert", "roberta", "modernbert"])
@torch.no_grad()
def test_the_unwanted_side_is_encoded_as_if_it_were_the_whole_query(family):
    encoder, inputs = _encoder(family), _inputs()
    sides = encode_both_sides(encoder, inputs, _reading(), STRENGTH, {FIRST, LAST})
    for row, scope in enumerate(SCOPES):
        alone = torch.zeros(1, 9, dtype=torch.long)
        alone[0, [0, *scope, 8 - row]] = 1
        expected = encoder(input_ids=inputs["input_ids"][[row]], attention_mask=alone).last_hidden_state[0]
        assert torch.allclose(sides.unwanted_states[row, scope], expected[scope], atol=1e-5)
        assert sides.unwanted[row].nonzero()[:, 0].tolist() == scope
        in_sentence = encoder(**_rows(inputs, [row])).last_hidden_state[0]
        assert not torch.allclose(expected[scope], in_sentence[scope], atol=1e-2)


@torch.no_grad()
def test_the_wanted_side_is_encoded_without_cue_and_scope():
    encoder, inputs, found = _encoder(), _inputs(), _reading()
    sides = encode_both_sides(encoder, inputs, found, STRENGTH, {FIRST, LAST})
    covered = torch.maximum(found.cues, found.scopes)
    expected = encoder(**inputs, operators=torch.ones(3, 1), scopes=covered, strength=STRENGTH).last_hidden_state
    real = inputs["attention_mask"].bool()
    assert torch.allclose(sides.states[real], expected[real], atol=1e-5)
    assert torch.equal(sides.wanted, inputs["attention_mask"] * (1 - covered[..., 0]))
    weaker = encode_both_sides(encoder, inputs, found, 0.0, {FIRST, LAST})
    plain = encoder(**inputs).last_hidden_state
    assert torch.allclose(weaker.states[real], plain[real], atol=1e-5)
    assert not torch.allclose(sides.states[real], plain[real], atol=1e-2)
    assert torch.allclose(weaker.unwanted_states[0, SCOPES[0]], sides.unwanted_states[0, SCOPES[0]], atol=1e-5)


@torch.no_grad()
def test_special_tokens_and_padding_are_never_unwanted():
    everything = [list(range(9))] * 3
    inputs = _inputs()
    sides = encode_both_sides(_encoder(), inputs, _reading(scopes=everything), STRENGTH, {FIRST, LAST})
    for row in range(3):
        assert sides.unwanted[row].nonzero()[:, 0].tolist() == list(range(1, 8 - row))


@pytest.mark.parametrize("family", ["bert", "modernbert"])
@torch.no_grad()
def test_batched_queries_equal_single_ones(family):
    encoder, inputs, found = _encoder(family), _inputs(), _reading()
    together = encode_both_sides(encoder, inputs, found, STRENGTH, {FIRST, LAST})
    for row in range(3):
        length = 9 - row
        cut = {name: value[[row], :length] for name, value in inputs.items()}
        mine = TokenReading(found.gates[[row]], found.cues[[row], :length], found.scopes[[row], :length])
        alone = encode_both_sides(encoder, cut, mine, STRENGTH, {FIRST, LAST})
        assert torch.allclose(together.states[row, :length], alone.states[0], atol=1e-5)
        scope = SCOPES[row]
        assert torch.allclose(together.unwanted_states[row, scope], alone.unwanted_states[0, scope], atol=1e-5)
        assert torch.equal(together.wanted[row, :length], alone.wanted[0])
        assert torch.equal(together.unwanted[row, :length], alone.unwanted[0])


@pytest.mark.parametrize("special", [{FIRST, LAST}, None], ids=["two-sided", "sentence"])
@torch.no_grad()
def test_queries_without_exclusions_in_a_batch_equal_the_bare_encoders_bit_for_bit(special):
    encoder, inputs, found = _encoder(), _inputs(), _reading(gates=(0.0, 1.0, 0.0))
    plain = encoder(**inputs).last_hidden_state
    batches = []
    encoder.encoder.register_forward_pre_hook(lambda _, states: batches.append(len(states[0])))
    features = encode_excluding(encoder, inputs, found, _sides(encoder, special))
    # Of the whole batch, since the last digits of a row may depend on how many are encoded with it.
    assert batches[0] == 3
    sides = _sides(encoder, special)(_rows(inputs, [1]), TokenReading(*(each[[1]] for each in found)))
    for row in (0, 2):
        assert torch.equal(features["token_embeddings"][row], plain[row])
        assert torch.equal(features[WANTED][row], inputs["attention_mask"][row].float())
        assert not features[UNWANTED][row].any()
    assert torch.equal(features["token_embeddings"][1], sides.states[0])
    assert torch.equal(features[WANTED][1], sides.wanted[0]) and torch.equal(features[UNWANTED][1], sides.unwanted[0])
    assert (UNWANTED_STATES in features) == (special is not None)
    if special:
        assert torch.equal(features[UNWANTED_STATES][1], sides.unwanted_states[0])
        assert not features[UNWANTED_STATES][[0, 2]].any()


@torch.no_grad()
def test_a_batch_without_exclusions_adds_no_readout_features():
    encoder, inputs = _encoder(), _inputs()
    sides = _sides(encoder, {FIRST, LAST})
    features = encode_excluding(encoder, inputs, _reading(gates=(0.0, 0.0, 0.0)), sides)
    assert features.keys() == {"token_embeddings"}
    assert torch.equal(features["token_embeddings"], encoder(**inputs).last_hidden_state)


@torch.no_grad()
def test_a_batch_in_which_all_queries_exclude_is_encoded_once():
    encoder, calls = _encoder(), []
    encoder.register_forward_hook(lambda *_: calls.append(1))
    encode_excluding(encoder, _inputs(), _reading(), _sides(encoder, None))
    assert len(calls) == 1

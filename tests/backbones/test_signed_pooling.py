import math

import pytest
import torch

from boolattn.backbones.signed_pooling import UNWANTED, UNWANTED_STATES, WANTED, WEIGHTS, SignedPooling

STATES = torch.tensor([[[1.0, 0.0], [3.0, 0.0], [0.0, 4.0], [9.0, 9.0]]])  # the last is padding
MASK = torch.tensor([[1, 1, 1, 0]])


def pool(readout, wanted=None, unwanted=None, states=STATES, mask=MASK):
    features = {"token_embeddings": states, "attention_mask": mask}
    if wanted is not None:
        features |= {WANTED: torch.tensor(wanted), UNWANTED: torch.tensor(unwanted)}
    return readout(features)["sentence_embedding"]


def test_by_hand():
    readout = SignedPooling(2, penalty=0.3)
    # P = (2, 0), N = (0, 4): q = P - 0.3 * 2/4 * N
    found = pool(readout, [[1.0, 1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0, 0.0]])
    assert torch.allclose(found, torch.tensor([[2.0, -0.6]]), atol=1e-6)


def test_scores_are_wanted_minus_unwanted():
    readout = SignedPooling(2, penalty=0.4)
    query = pool(readout, [[1.0, 1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0, 0.0]])[0]
    documents = torch.randn(50, 2)
    unit = {"wanted": torch.tensor([1.0, 0.0]), "unwanted": torch.tensor([0.0, 1.0])}
    expected = documents @ unit["wanted"] - 0.4 * (documents @ unit["unwanted"])
    assert torch.allclose(documents @ query / 2.0, expected, atol=1e-6)  # |P| = 2


def test_a_query_without_exclusions_keeps_the_plain_mean_bit_for_bit():
    readout = SignedPooling(8)
    states, mask = torch.randn(3, 5, 8), torch.ones(3, 5, dtype=torch.long)
    plain = pool(readout, states=states, mask=mask)
    wanted = [[1.0] * 5, [1.0] * 4 + [0.0], [1.0] * 5]
    unwanted = [[0.0] * 5, [0.0] * 4 + [1.0], [0.0] * 5]
    found = pool(readout, wanted, unwanted, states, mask)
    assert torch.equal(found[[0, 2]], plain[[0, 2]])
    assert not torch.allclose(found[1], plain[1], atol=1e-3)


def test_lambda_starts_at_the_penalty_for_every_query_and_never_passes_its_bound():
    readout = SignedPooling(4, penalty=0.3, bound=0.8)
    directions = torch.randn(20, 4)
    assert torch.allclose(readout.weight_of(directions), torch.tensor(0.3))
    torch.nn.init.normal_(readout.weigh.weight, std=100.0)
    weights = readout.weight_of(directions)
    assert weights.min() >= 0 and weights.max() <= 0.8 and weights.std() > 0.1


def test_lambda_can_be_learned():
    readout = SignedPooling(2)
    pool(readout, [[1.0, 1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0, 0.0]]).sum().backward()
    assert readout.weigh.weight.grad.abs().sum() > 0 and readout.weigh.bias.grad.abs().sum() > 0


def test_settings_that_cannot_work_are_refused():
    with pytest.raises(ValueError, match="needs mean pooling"):
        SignedPooling(4, pooling_mode="cls")
    for penalty in (0.0, 1.0, math.inf):
        with pytest.raises(ValueError, match="between 0 and its bound"):
            SignedPooling(4, penalty=penalty)


def test_unwanted_tokens_can_have_separate_states():
    readout = SignedPooling(2, penalty=0.3)
    features = {
        "token_embeddings": STATES,
        "attention_mask": MASK,
        WANTED: torch.tensor([[1.0, 1.0, 0.0, 0.0]]),
        UNWANTED: torch.tensor([[0.0, 0.0, 1.0, 0.0]]),
        UNWANTED_STATES: torch.tensor([[[9.0, 9.0], [9.0, 9.0], [5.0, 0.0], [9.0, 9.0]]]),
    }
    # P = (2, 0), N = (5, 0): q = P - 0.3 * 2/5 * N
    assert torch.allclose(readout(features)["sentence_embedding"], torch.tensor([[1.4, 0.0]]), atol=1e-6)


MIXED = [[1.0] * 5, [1.0] * 4 + [0.0], [1.0] * 5], [[0.0] * 5, [0.0] * 4 + [1.0], [0.0] * 5]  # the second excludes


def test_maps_start_without_effect():
    plain, mapped = SignedPooling(8), SignedPooling(8, rank=3)
    states, mask = torch.randn(3, 5, 8), torch.ones(3, 5, dtype=torch.long)
    assert torch.equal(pool(plain, *MIXED, states, mask), pool(mapped, *MIXED, states, mask))
    assert plain.move_wanted is None and mapped.move_wanted[0].weight.shape == (3, 8)


def test_maps_only_change_queries_that_exclude_something():
    readout = SignedPooling(8, rank=3)
    states, mask = torch.randn(3, 5, 8), torch.ones(3, 5, dtype=torch.long)
    before = pool(readout, *MIXED, states, mask)
    found = []
    for by in (readout.move_wanted, readout.move_unwanted):
        torch.nn.init.normal_(by[1].weight)
        found.append(pool(readout, *MIXED, states, mask))
    for after in found:
        assert torch.equal(after[[0, 2]], before[[0, 2]])
    assert not torch.allclose(found[0][1], before[1], atol=1e-3)
    assert not torch.allclose(found[1][1], found[0][1], atol=1e-3)
    # by hand: P' = P + U V P, N' = N + U V N
    sides = states[1, :4].mean(dim=0), states[1, 4]
    wanted, unwanted = (
        side + by[1].weight @ by[0].weight @ side
        for side, by in zip(sides, (readout.move_wanted, readout.move_unwanted), strict=True)
    )
    expected = wanted - 0.3 * wanted.norm() * unwanted / unwanted.norm()
    assert torch.allclose(found[1][1], expected, atol=1e-5)


def test_maps_are_learned_and_saved(tmp_path):
    readout = SignedPooling(8, rank=3)
    states, mask = torch.randn(3, 5, 8), torch.ones(3, 5, dtype=torch.long)
    pool(readout, *MIXED, states, mask).square().sum().backward()
    assert all(by[1].weight.grad.any() for by in (readout.move_wanted, readout.move_unwanted))
    torch.nn.init.normal_(readout.move_unwanted[1].weight)
    readout.save(str(tmp_path))
    where = {"subfolder": "", "token": None, "cache_folder": None, "revision": None, "local_files_only": True}
    again = SignedPooling.load(str(tmp_path), **where)
    assert again.rank == 3
    assert torch.equal(pool(again, *MIXED, states, mask), pool(readout, *MIXED, states, mask))


def test_weights_multiply_what_is_subtracted_for_each_token():
    readout = SignedPooling(2, penalty=0.3)
    features = {
        "token_embeddings": STATES,
        "attention_mask": MASK,
        WANTED: torch.tensor([[1.0, 0.0, 0.0, 0.0]]),
        UNWANTED: torch.tensor([[0.0, 1.0, 1.0, 0.0]]),
        WEIGHTS: torch.tensor([[1.0, 2.0, 1.0, 1.0]]),
    }
    # P = (1, 0), N = (3, 4) / 2: q = P - 0.3 * 1/2.5 * (2 * 3, 4) / 2
    assert torch.allclose(readout(features)["sentence_embedding"], torch.tensor([[1 - 0.36, -0.24]]), atol=1e-6)

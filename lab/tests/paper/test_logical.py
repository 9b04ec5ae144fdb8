from math import exp, log

import pytest
import torch

from boolattn_lab.paper.losses import MARGIN, exclusion_loss, subset_loss

DOCUMENTS = torch.tensor([[2.0, 0.0], [0.0, 3.0]])
EAST, NORTH = torch.tensor([[5.0, 0.0]]), torch.tensor([[0.0, 1.0]])
SLANT = torch.tensor([[3.0, 4.0]])  # cosines 0.6 and 0.8


def test_no_document_may_answer_the_narrow_query_better():
    expected = (0.0 + log((1 + 0.8) / 2) - log((1 + 0.0) / 2)) / 2  # the second document, for the slanted query
    assert subset_loss(SLANT, EAST, DOCUMENTS).item() == pytest.approx(expected, rel=1e-5)
    other_way = (log((1 + 1.0) / 2) - log((1 + 0.6) / 2) + 0.0) / 2
    assert subset_loss(EAST, SLANT, DOCUMENTS).item() == pytest.approx(other_way, rel=1e-5)
    assert subset_loss(EAST, EAST, DOCUMENTS).item() == 0


def test_a_query_and_what_it_excludes_must_be_far_apart():
    assert exclusion_loss(EAST, EAST, DOCUMENTS).item() == pytest.approx(MARGIN)
    p, q = exp(1.0) / (exp(1.0) + 1), exp(0.6) / (exp(0.6) + exp(0.8))
    apart = p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))
    apart = (apart + q * log(q / p) + (1 - q) * log((1 - q) / (1 - p))) / 2
    assert apart < MARGIN
    assert exclusion_loss(EAST, SLANT, DOCUMENTS).item() == pytest.approx(MARGIN - apart, rel=1e-4)
    assert exclusion_loss(EAST, NORTH, DOCUMENTS).item() == 0


def test_losses_are_means_over_pairs():
    both = torch.cat([SLANT, EAST]), torch.cat([EAST, EAST])
    assert subset_loss(*both, DOCUMENTS).item() == pytest.approx(subset_loss(SLANT, EAST, DOCUMENTS).item() / 2)

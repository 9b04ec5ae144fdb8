import torch

from boolattn_lab.reader.network import ReaderNetwork, reader_loss


def _labels(kinds, length=2):
    zeros = torch.zeros
    return {
        "kinds": torch.tensor([kinds], dtype=torch.float),
        "operators": zeros(1, 2), "operators_known": zeros(1, 2),
        "token_kinds": torch.ones(1, length, 3), "token_known": zeros(1, length),
        "cues": zeros(1, length, 3), "cues_known": zeros(1, length, 3),
        "scopes": zeros(1, length, 2), "scopes_known": zeros(1, length, 2),
    }  # fmt: skip


def _loss(kinds, logits):
    return reader_loss(torch.tensor([[*logits, 0.0, 0.0]]), torch.zeros(1, 2, 8), _labels(kinds)).item()


def test_a_label_with_two_possible_kinds_accepts_either():
    assert _loss([1, 0, 1], [20.0, 0.0, 0.0]) < 1e-6
    assert _loss([1, 0, 1], [0.0, 0.0, 20.0]) < 1e-6
    assert _loss([1, 0, 1], [0.0, 20.0, 0.0]) > 10


def test_unknown_labels_have_no_gradient():
    of_query, of_tokens = torch.randn(1, 5, requires_grad=True), torch.randn(1, 2, 8, requires_grad=True)
    reader_loss(of_query, of_tokens, _labels([0, 1, 0])).backward()
    assert of_query.grad[0, :3].abs().min() > 0
    assert not of_query.grad[0, 3:].any() and not of_tokens.grad.any()


def test_padding_changes_nothing(start):
    network = ReaderNetwork.begin(start, layers=2).eval()
    ids = torch.randint(5, 1000, (1, 6))
    with torch.inference_mode():
        alone = network(ids, torch.zeros_like(ids), torch.ones_like(ids))
        padded = network(*(torch.nn.functional.pad(each, (0, 4)) for each in (ids, ids * 0, ids * 0 + 1)))
    torch.testing.assert_close(padded[0], alone[0])
    torch.testing.assert_close(padded[1][:, :6], alone[1])

import pytest
import torch

from boolattn.encoders.plugin import halved
from boolattn.encoders.reader import HINTLESS, K, QueryReader
from boolattn.operators import OPERATORS
from tests.encoders.tiny import FAMILIES, batch, tiny

BERTS = ["bert", "roberta", "xlm-roberta", "electra"]  # whose layers are of one form


def _attention(family):
    return "eager" if family == "mpnet" else "sdpa"


def _hints(queries=3, length=9):
    return (torch.rand(queries, length, 3 * K) > 0.5).float()


def _given(encoder, layers=2, **inputs):
    inputs = inputs or batch()
    with torch.no_grad():
        states = encoder(**inputs, output_hidden_states=True).hidden_states
    return (states[-1 - layers], states[-1]), inputs["attention_mask"]


def _states_read(reader, *given):
    found = []
    handle = reader.layers[-1].register_forward_hook(lambda _module, _inputs, states: found.append(states))
    reader(*given)
    handle.remove()
    return found[0]


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("family", BERTS)
@torch.no_grad()
def test_starts_as_the_last_layers_of_a_bert_whatever_the_hints(family, layers):
    encoder = tiny(family)
    states, mask = _given(encoder, layers)
    reader = QueryReader.beginning_as(encoder, layers).eval()
    real = mask.bool()
    assert torch.allclose(_states_read(reader, states, mask, _hints())[real], states[-1][real], atol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
@torch.no_grad()
def test_reads_any_family(family):
    encoder = tiny(family, _attention(family))
    logits = QueryReader.beginning_as(encoder, 2).eval()(*_given(encoder), _hints())
    assert [each.shape for each in logits] == [(3, K), (3, 9, K), (3, 9, K)]
    assert all(each.isfinite().all() for each in logits)


@torch.no_grad()
def test_hints_start_without_effect_and_can_have_one():
    encoder = tiny("bert")
    given = _given(encoder)
    reader = QueryReader.beginning_as(encoder, 2).eval()
    without, with_hints = reader(*given, torch.zeros(3, 9, 3 * K)), reader(*given, _hints())
    assert all(torch.equal(*pair) for pair in zip(without, with_hints, strict=True))
    torch.nn.init.normal_(reader.hints.weight)
    changed = reader(*given, _hints())
    assert not any(torch.allclose(*pair, atol=1e-2) for pair in zip(without, changed, strict=True))


@torch.no_grad()
def test_padding_changes_nothing():
    encoder = tiny("bert")
    whole = batch(3, 9)
    short = {name: value[2:, :7] for name, value in whole.items()}  # the third query has seven tokens
    reader = QueryReader.beginning_as(encoder, 2).eval()
    torch.nn.init.normal_(reader.hints.weight)
    hints = _hints()
    states, mask = _given(encoder, **whole)
    padded = reader([each.masked_fill(mask[..., None] == 0, 7.0) for each in states], mask, hints)
    alone = reader(*_given(encoder, **short), hints[2:, :7])
    assert torch.allclose(padded.gates[2], alone.gates[0], atol=1e-5)
    assert torch.allclose(padded.cues[2, :7], alone.cues[0], atol=1e-5)
    assert torch.allclose(padded.scopes[2, :7], alone.scopes[0], atol=1e-5)


@torch.no_grad()
def test_is_sure_of_itself_outside_training_alone():
    encoder = tiny("bert")
    given = (*_given(encoder), _hints())
    reader = QueryReader.beginning_as(encoder, 2)
    once, again = (reader.eval()(*given) for _ in range(2))
    assert all(torch.equal(*pair) for pair in zip(once, again, strict=True))
    once, again = (reader.train()(*given) for _ in range(2))
    assert not torch.allclose(once.gates, again.gates, atol=1e-3)


@torch.no_grad()
def test_learns_from_some_queries_without_their_hints():
    reader = QueryReader(32, 4, 64, layers=1).train()
    seen = []
    reader.hints.register_forward_hook(lambda _module, inputs, _output: seen.append(inputs[0].amax(dim=(1, 2))))
    states, mask = [torch.randn(2000, 2, 32)] * 2, torch.ones(2000, 2)
    reader(states, mask, torch.ones(2000, 2, 3 * K))
    assert set(seen[0].tolist()) == {0.0, 1.0}  # all hints of a query, or none
    assert (1 - seen[0].mean()).item() == pytest.approx(HINTLESS, abs=0.04)


def test_learns_what_eight_queries_say():
    encoder = tiny("bert")
    states, mask = _given(encoder, **batch(8, 9))
    reader = QueryReader.beginning_as(encoder, 2)
    gold = [(torch.rand(shape) > 0.5).float() for shape in ((8, K), (8, 9, K), (8, 9, K))]
    real = mask.bool()

    def loss():
        gates, cues, scopes = reader(states, mask, torch.zeros(8, 9, 3 * K))
        pairs = ((gates, gold[0]), (cues[real], gold[1][real]), (scopes[real], gold[2][real]))
        return sum(torch.nn.functional.binary_cross_entropy_with_logits(*pair) for pair in pairs)

    optimizer = torch.optim.AdamW(reader.parameters(), lr=3e-3)
    before = loss().item()
    for _ in range(60):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
    learning = {name for name, weight in reader.named_parameters() if weight.grad is not None and weight.grad.any()}
    assert {name for name, _ in reader.named_parameters()} - learning == {"hints.weight"}  # nobody gave a hint
    reader.eval()
    assert loss().item() < 0.6 * before


def test_weights_are_saved_small_only_where_that_changes_none():
    reader = QueryReader(32, 4, 64, layers=1)
    saved = halved(reader.state_dict())
    assert saved["hints.weight"].dtype == torch.float16  # zeros
    assert saved["of_query.weight"].dtype == torch.float32
    again = QueryReader(32, 4, 64, layers=1)
    again.load_state_dict(saved)
    assert all(torch.equal(weight, again.state_dict()[name]) for name, weight in reader.state_dict().items())
    rounded = {name: weight.half().float() for name, weight in reader.state_dict().items()}
    again.load_state_dict(rounded)
    assert {weight.dtype for weight in halved(again.state_dict()).values()} == {torch.float16}


def test_reads_all_operators():
    assert len(OPERATORS) == K


@torch.no_grad()
def test_without_layers_it_reads_what_the_backbone_returns():
    (_, last), mask = _given(tiny("bert"))
    reader = QueryReader(32, 4, 64, layers=0).eval()
    assert torch.equal(
        reader((torch.zeros_like(last), last), mask, _hints()).cues, reader((last, last), mask, _hints()).cues
    )


def test_more_layers_than_the_backbone_has_are_refused():
    with pytest.raises(ValueError, match=r"reader of 4 layers.* has only 3"):
        QueryReader.beginning_as(tiny("bert"), 4)

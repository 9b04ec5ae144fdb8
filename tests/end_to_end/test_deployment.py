"""torch.compile and ONNX, on the real MiniLM."""

import onnxruntime
import pytest
import torch
from torch import nn

from boolattn import BoolAttnConfig, attach
from tests.backbones.tiny import FAMILIES, batch, tiny


@pytest.fixture(autouse=True)
def _nothing_compiled_before():
    torch.compiler.reset()  # torch limits how many models of one class a process compiles


QUERIES = ["movies set in Vietnam but not about war", "comedies and musicals", "novels or plays"]


def tokens(tokenizer, texts=QUERIES):
    encoded = tokenizer(texts, padding=True, return_tensors="pt")
    return encoded["input_ids"], encoded["attention_mask"]


@pytest.mark.long
@pytest.mark.parametrize("config", [BoolAttnConfig(), BoolAttnConfig.light(gate="learned")], ids=["paper", "light"])
@torch.no_grad()
def test_minilm_compiles_as_one_graph_and_agrees(minilm_folder, minilm_tokenizer, config):
    from transformers import AutoModel

    model = attach(AutoModel.from_pretrained(minilm_folder).eval(), config)
    ids, mask = tokens(minilm_tokenizer)
    given = {} if config.gate == "learned" else {"operators": torch.eye(3)}
    plain = model(ids, mask, **given).last_hidden_state
    compiled = torch.compile(model, fullgraph=True)(ids, mask, **given).last_hidden_state
    torch.testing.assert_close(compiled[mask.bool()], plain[mask.bool()], atol=1e-4, rtol=0)


@pytest.mark.parametrize("family", FAMILIES)
@torch.no_grad()
def test_every_family_is_one_graph(family):
    model = attach(tiny(family, "eager" if family == "mpnet" else "sdpa"))
    plain = model(**batch(), operators=torch.ones(3, 3)).last_hidden_state
    one_graph = torch.compile(model, fullgraph=True, backend="eager")
    real = batch()["attention_mask"].bool()
    graph = one_graph(**batch(), operators=torch.ones(3, 3)).last_hidden_state
    torch.testing.assert_close(graph[real], plain[real], atol=1e-5, rtol=0)


class QueryTower(nn.Module):
    """What a server would export: token ids, mask and gates in, one vector per query out."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, operators):
        states = self.model(input_ids, attention_mask, operators=operators).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(states)
        return nn.functional.normalize((states * mask).sum(1) / mask.sum(1))


@pytest.mark.long
@torch.no_grad()
def test_minilm_runs_in_onnxruntime_and_agrees(minilm_folder, minilm_tokenizer, tmp_path):
    from transformers import AutoModel

    tower = QueryTower(attach(AutoModel.from_pretrained(minilm_folder).eval())).eval()
    ids, mask = tokens(minilm_tokenizer)
    queries, length = torch.export.Dim("queries", min=1), torch.export.Dim("length", min=2, max=512)
    torch.onnx.export(
        tower,
        (ids, mask, torch.eye(3)),
        tmp_path / "tower.onnx",
        dynamo=True,
        input_names=["input_ids", "attention_mask", "operators"],
        dynamic_shapes={
            "input_ids": {0: queries, 1: length},
            "attention_mask": {0: queries, 1: length},
            "operators": {0: queries},
        },
    )
    session = onnxruntime.InferenceSession(tmp_path / "tower.onnx")
    longer = ["films about the sea that are not documentaries, and that were shot in Portugal", "war"]
    for texts, gates in ((QUERIES, torch.eye(3)), (longer, torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))):
        ids, mask = tokens(minilm_tokenizer, texts)
        feed = {"input_ids": ids.numpy(), "attention_mask": mask.numpy(), "operators": gates.numpy()}
        onnx = torch.from_numpy(session.run(None, feed)[0])
        torch.testing.assert_close(onnx, tower(ids, mask, gates), atol=1e-4, rtol=0)
    bare = tower(ids, mask, torch.zeros(2, 3))
    assert (onnx[0] - bare[0]).abs().max() > 1e-3, "the gates must have gone into the graph"

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto
from torch import nn

from boolattn.backbones.onnx_export import write_onnx
from boolattn.reading.learned import MODEL_FILE, READERS


class Sums(nn.Module):
    """The largest products that 8-bit integers have: each sum would saturate in 16 bits."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.sum = nn.Embedding(2, 256), nn.Linear(256, 2, bias=False)
        nn.init.ones_(self.embedding.weight)
        with torch.no_grad():
            self.sum.weight.copy_(torch.tensor([[1.0], [-1.0]]).expand(2, 256))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.sum(self.embedding(ids))


def signed_matrices(path):
    graph = onnx.load(path).graph
    types = {each.name: each.data_type for each in graph.initializer}
    multiplied = [types[node.input[1]] for node in graph.node if node.op_type == "MatMulInteger"]
    assert multiplied
    return multiplied.count(TensorProto.INT8)


def test_large_sums_do_not_saturate(tmp_path, caplog):
    write_onnx(Sums(), tmp_path / "sums.onnx", ["ids"], ["sums"], 16, "int8")
    assert not [each for each in caplog.records if each.name == "root"]  # no advice that a user cannot follow
    [found] = onnxruntime.InferenceSession(tmp_path / "sums.onnx").run(None, {"ids": np.ones((1, 3), np.int64)})
    assert np.allclose(found, [[[256, -256]] * 3], rtol=0.01)
    assert signed_matrices(tmp_path / "sums.onnx") == 0, "this CPU may be one that does not saturate"


def test_files_do_not_name_the_machine_that_made_them(tmp_path):
    write_onnx(Sums(), tmp_path / "sums.onnx", ["ids"], ["sums"], 16, "fp32")
    for path in (tmp_path / "sums.onnx", READERS / "english" / MODEL_FILE):
        content = path.read_bytes()
        assert b'File "' not in content and b"stack_trace" not in content, path


def test_the_shipped_reader_reads_alike_on_every_cpu():
    assert signed_matrices(READERS / "english" / MODEL_FILE) == 0

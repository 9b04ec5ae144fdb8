"""Write networks as ONNX, in full precision or with 8 bits per weight."""

import logging
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import torch
from torch import nn

Precision = Literal["fp32", "int8"]
MOST_TEXTS = 4096  # per call


def write_onnx(
    network: nn.Module, path: Path, inputs: Sequence[str], outputs: Sequence[str], tokens: int, precision: Precision
) -> None:
    """Write a network whose inputs are all of the shape (B, L), for up to so many tokens."""
    with tempfile.TemporaryDirectory() as scratch:
        exact = Path(scratch, path.name) if precision == "int8" else path
        _write_exact(network, exact, inputs, outputs, tokens)
        if precision == "int8":
            _quantise(exact, path)


def _write_exact(network: nn.Module, path: Path, inputs: Sequence[str], outputs: Sequence[str], tokens: int) -> None:
    import onnx

    example = tuple(torch.ones(2, 12, dtype=torch.long) for _ in inputs)
    texts, length = torch.export.Dim("B", min=1, max=MOST_TEXTS), torch.export.Dim("L", min=2, max=tokens)
    shapes: Any = ({0: texts, 1: length},) * len(inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter's warnings about axis names
        program = torch.onnx.export(
            network.eval(),
            example,
            dynamo=True,
            verbose=False,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_shapes=shapes,
        )
    assert program is not None
    program.save(str(path))
    model = onnx.load(path)
    del model.graph.value_info[:]  # outdated shapes that break quantisation
    for noted in (model.graph, *model.graph.node):
        del noted.metadata_props[:]  # stack traces, with the paths of the machine that exported it
    onnx.save(model, path)


def _quantise(exact: Path, path: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    root = logging.getLogger()
    root.addFilter(_no_advice)
    try:
        quantize_dynamic(
            exact,
            path,
            # Signed weights would saturate in the 16-bit sums of x86 CPUs without VNNI, so vectors would depend on the
            # CPU.
            weight_type=QuantType.QUInt8,
            per_channel=True,  # a single scale would change one reading in 200
            op_types_to_quantize=["MatMul", "Gemm", "Gather"],
            extra_options={"MatMulConstBOnly": True},
        )
    finally:
        root.removeFilter(_no_advice)


def _no_advice(record: logging.LogRecord) -> bool:
    """Drop advice to prepare a model for quantisation, which a user of ``boolattn export`` cannot follow."""
    return "pre-processing before quantization" not in record.getMessage()

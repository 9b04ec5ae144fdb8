"""Write networks as ONNX, which run without torch: any network, and a model for ``ExportedEncoder``."""

import json
import logging
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer
from torch import Tensor, nn

from boolattn.backbones.document_encoder import similarity_of
from boolattn.query_vectors.exported_encoder import CARD_FILE, MODEL_FILE, TOKENIZER_FILE, EncoderCard
from boolattn.reading.model_files import file_digests

INPUTS = ("input_ids", "attention_mask", "token_type_ids")  # of which not all models have the last
Precision = Literal["fp32", "int8"]
MOST_TEXTS = 4096  # per call


class ExportError(ValueError):
    """A model that cannot be exported."""


def export_encoder(model: SentenceTransformer, folder: Path, precision: Precision = "fp32", name: str = "") -> None:
    """Write a plain model as ONNX, with its tokenizer and settings.

    Args:
        model: A plain model: one transformer, then pooling and, for example, normalisation.
        folder: The output folder.
        precision: "int8" stores 8 bits per weight; vectors then differ from the model's by about one degree.
        name: The model's name, for the record.
    """
    transformer, *others = model.children()
    if not isinstance(transformer, Transformer) or not transformer.tokenizer.is_fast:
        raise ExportError("only plain models with a transformer and a fast tokenizer can be exported, not Boolean ones")
    folder.mkdir(parents=True, exist_ok=True)
    inputs = [each for each in INPUTS if each in transformer.tokenizer.model_input_names]
    tokens = int(min(model.max_seq_length or 512, transformer.tokenizer.model_max_length))
    write_onnx(_Graph(transformer, others), folder / MODEL_FILE, inputs, ["vectors"], tokens, precision)
    transformer.tokenizer.backend_tokenizer.save(str(folder / TOKENIZER_FILE))
    card = EncoderCard(
        model=name,
        precision=precision,
        tokens=tokens,
        padding=transformer.tokenizer.pad_token_id or 0,
        inputs=inputs,
        similarity=similarity_of(model, name),
        prompts={role: model.prompts.get(role) or "" for role in ("query", "document")},
        sha256=file_digests(folder, (MODEL_FILE, TOKENIZER_FILE)),
    )
    card = msgspec.structs.replace(card, checksum=card.digest())
    (folder / CARD_FILE).write_text(json.dumps(msgspec.to_builtins(card), indent=2) + "\n", encoding="utf-8")


class _Graph(nn.Module):
    """Token IDs -> vectors, (B, L) -> (B, D)."""

    def __init__(self, transformer: Transformer, others: list[Any]) -> None:
        super().__init__()
        self.encoder, self.others = transformer.auto_model, nn.ModuleList(others)

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> Tensor:
        given = {"token_type_ids": types} if types is not None else {}
        states = self.encoder(input_ids=ids, attention_mask=mask, **given).last_hidden_state
        features = {"token_embeddings": states, "attention_mask": mask}
        for module in self.others:
            features = module(features)
        found: Tensor = features["sentence_embedding"]
        return found


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

"""Export a sentence-transformers model to the folder that ``ExportedEncoder`` loads."""

import json
from pathlib import Path
from typing import Any

import msgspec
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer
from torch import Tensor, nn

from boolattn.encoders.document_encoder import similarity_of
from boolattn.encoders.exported.exported_encoder import CARD_FILE, MODEL_FILE, TOKENIZER_FILE, EncoderCard
from boolattn.encoders.exported.onnx_files import Precision, write_onnx
from boolattn.reading.damage import file_digests

INPUTS = ("input_ids", "attention_mask", "token_type_ids")  # of which not all models have the last


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

"""A trained network -> the folder that ``LearnedReader`` loads: ONNX, eight bits a weight."""

import dataclasses
import json
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from tokenizers import Tokenizer

from boolattn.reading.learned import (
    CARD_FILE,
    MODEL_FILE,
    TOKENIZER_FILE,
    LearnedReader,
    ReaderCard,
    checksums,
)
from boolattn.reading.reader_tokens import MOST_TOKENS, token_batch
from boolattn.training.reader.network import ReaderNetwork

MOST_QUERIES = 4096  # in one call


class Agreement(NamedTuple):
    """How often eight bits decide as full precision does."""

    queries: int
    kinds: float  # share of queries whose most likely kind is the same
    tokens: float  # share of tokens that are excluded by both or by neither


def export_reader(network: ReaderNetwork, tokenizer: Tokenizer, card: ReaderCard, folder: Path) -> None:
    """Write a reader's folder; the card's checksums are filled in."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        exact = Path(scratch, MODEL_FILE)
        write_onnx(network, exact)
        _quantise(exact, folder / MODEL_FILE)
    tokenizer.save(str(folder / TOKENIZER_FILE))
    write_card(dataclasses.replace(card, sha256=checksums(folder)), folder)


def agreement(network: ReaderNetwork, reader: LearnedReader, tokenizer: Tokenizer, queries: Sequence[str]) -> Agreement:
    """Compare what is exported with the network, query by query."""
    kinds = tokens = of_tokens = 0
    for query in queries:
        batch = token_batch(tokenizer, [query])
        found_query, found_tokens = reader.logits(batch)
        with torch.inference_mode():
            exact_query, exact_tokens = (each.numpy() for each in network(*map(torch.from_numpy, batch[:3])))
        kinds += int(found_query[0, :3].argmax() == exact_query[0, :3].argmax())
        tokens += int(((found_tokens[0, :, :3].argmax(-1) > 0) == (exact_tokens[0, :, :3].argmax(-1) > 0)).sum())
        of_tokens += found_tokens.shape[1]
    return Agreement(len(queries), kinds / len(queries), tokens / of_tokens)


def write_card(card: ReaderCard, folder: Path) -> None:
    """Write what is known of a reader."""
    text = json.dumps(dataclasses.asdict(card), indent=2, ensure_ascii=False) + "\n"
    (folder / CARD_FILE).write_text(text, encoding="utf-8")


def write_onnx(network: ReaderNetwork, path: Path) -> None:
    """Write the network in full precision."""
    import onnx

    example = tuple(torch.ones(2, 12, dtype=torch.long) for _ in range(3))
    queries, tokens = torch.export.Dim("B", min=1, max=MOST_QUERIES), torch.export.Dim("L", min=2, max=MOST_TOKENS)
    shapes: Any = ({0: queries, 1: tokens},) * 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter's remarks on names of axes
        program = torch.onnx.export(
            network.eval(),
            example,
            dynamo=True,
            verbose=False,
            input_names=["ids", "types", "mask"],
            output_names=["of_query", "of_tokens"],
            dynamic_shapes=shapes,
        )
    assert program is not None
    program.save(str(path))
    model = onnx.load(path)
    del model.graph.value_info[:]  # shapes from before the exporter's own rewriting, which quantisation stumbles over
    onnx.save(model, path)


def _quantise(exact: Path, path: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        exact,
        path,
        weight_type=QuantType.QInt8,
        per_channel=True,  # one scale for all changes one reading in two hundred
        op_types_to_quantize=["MatMul", "Gemm", "Gather"],
        extra_options={"MatMulConstBOnly": True},
    )

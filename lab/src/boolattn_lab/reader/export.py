"""Export a trained network to the folder that ``LearnedReader`` loads: ONNX, 8 bits per weight."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from tokenizers import Tokenizer

from boolattn.backbones.onnx_export import write_onnx
from boolattn.reading.learned import (
    CARD_FILE,
    FILES,
    MODEL_FILE,
    MOST_TOKENS,
    TOKENIZER_FILE,
    LearnedReader,
    ReaderCard,
    token_batch,
)
from boolattn.reading.model_files import file_digests
from boolattn_lab.reader.network import ReaderNetwork


class Agreement(NamedTuple):
    """How often 8-bit and full precision agree."""

    queries: int
    kinds: float  # share of queries whose most likely kind is the same
    tokens: float  # share of tokens excluded by both or by neither


def export_reader(network: ReaderNetwork, tokenizer: Tokenizer, card: ReaderCard, folder: Path) -> None:
    """Write a reader's folder, and fill in the card's checksums."""
    folder.mkdir(parents=True, exist_ok=True)
    write_onnx(network, folder / MODEL_FILE, ["ids", "types", "mask"], ["of_query", "of_tokens"], MOST_TOKENS, "int8")
    tokenizer.save(str(folder / TOKENIZER_FILE))
    write_card(dataclasses.replace(card, sha256=file_digests(folder, FILES)), folder)


def agreement(network: ReaderNetwork, reader: LearnedReader, tokenizer: Tokenizer, queries: Sequence[str]) -> Agreement:
    """Compare the exported reader with the network, query by query."""
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
    """Write a reader's card."""
    card = dataclasses.replace(card, checksum=card.digest())
    text = json.dumps(dataclasses.asdict(card), indent=2, ensure_ascii=False) + "\n"
    (folder / CARD_FILE).write_text(text, encoding="utf-8")

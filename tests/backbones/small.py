"""A small random BERT with a real tokenizer."""

from pathlib import Path

import torch
from transformers import AutoTokenizer, BertConfig, BertModel


def backbone(folder: Path, tokenizer_folder: Path) -> str:
    """Write a BERT of two small layers, random but large enough that attention matters, and return its folder."""
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_folder)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=128, initializer_range=0.2,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)

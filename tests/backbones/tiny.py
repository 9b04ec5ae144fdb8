"""Small random encoders, large enough weights that attention matters."""

import torch
from transformers import (
    AutoModel,
    BertConfig,
    DistilBertConfig,
    ElectraConfig,
    ModernBertConfig,
    MPNetConfig,
    PreTrainedModel,
    RobertaConfig,
    XLMRobertaConfig,
)

SIZES = {
    "vocab_size": 100,
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 600,
    "initializer_range": 0.3,
}
TOKENS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2}

FAMILIES = {
    "bert": lambda: BertConfig(**SIZES),
    "roberta": lambda: RobertaConfig(**SIZES, **TOKENS),
    "xlm-roberta": lambda: XLMRobertaConfig(**SIZES, **TOKENS),
    "electra": lambda: ElectraConfig(**SIZES, embedding_size=16),  # smaller embeddings, projected before layer 0
    "distilbert": lambda: DistilBertConfig(
        vocab_size=100, dim=32, n_layers=3, n_heads=4, hidden_dim=64, max_position_embeddings=600, initializer_range=0.3
    ),
    "modernbert": lambda: ModernBertConfig(**SIZES, **TOKENS, local_attention=8, global_attn_every_n_layers=2),
    "mpnet": lambda: MPNetConfig(**SIZES, **TOKENS),
}

# Every family in both attention implementations; MPNet has only its own, eager one.
KINDS = [
    (family, attention)
    for family in FAMILIES
    for attention in ("eager", "sdpa")
    if (family, attention) != ("mpnet", "sdpa")
]


def tiny(family: str, attention: str = "sdpa") -> PreTrainedModel:
    """Build a small random encoder, the same one every time."""
    torch.manual_seed(1)
    return AutoModel.from_config(FAMILIES[family](), attn_implementation=attention).eval()


def batch(queries: int = 3, length: int = 9) -> dict[str, torch.Tensor]:
    """Return random token ids; each query is one token shorter than the one before it, so that there is padding."""
    generator = torch.Generator().manual_seed(2)
    ids = torch.randint(5, 100, (queries, length), generator=generator)
    mask = torch.ones_like(ids)
    for row in range(queries):
        mask[row, length - row :] = 0
    return {"input_ids": ids * mask, "attention_mask": mask}

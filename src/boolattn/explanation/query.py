"""A model and a query -> an explanation."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import torch

from boolattn.encoders.dual_encoder import DualEncoder
from boolattn.encoders.vectors.signed_pooling import UNWANTED, SignedPooling
from boolattn.explanation.explained_query import Array
from boolattn.explanation.explanation import Explanation
from boolattn.explanation.tracing import explain_tokens
from boolattn.reading.readers import ReaderOrName
from boolattn.reading.reading import Documents, Strictness


def explain(
    model: DualEncoder,
    query: str,
    operators: Collection[str] | None = None,
    *,
    exclude: Sequence[str] | None = None,
    reader: ReaderOrName | None = None,
    documents: Documents | None = None,
    strictness: Strictness | None = None,
    syntax: bool | None = None,
    act: bool | None = None,
) -> Explanation:
    """Return what a model understands of a query, and what that does to its attention and to the query's vector.

    Args:
        model: A Boolean model; it is put into evaluation mode.
        query: The query.
        operators: The operators it holds, as in ``encode_query``; None lets the model find out.
        exclude: The words that it excludes, as its caller knows them; None lets the reader find out.
        reader: This and the following options: see ``ReadingOptions``; None is as in ``model.options``.
        documents: What the index holds, ``"things"`` or ``"pages"``.
        strictness: How sure the learned reader must be.
        syntax: Whether the query is written in the explicit syntax.
        act: Whether exclusions are acted on.

    Example:
        >>> explain(DualEncoder.training_free(folder), "films that are not about war")  # doctest: +SKIP
    """
    model.eval()
    tower, prompt = model.tower, model.prompts.get("query") or ""
    understood = model.understand(
        query, operators, exclude, reader=reader, documents=documents, strictness=strictness, syntax=syntax, act=act
    )
    features = model.preprocess([understood.asked], prompt=prompt, task="query")
    encoding = tower.tokenizer(prompt + query, truncation=True, max_length=tower.max_seq_length, return_tensors="pt")
    return explain_tokens(
        tower.encoder,
        query,
        encoding.to(model.device),
        source=understood.source,
        reading=understood.reading,
        plan=understood.applied.plan(),
        readout=_token_weights(model, features),
        prompt=prompt,
        **tower.encoding.overrides(tower.encoder, features),
    )


@torch.inference_mode()
def _token_weights(model: DualEncoder, features: dict[str, Any]) -> Array:
    """Return the weight of each token in the query's vector, (L,)."""
    features = model(dict(features), task="query")
    signed = isinstance(model.readout, SignedPooling) and UNWANTED in features and bool(features[UNWANTED].any())
    wanted = (model.readout.counted(features) if signed else features["attention_mask"])[0].double()
    weights = wanted / wanted.sum()
    if signed:
        _, away = model.readout.sides(features)
        unwanted = features[UNWANTED][0].double()
        penalty = model.readout.weight_of(torch.nn.functional.normalize(away, dim=-1))
        weights = weights - penalty.item() * unwanted / unwanted.sum()
    return np.asarray(weights.cpu().numpy(), dtype=np.float64)

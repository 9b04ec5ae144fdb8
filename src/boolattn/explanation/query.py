"""Explain how a model handles a query."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from boolattn.encoders.dual_encoder import DualEncoder
from boolattn.encoders.model_parts import as_boolean
from boolattn.encoders.retrieval_model import RetrievalModel, retrieval_model
from boolattn.encoders.understanding import Call, Understood
from boolattn.encoders.vectors.signed_pooling import UNWANTED, SignedPooling
from boolattn.explanation.explained_query import Array
from boolattn.explanation.explanation import Explanation
from boolattn.explanation.reading_only import explain_reading
from boolattn.explanation.tracing import explain_tokens
from boolattn.reading.readers import ReaderOrName
from boolattn.reading.reading import Documents, Strictness


def explain(
    model: SentenceTransformer | RetrievalModel,
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
    """Return how a model reads a query, and how this changes its attention and the query's vector.

    Args:
        model: A Boolean model, which is put into evaluation mode. For any other, such as a ``ModelWithEncoder`` or a
            plain model, the explanation shows the reading and which words are added or subtracted, without attention.
        query: The query.
        operators: The operators it contains, as in ``encode_query``; None lets the model find them.
        exclude: The words to exclude; None lets the reader find them.
        reader: For this and the following options, see ``ReadingOptions``. None uses ``model.options``.
        documents: What the index contains, ``"things"`` or ``"pages"``.
        strictness: How sure the learned reader must be.
        syntax: Whether the query uses the explicit syntax.
        act: Whether to act on exclusions.

    Examples:
        >>> explain(DualEncoder.training_free(folder), "films that are not about war")  # doctest: +SKIP
    """
    changes = {"reader": reader, "documents": documents, "strictness": strictness, "syntax": syntax, "act": act}
    boolean = as_boolean(model)
    if boolean is None:
        return explain_reading(retrieval_model(model).options.changed(**changes), query, operators, exclude)
    call = Call.of(boolean.tower.encoding, boolean.options, changes)
    return _explain_attention(boolean, query, call.understand(query, operators, exclude))


def _explain_attention(model: DualEncoder, query: str, understood: Understood) -> Explanation:
    if model.training:
        model.eval()
    tower, prompt = model.tower, model.prompts.get("query") or ""
    features = model.preprocess([understood.asked], prompt=prompt, task="query")
    # Padded and truncated as when queries are encoded: a tokenizer keeps these settings, for all threads.
    encoding = tower.tokenizer(prompt + query, padding=True, truncation="longest_first", return_tensors="pt")
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

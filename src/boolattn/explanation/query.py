"""A model and a query -> an explanation."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import torch

from boolattn.encoders.dual_encoder import DualEncoder
from boolattn.encoders.readers.labelled_query import LabelledQuery
from boolattn.encoders.readers.reading_features import CUES, GATES, SCOPES
from boolattn.encoders.readers.token_reading import TokenReading
from boolattn.encoders.vectors.signed_pooling import UNWANTED, SignedPooling
from boolattn.explanation.explained_query import Array
from boolattn.explanation.explanation import Explanation
from boolattn.explanation.tracing import explain_tokens
from boolattn.operators import NOT
from boolattn.reading.caller import caller_reading
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
    """Tell what a model understands of a query, and what that does to its attention and to the query's vector.

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
    options = model.options.changed(reader=reader, documents=documents, strictness=strictness, syntax=syntax, act=act)
    closed = operators is not None and NOT.name not in operators
    reading = caller_reading(query, []) if closed else options.read([query], exclude)[0]
    applied = options.applied(reading)
    (asked,) = model.carrying([applied])
    if tower.encoding == "mechanism" and operators is not None:
        asked = LabelledQuery.of(query, operators)
    # A mechanism reads by itself, unless its gates are given.
    by_itself = tower.encoding == "mechanism" and operators is None and (options.act or not tower.has_learned_gate)
    features = model.preprocess([query if by_itself else asked], prompt=prompt, task="query")
    given: dict[str, Any] = {}
    if GATES in features or not tower.has_learned_gate:
        given["operators"] = features.get(GATES, [[]])
    if SCOPES in features:
        found = TokenReading(features[GATES], features[CUES], features[SCOPES])
        given |= {"cues": found.cues, "scopes": found.covered(), "strength": tower.strength}
    encoding = tower.tokenizer(prompt + query, truncation=True, max_length=tower.max_seq_length, return_tensors="pt")
    return explain_tokens(
        tower.transformer.auto_model,
        query,
        encoding.to(model.device),
        source="mechanism" if tower.encoding == "mechanism" else reading.source,
        reading=reading,
        plan=applied.plan(),
        readout=_token_weights(model, features),
        prompt=prompt,
        **given,
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

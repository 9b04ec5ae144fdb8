"""A model and a query -> an explanation."""

from collections.abc import Collection
from typing import Any

import numpy as np
import torch

from boolattn.encoders.labelled_query import LabelledQuery
from boolattn.encoders.reading_features import CUES, GATES, HINTS, SCOPES, exclusions_read
from boolattn.encoders.readout import UNWANTED, SignedPooling
from boolattn.encoders.sentence import DualEncoder
from boolattn.encoders.token_reading import TokenReading
from boolattn.explain.explanation import Array, Explanation
from boolattn.explain.tracing import explain_tokens


def explain(model: DualEncoder, query: str, operators: Collection[str] | None = None) -> Explanation:
    """Tell what a model understands of a query, and what that does to its attention and to the query's vector.

    Args:
        model: A Boolean model; it is put into evaluation mode.
        query: The query.
        operators: The operators it holds, as in ``encode_query``; None lets the model find out.

    Example:
        >>> explain(DualEncoder.training_free(folder), "films that are not about war")  # doctest: +SKIP
    """
    model.eval()
    tower, prompt = model.tower, model.prompts.get("query") or ""
    encoding = tower.tokenizer(prompt + query, truncation=True, max_length=tower.max_seq_length, return_tensors="pt")
    labelled = query if operators is None else LabelledQuery.of(query, operators)
    features = model.preprocess([labelled], prompt=prompt, task="query")
    given: dict[str, Any] = {}  # the mechanism's own gate is asked where nothing is given
    if GATES in features or tower.reading != "mechanism" or not tower.has_learned_gate:
        given["operators"] = features.get(GATES, [[]])
    if SCOPES in features:
        found = TokenReading(features[GATES], features[CUES], features[SCOPES])
        if HINTS in features:
            with torch.inference_mode():
                found = exclusions_read(tower.read(features))
            given["operators"] = found.gates
        given |= {"cues": found.cues, "scopes": found.covered(), "strength": tower.strength}
    plan = model.plan(query)
    return explain_tokens(
        tower.transformer.auto_model,
        query,
        encoding.to(model.device),
        source="mechanism" if tower.reading == "mechanism" else plan.source,
        plan=plan,
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

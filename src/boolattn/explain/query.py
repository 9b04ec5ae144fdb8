"""A model and a query -> an explanation."""

from typing import Any

import numpy as np
import torch

from boolattn.encoders.readout import UNWANTED, WANTED, SignedPooling
from boolattn.encoders.sentence import DualEncoder
from boolattn.encoders.token_reading import TokenReading
from boolattn.encoders.tower import CUES, GATES, SCOPES
from boolattn.explain.explanation import Array, Explanation
from boolattn.explain.tracing import explain_tokens


def explain(model: DualEncoder, query: str) -> Explanation:
    """Tell what a model understands of a query, and what that does to its attention and to the query's vector.

    Example:
        >>> explain(DualEncoder.training_free(folder), "films that are not about war")  # doctest: +SKIP
    """
    model.eval()
    tower, prompt = model.tower, model.prompts.get("query") or ""
    text = prompt + query
    encoding = tower.tokenizer(text, truncation=True, max_length=tower.max_seq_length, return_tensors="pt")
    features = model.preprocess([query], prompt=prompt, task="query")
    given: dict[str, Any] = {}  # a learned gate is asked where nothing is given
    if GATES in features or tower.reading == "lexicon":
        given["operators"] = features.get(GATES, [[]])
    if SCOPES in features:
        found = TokenReading(features[GATES], features[CUES], features[SCOPES])
        given |= {"cues": found.cues, "scopes": found.covered(), "strength": tower.strength}
    plan = model.plan(query)
    return explain_tokens(
        tower.transformer.auto_model,
        query,
        encoding.to(model.device),
        source=plan.source,
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
    wanted = (features[WANTED] if signed else features["attention_mask"])[0].double()
    weights = wanted / wanted.sum()
    if signed:
        unwanted = features[UNWANTED][0]
        mean = (features["token_embeddings"][0] * unwanted[:, None]).sum(0) / unwanted.sum()
        penalty = model.readout.weight_of(torch.nn.functional.normalize(mean, dim=0))
        weights = weights - penalty.item() * unwanted.double() / unwanted.sum().double()
    return np.asarray(weights.cpu().numpy(), dtype=np.float64)

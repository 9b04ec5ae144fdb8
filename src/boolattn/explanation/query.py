"""Explain how a model handles a query."""

from collections.abc import Collection
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from boolattn.backbones.call_options import Call, Understood, require_one
from boolattn.backbones.dual_encoder import DualEncoder, as_boolean
from boolattn.backbones.retrieval_model import RetrievalModel, retrieval_model
from boolattn.backbones.signed_pooling import UNWANTED, WEIGHTS, SignedPooling
from boolattn.explanation.explained_query import Array
from boolattn.explanation.html import Explanation
from boolattn.explanation.tracing import explain_tokens
from boolattn.explanation.words import word_spans
from boolattn.operators import NOT
from boolattn.reading.caller import ExcludedWords, labelled_reading
from boolattn.reading.options import ReadingOptions
from boolattn.reading.readers import ReaderOrName
from boolattn.reading.reading import Documents, Strictness
from boolattn.reading.spans import token_labels


def explain_reading(
    options: ReadingOptions,
    query: str,
    operators: Collection[str] | None = None,
    exclude: ExcludedWords | None = None,
) -> Explanation:
    """Return how a query is read, and whether rewriting adds each word to its vector, subtracts it, or does not use it.

    Args:
        options: How to read the query, and which exclusions to act on.
        query: The text.
        operators: The operators it contains; None lets the reader find them.
        exclude: The words that it excludes, in it or not; None lets the reader find them.
    """
    require_one(operators, exclude)
    if operators is not None and NOT.name not in operators:
        reading = labelled_reading(query, operators, {}, {})
    else:
        reading = options.decided(options.read([query], exclude)[0])
    applied = options.applied(reading)
    spans = tuple(word_spans(query))
    cues = np.array(token_labels(spans, reading.cues[NOT.name]), dtype=np.float64)
    plan = applied.plan()
    wanted, unwanted = (
        np.array(token_labels(spans, (atom.place for atom in atoms)), dtype=bool)
        for atoms in (plan.positives, plan.negatives)
    )
    if not unwanted.any() or not wanted.any():  # the whole query is encoded
        wanted[:] = True
    by_layer = np.zeros((0, len(spans)))
    return Explanation(
        query=query,
        tokens=tuple(span.of(query) for span in spans),
        spans=spans,
        operators=(NOT.name,),
        source=reading.source,
        reading=reading,
        plan=plan,
        gates=np.array([float(bool(applied.exclusions))]),
        cues=cues[:, None],
        scopes=by_layer[..., None],
        biases=by_layer[..., None],
        attention_before=by_layer,
        attention_after=by_layer,
        readout=np.where(unwanted, -1.0, np.where(wanted, 1.0, 0.0)) / max(len(spans), 1),
    )


def explain(
    model: SentenceTransformer | RetrievalModel,
    query: str,
    operators: Collection[str] | None = None,
    *,
    exclude: ExcludedWords | None = None,
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
        exclude: The words to exclude, in the query or not; None lets the reader find them.
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
        shares = unwanted / unwanted.sum() * features.get(WEIGHTS, features[UNWANTED])[0]
        weights = weights - penalty.item() * shares[: len(weights)]  # without words that are not in the query
    return np.asarray(weights.cpu().numpy(), dtype=np.float64)

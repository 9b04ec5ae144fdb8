"""Validation after each epoch: retrieval with the validation queries."""

from random import Random
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

from boolattn.backbones.document_encoder import BATCH
from boolattn_lab.paper.examples import Question, reading_of
from boolattn_lab.paper.precision import used_precision
from boolattn_lab.paper.recipes import Precision, Recipe
from boolattn_lab.paper.sampling import as_asked
from boolattn_lab.paper.sources import TrainingData

NAME = "validation"
_AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}


class Validation(InformationRetrievalEvaluator):
    """sentence-transformers' evaluator in the precision of the training, which its trainer does not use here."""

    def __init__(self, precision: Precision, *args: Any, **kwargs: Any) -> None:
        """Take a recipe's precision, and the evaluator's own arguments."""
        super().__init__(*args, **kwargs)
        self._dtype = _AUTOCAST.get(used_precision(precision))

    def __call__(self, model: SentenceTransformer, *args: Any, **kwargs: Any) -> dict[str, float]:  # type: ignore[override]
        """Evaluate a model."""
        with torch.autocast(model.device.type, dtype=self._dtype, enabled=self._dtype is not None):
            return super().__call__(model, *args, **kwargs)


def validation_of(recipe: Recipe, data: TrainingData) -> Validation:
    """Return the evaluator of the validation queries.

    They carry their operators as in training, and their gold scopes only if the recipe gives them: otherwise the model,
    or its reader, finds the scopes, as in a search.
    """
    assert data.documents is not None, "examples that bring their own texts have no corpus to look in"
    settings = recipe.training

    def asked(question: Question) -> str:
        reading = reading_of(question) if settings.scopes == "given" else None
        return as_asked(question.text, question.operators, settings.gates, reading)

    answers = {str(n): set(example.positives) for n, example in enumerate(data.validation)}
    queries: dict[str, Any] = {str(n): asked(example.question) for n, example in enumerate(data.validation)}
    corpus: dict[str, Any] = validation_documents(recipe, data.documents, set().union(*answers.values()))
    return Validation(
        recipe.training.precision,
        queries,
        corpus,
        answers,
        precision_recall_at_k=[20, 100],
        batch_size=BATCH,
        name=NAME,
        write_csv=False,
    )


def validation_documents(recipe: Recipe, documents: dict[str, str], answers: set[str]) -> dict[str, str]:
    """Return all documents or, if the recipe limits them, the answers and some random others."""
    limit = recipe.data.validation_documents
    if limit is None:
        return documents
    others = [identifier for identifier in documents if identifier not in answers]
    seed = recipe.seed if recipe.data.seed is None else recipe.data.seed
    drawn = Random(f"{seed} {NAME}").sample(others, min(limit, len(others)))
    return {identifier: documents[identifier] for identifier in sorted(answers) + drawn}

"""How good a model is after an epoch: retrieval of the validation queries."""

from random import Random
from typing import Any

from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

from boolattn.encoders.readers.labelled_query import LabelledQuery
from boolattn.training.examples import Question
from boolattn.training.recipes import Recipe
from boolattn.training.sources import TrainingData

NAME = "validation"


def validation_of(recipe: Recipe, data: TrainingData) -> InformationRetrievalEvaluator:
    """Return sentence-transformers' evaluator of the validation queries, which tell their operators if gates do."""
    assert data.documents is not None, "examples that bring their own texts have no corpus to look in"

    def asked(question: Question) -> str:
        given = recipe.training.gates == "given"
        return LabelledQuery.of(question.text, question.operators) if given else question.text

    answers = {str(n): set(example.positives) for n, example in enumerate(data.validation)}
    queries: dict[str, Any] = {str(n): asked(example.question) for n, example in enumerate(data.validation)}
    corpus: dict[str, Any] = validation_documents(recipe, data.documents, set().union(*answers.values()))
    return InformationRetrievalEvaluator(
        queries,
        corpus,
        answers,
        precision_recall_at_k=[20, 100],
        batch_size=recipe.training.batch_size,
        name=NAME,
        write_csv=False,
    )


def validation_documents(recipe: Recipe, documents: dict[str, str], answers: set[str]) -> dict[str, str]:
    """Return all documents, or, where the recipe limits them, the answers and so many others."""
    limit = recipe.data.validation_documents
    if limit is None:
        return documents
    others = [identifier for identifier in documents if identifier not in answers]
    drawn = Random(f"{recipe.seed} {NAME}").sample(others, min(limit, len(others)))
    return {identifier: documents[identifier] for identifier in sorted(answers) + drawn}

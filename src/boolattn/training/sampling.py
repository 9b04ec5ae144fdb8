"""Examples -> the rows a trainer sees, drawn anew in every epoch."""

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

from datasets import Dataset  # type: ignore[import-untyped]
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from boolattn.encoders.readers.labelled_query import LabelledQuery
from boolattn.reading.reading import Reading
from boolattn.training.examples import Example, reading_of, require_known

QUERY, POSITIVE, NEGATIVE, LABEL = "query", "positive", "negative", "label"
IMPLIED, EXCLUDED = "implied", "excluded"
QUERIES = (QUERY, IMPLIED, EXCLUDED)
_ROW = "row"


class Drawing:
    """Draws one positive and some negatives for each query whenever its row is read: a ``datasets`` transform.

    The paper re-draws the positive at every step. A query comes up once in an epoch, so what is drawn is made to
    depend on seed, epoch and row alone: whichever process reads the row, and also after an interruption, it is the
    same.
    """

    def __init__(
        self,
        examples: Sequence[Example],
        documents: Mapping[str, str] | None,
        negatives: int,
        seed: int,
        labels: Sequence[Sequence[int]] | None = None,
        gates_given: bool = False,
        related: bool = False,
        alone: bool = False,
    ) -> None:
        """Prepare to draw.

        Args:
            examples: With texts, or, where there are documents, with identifiers.
            documents: Identifier -> text; random negatives are drawn from these.
            negatives: How many for each query.
            seed: Another seed, other draws.
            labels: For each example, what ``labels.pack`` made.
            gates_given: Whether a query tells the model which operators it holds.
            related: Whether each query comes with one it implies and one it excludes; itself where there is none.
            alone: Whether queries come without any documents.
        """
        for example in () if alone else examples:
            wrong = len(example.negatives) if documents is None else len(documents) - len(example.positives)
            if not example.positives or wrong < (1 if documents is None else negatives):
                raise ValueError(f"{example.question.text!r} has too few positives, or too few negatives to draw from")
            if documents is not None:
                require_known(example, example.positives, documents)
        self.examples, self.documents, self.negatives, self.seed = examples, documents, negatives, seed
        self.labels, self.gates_given, self.related, self.alone = labels, gates_given, related, alone
        self.epoch = 0
        self._identifiers = list(documents or ())

    def dataset(self) -> Dataset:
        """Return as many rows as there are examples."""
        rows = Dataset.from_dict({_ROW: list(range(len(self.examples)))})
        rows.set_transform(self)
        return rows

    @property
    def columns(self) -> list[str]:
        """The columns of texts."""
        negatives = [f"{NEGATIVE}_{number}" for number in range(1, self.negatives + 1)]
        documents = [] if self.alone else [POSITIVE, *negatives]
        return [QUERY, *documents, *((IMPLIED, EXCLUDED) if self.related else ())]

    def __call__(self, rows: Mapping[str, Sequence[int]]) -> dict[str, list[Any]]:
        """Draw for some rows."""
        drawn: dict[str, list[Any]] = {column: [] for column in self.columns}
        for row in rows[_ROW]:
            for column, text in zip(self.columns, self._draw(row), strict=True):
                drawn[column].append(text)
        if self.labels is not None:
            drawn[LABEL] = [[row, *self.labels[row]] for row in rows[_ROW]]
        return drawn

    def _draw(self, row: int) -> list[str]:
        example, rng = self.examples[row], Random(f"{self.seed} {self.epoch} {row}")
        question = example.question
        query = self._asked(question.text, question.operators, reading_of(question))
        texts = [query, *(() if self.alone else self._documents(example, rng))]
        if self.related:
            for others in (question.implied, question.excluded):
                texts.append(self._asked(rng.choice(others), ()) if others else query)
        return texts

    def _documents(self, example: Example, rng: Random) -> list[str]:
        positive = rng.choice(example.positives)
        if self.documents is None:
            return [positive, *rng.choices(example.negatives, k=self.negatives)]
        return [self.documents[positive], *self._random_documents(rng, set(example.positives))]

    def _asked(self, text: str, operators: Collection[str], reading: Reading | None = None) -> str:
        return LabelledQuery.of(text, operators, reading) if self.gates_given else text

    def _random_documents(self, rng: Random, answers: set[str]) -> list[str]:
        assert self.documents is not None
        chosen: dict[str, str] = {}
        while len(chosen) < self.negatives:
            identifier = rng.choice(self._identifiers)
            if identifier not in answers:
                chosen[identifier] = self.documents[identifier]
        return list(chosen.values())


class DrawAnew(TrainerCallback):
    """Tells a drawing which epoch it is."""

    def __init__(self, drawing: Drawing) -> None:
        """Tell this one."""
        self.drawing = drawing

    def on_epoch_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Note the epoch; after an interruption it may have begun long ago."""
        self.drawing.epoch = int((state.epoch or 0.0) + 1e-6)

"""Convert examples to training rows, redrawn in every epoch."""

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

from datasets import Dataset
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from boolattn.backbones.labelled_query import LabelledQuery
from boolattn.reading.reading import Reading
from boolattn_lab.benchmarks.bm25 import rank_by_bm25
from boolattn_lab.benchmarks.operator_words import with_operator_words
from boolattn_lab.paper.examples import Example, reading_of, require_known
from boolattn_lab.paper.recipes import Gates, Settings

QUERY, POSITIVE, NEGATIVE, LABEL = "query", "positive", "negative", "label"
IMPLIED, EXCLUDED = "implied", "excluded"
QUERIES = (QUERY, IMPLIED, EXCLUDED)
HARD_NEGATIVES = 100  # of each query, from which negatives are drawn
_ROW = "row"


class Drawing:
    """Draws one positive and some negatives for each query whenever its row is read: a ``datasets`` transform.

    The paper redraws the positive at every step. Here a draw depends only on seed, epoch and row, because a query
    occurs once per epoch: every process, and a resumed run, draws the same. A fixed positive ignores the epoch.
    """

    def __init__(
        self,
        examples: Sequence[Example],
        documents: Mapping[str, str] | None,
        settings: Settings,
        seed: int,
        labels: Sequence[Sequence[int]] | None = None,
        related: bool = False,
        alone: bool = False,
    ) -> None:
        """Prepare to draw.

        Args:
            examples: Examples with texts or, if there are ``documents``, with document IDs.
            documents: ID -> text, from which random negatives are drawn.
            settings: The number of negatives, how to choose positives and negatives, and which labels queries carry.
            seed: Seed of the draws.
            labels: For each example, the output of ``labels.pack``.
            related: Whether to add a query that each query implies and one that it excludes, or the query itself if
                there is none.
            alone: Whether rows contain only the query, without documents.
        """
        for example in () if alone else examples:
            wrong = len(example.negatives) if documents is None else len(documents) - len(example.positives)
            if not example.positives or wrong < (1 if documents is None else settings.negatives):
                raise ValueError(f"{example.question.text!r} has too few positives, or too few negatives to draw from")
            if documents is not None:
                require_known(example, example.positives, documents)
        if settings.negatives_from == "bm25" and documents is None:
            raise ValueError("[training] negatives_from = 'bm25' needs a source with documents: use 'random'")
        self.examples, self.documents, self.settings, self.seed = examples, documents, settings, seed
        self.labels, self.related, self.alone = labels, related, alone
        self.epoch = 0
        self._identifiers = list(documents or ())
        ranks = settings.negatives_from == "bm25" and documents is not None and not alone
        self._hard = bm25_negatives(examples, documents or {}) if ranks else [()] * len(examples)

    def dataset(self) -> Dataset:
        """Return one row per example."""
        rows = Dataset.from_dict({_ROW: list(range(len(self.examples)))})
        rows.set_transform(self)
        return rows

    @property
    def columns(self) -> list[str]:
        """The text columns."""
        negatives = [f"{NEGATIVE}_{number}" for number in range(1, self.settings.negatives + 1)]
        documents = [] if self.alone else [POSITIVE, *negatives]
        return [QUERY, *documents, *((IMPLIED, EXCLUDED) if self.related else ())]

    def __call__(self, rows: Mapping[str, Sequence[int]]) -> dict[str, list[Any]]:
        """Draw the texts of some rows."""
        drawn: dict[str, list[Any]] = {column: [] for column in self.columns}
        for row in rows[_ROW]:
            for column, text in zip(self.columns, self._draw(row), strict=True):
                drawn[column].append(text)
        if self.labels is not None:
            drawn[LABEL] = [[row, *self.labels[row]] for row in rows[_ROW]]
        return drawn

    def _draw(self, row: int) -> list[str]:
        example, rng = self.examples[row], Random(f"{self.seed} {self.epoch} {row}")
        question, gates = example.question, self.settings.gates
        query = as_asked(question.text, question.operators, gates, reading_of(question))
        texts = [query, *(() if self.alone else self._documents(row, rng))]
        if self.related:
            for others in (question.implied, question.excluded):
                texts.append(as_asked(rng.choice(others), (), gates) if others else query)
        return texts

    def _documents(self, row: int, rng: Random) -> list[str]:
        example = self.examples[row]
        once = Random(f"{self.seed} {row}") if self.settings.positive == "fixed" else rng
        positive = once.choice(example.positives)
        if self.documents is not None:
            chosen = self._negatives(rng, set(example.positives), self._hard[row])
            return [self.documents[identifier] for identifier in (positive, *chosen)]
        sentences = [positive, *rng.choices(example.negatives, k=self.settings.negatives)]
        if self.settings.triplet_route == "query":  # may require gates; these sentences have no operators
            return [as_asked(sentence, (), self.settings.gates) for sentence in sentences]
        return sentences

    def _negatives(self, rng: Random, answers: set[str], hard: Sequence[str]) -> list[str]:
        """Draw hard negatives first, then random ones to fill up."""
        count = self.settings.negatives
        chosen = dict.fromkeys(rng.sample(hard, min(count, len(hard))))
        while len(chosen) < count:
            identifier = rng.choice(self._identifiers)
            if identifier not in answers:
                chosen[identifier] = None
        return list(chosen)


def as_asked(text: str, operators: Collection[str], gates: Gates, reading: Reading | None = None) -> str:
    """Return a query as the model receives it: plain, with its operators as labels, or with them as words."""
    if gates == "words":
        return with_operator_words(text, operators)
    return LabelledQuery.of(text, operators, reading) if gates == "given" else text


def bm25_negatives(examples: Sequence[Example], documents: Mapping[str, str]) -> list[list[str]]:
    """Return for each example the documents that BM25 ranks highest, without answers."""
    depth = HARD_NEGATIVES + max((len(example.positives) for example in examples), default=0)
    ranked = rank_by_bm25([example.question.text for example in examples], documents.items(), depth)
    wrong = []
    for example, found in zip(examples, ranked, strict=True):
        answers = set(example.positives)
        wrong.append([identifier for identifier in found.documents if identifier not in answers][:HARD_NEGATIVES])
    return wrong


class DrawAnew(TrainerCallback):
    """Sets the sampler's epoch."""

    def __init__(self, drawing: Drawing) -> None:
        """Store the sampler."""
        self.drawing = drawing

    def on_epoch_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Set the epoch, also when a run resumes in the middle of one."""
        self.drawing.epoch = int((state.epoch or 0.0) + 1e-6)

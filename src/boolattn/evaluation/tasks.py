"""What a benchmark asks, apart from who answers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ir_measures import Measure

from boolattn.data.query_labels import QueryLabels
from boolattn.encoders.readers.labelled_query import LabelledQuery
from boolattn.evaluation.measures import RANKING_MEASURES, Judgements
from boolattn.reading.reading import Documents, Reading
from boolattn.reading.spans import Span


class WrongSystemError(TypeError):
    """The system cannot do what the benchmark asks."""


@dataclass(frozen=True, slots=True)
class RetrievalTask:
    """Queries over documents.

    Attributes:
        name: The benchmark's name.
        queries: Query id -> text.
        documents: Opens the corpus: identifier and text of each document, streamed, as often as asked.
        answers: The right documents of each query.
        measures: What to report.
        negated: For queries with a negated atom, the documents that match it.
        negated_measures: What to report of these, as if they were answers: the lower the better.
        template_of: Query id -> template.
        slice_of: Query id -> slice, where slices are to be kept apart.
        document_tokens: How many tokens of a document a dense model reads.
        operators: Query id -> the operators it holds, where they are known.
        documents_are: Whether a document is a thing that queries ask for, or a page about such things.
        compare_with_bare: Whether to report how many queries get another vector than the plain model gives them, and
            what the plain model reaches.
    """

    name: str
    queries: Mapping[str, str]
    documents: Callable[[], Iterable[tuple[str, str]]]
    answers: Judgements
    measures: Sequence[Measure] = RANKING_MEASURES
    negated: Judgements = field(default_factory=dict)
    negated_measures: Sequence[Measure] = ()
    template_of: Mapping[str, str] = field(default_factory=dict)
    slice_of: Mapping[str, str] | None = None
    document_tokens: int = 128
    operators: Mapping[str, frozenset[str]] = field(default_factory=dict)
    documents_are: Documents = "pages"
    compare_with_bare: bool = False

    def with_given_operators(self) -> "RetrievalTask":
        """Return the same with queries that tell a Boolean model which operators they hold: the paper's given gate."""
        if set(self.operators) != set(self.queries):
            raise ValueError(f"nobody knows the operators of all queries of {self.name}")
        told = {key: LabelledQuery.of(text, self.operators[key]) for key, text in self.queries.items()}
        return replace(self, queries=told)


@dataclass(frozen=True, slots=True)
class PairTask:
    """Queries, each with a document to rank above another.

    Attributes:
        name: The benchmark's name.
        queries: Query id -> text.
        pairs: Query id -> the document wanted and the document excluded.
        documents: Identifier -> text.
        rows: Where queries come in twos that count together: row -> its two queries.
        document_tokens: How many tokens of a document a dense model reads.
        documents_are: Whether a document is a thing that queries ask for, or a page about such things.
    """

    name: str
    queries: Mapping[str, str]
    pairs: Mapping[str, tuple[str, str]]
    documents: Mapping[str, str]
    rows: Mapping[str, tuple[str, str]] | None = None
    document_tokens: int = 256
    documents_are: Documents = "pages"


@dataclass(frozen=True, slots=True)
class GateTask:
    """Queries and the operators each holds."""

    name: str
    queries: Mapping[str, str]
    operators: Mapping[str, frozenset[str]]
    template_of: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ReadingTask:
    """Queries of which operators, cues and scopes are known."""

    name: str
    readings: Mapping[str, tuple[str, Reading]]  # query id -> text and what it says
    template_of: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ExclusionTask:
    """Queries, some of which exclude something: which, and what?

    Attributes:
        name: The benchmark's name.
        queries: With what is known of them.
        measures: Which figures to report; see ``reading_scores``.
        group_of: The group of each query, where groups are also reported apart.
        weight_of: Group -> how many queries each of its queries stands for in figures per 10,000; 1 if not named.
        all_exclude: Whether every query excludes something, though what it excludes is not labelled.
    """

    name: str
    queries: Sequence[QueryLabels]
    measures: Sequence[str]
    group_of: Sequence[str] = ()
    weight_of: Mapping[str, int] = field(default_factory=dict)
    all_exclude: bool = False


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """One sentence with the spans of its tokens, of its negation cues and of their scopes."""

    text: str
    tokens: Sequence[Span]
    cues: Sequence[Span]
    scopes: Sequence[Span]


@dataclass(frozen=True, slots=True)
class NegationTask:
    """Sentences with gold negation."""

    name: str
    sentences: Sequence[LabelledSentence]


Task = RetrievalTask | PairTask | GateTask | ReadingTask | NegationTask

"""The tasks that benchmarks set, independent of the system."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ir_measures import Measure

from boolattn.backbones.labelled_query import LabelledQuery
from boolattn.reading.reading import Documents, Reading
from boolattn.reading.spans import Span
from boolattn_lab.benchmarks.measures import (
    RANKING_MEASURES,
    Judgements,
    PerQuery,
    Run,
    pairwise_accuracy,
    per_query,
    right_rank,
)
from boolattn_lab.benchmarks.operator_words import with_operator_words
from boolattn_lab.formats.query_labels import QueryLabels

DEPTH = 1000  # the deepest cutoff of any measure


class WrongSystemError(TypeError):
    """The system cannot run the benchmark."""


@dataclass(frozen=True, slots=True)
class RetrievalTask:
    """Queries over documents.

    Attributes:
        name: The benchmark's name.
        queries: Query ID -> text.
        documents: Opens the corpus: ID and text of each document, streamed; can be called repeatedly.
        answers: The relevant documents of each query.
        measures: Measures to report.
        negated: For queries with a negated atom, the documents that match it.
        negated_measures: Measures to report with these as answers; lower is better.
        undecided: For queries with documents that are neither right nor wrong, these; rankings are measured without
            them.
        template_of: Query ID -> template.
        slice_of: Query ID -> slice, if slices are reported separately.
        document_tokens: How many tokens of a document a dense model reads.
        operators: Query ID -> the operators it contains, if labelled.
        readings: Query ID -> its operators, cues and scopes, if labelled.
        documents_are: Whether a document is a thing that queries ask for, or a page about such things.
        compare_with_bare: Whether to also report the plain model's results, and how many query vectors differ.
    """

    name: str
    queries: Mapping[str, str]
    documents: Callable[[], Iterable[tuple[str, str]]]
    answers: Judgements
    measures: Sequence[Measure] = RANKING_MEASURES
    negated: Judgements = field(default_factory=dict)
    negated_measures: Sequence[Measure] = ()
    undecided: Judgements = field(default_factory=dict)
    template_of: Mapping[str, str] = field(default_factory=dict)
    slice_of: Mapping[str, str] | None = None
    document_tokens: int = 128
    operators: Mapping[str, frozenset[str]] = field(default_factory=dict)
    readings: Mapping[str, Reading] = field(default_factory=dict)
    documents_are: Documents = "pages"
    compare_with_bare: bool = False

    def with_given_operators(self, scopes: bool = False) -> "RetrievalTask":
        """Return a copy whose queries carry their operators as labels: the paper's given gate.

        Args:
            scopes: Whether they also carry the scope of each operator.
        """
        self._require_operators()
        if scopes and set(self.readings) != set(self.queries):
            raise WrongSystemError(f"the scopes of {self.name}'s queries are not labelled, so they cannot be given")
        labelled = {
            key: LabelledQuery.of(text, self.operators[key], self.readings[key] if scopes else None)
            for key, text in self.queries.items()
        }
        return replace(self, queries=labelled)

    def with_operator_words(self) -> "RetrievalTask":
        """Return a copy whose queries start with their operators as words, for a plain model trained that way."""
        self._require_operators()
        prefixed = {key: with_operator_words(text, self.operators[key]) for key, text in self.queries.items()}
        return replace(self, queries=prefixed)

    def _require_operators(self) -> None:
        if set(self.operators) != set(self.queries):
            raise WrongSystemError(
                f"the operators of {self.name}'s queries are not labelled, so they cannot be given: use a learned gate"
            )

    @property
    def depth(self) -> int:
        """Number of documents to rank for a query."""
        return DEPTH

    def corpus(self) -> Iterable[tuple[str, str]]:
        """Return the ID and text of each document."""
        return self.documents()

    def values(self, run: Run) -> PerQuery:
        """Measure a run query by query."""
        run = {key: ranking.without(self.undecided.get(key, ())) for key, ranking in run.items()}
        values = per_query(self.measures, run, self.answers, self.negated)
        for measure, of_negated in per_query(self.negated_measures, run, self.negated).items():
            values[f"{measure} of negated"] = of_negated
        return values


@dataclass(frozen=True, slots=True)
class PairTask:
    """Queries, each with a wanted document that must rank above an excluded one.

    Attributes:
        name: The benchmark's name.
        queries: Query ID -> text.
        pairs: Query ID -> the wanted document and the excluded document.
        documents: ID -> text.
        rows: Row -> its two queries, if queries are scored in pairs.
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

    @property
    def depth(self) -> int:
        """Number of documents to rank for a query: all, because both documents of a pair need a rank."""
        return len(self.documents)

    def corpus(self) -> Iterable[tuple[str, str]]:
        """Return the ID and text of each document."""
        return self.documents.items()

    def values(self, run: Run) -> PerQuery:
        """Return for each query, or for each row of two queries, whether the pairs are ranked correctly."""
        right = right_rank(run, self.pairs)
        return (
            {"right rank": right} if self.rows is None else {"pairwise accuracy": pairwise_accuracy(right, self.rows)}
        )


@dataclass(frozen=True, slots=True)
class GateTask:
    """Queries and their operators."""

    name: str
    queries: Mapping[str, str]
    operators: Mapping[str, frozenset[str]]
    template_of: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ReadingTask:
    """Queries with known operators, cues and scopes."""

    name: str
    readings: Mapping[str, tuple[str, Reading]]  # query ID -> text and reading
    template_of: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ExclusionTask:
    """Queries, some of which exclude something; a reader must find which, and what.

    Attributes:
        name: The benchmark's name.
        queries: Queries with their labels.
        measures: Figures to report; see ``reading_scores``.
        group_of: The group of each query, if groups are reported separately.
        weight_of: Group -> weight of each of its queries in figures per 10,000; 1 by default.
        all_exclude: Whether every query excludes something, although the excluded spans are unlabelled.
        documents: What is searched with them.
    """

    name: str
    queries: Sequence[QueryLabels]
    measures: Sequence[str]
    group_of: Sequence[str] = ()
    weight_of: Mapping[str, int] = field(default_factory=dict)
    all_exclude: bool = False
    documents: Documents = "pages"


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """One sentence with the spans of its tokens, negation cues and scopes."""

    text: str
    tokens: Sequence[Span]
    cues: Sequence[Span]
    scopes: Sequence[Span]


@dataclass(frozen=True, slots=True)
class NegationTask:
    """Sentences with gold negation cues and scopes."""

    name: str
    sentences: Sequence[LabelledSentence]


Task = RetrievalTask | PairTask | GateTask | ReadingTask | NegationTask

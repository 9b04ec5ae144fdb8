"""The board: a model's gain on queries that exclude something, its harm on queries that do not, and its cost."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal, NamedTuple, TypeAlias

import typer
from ir_measures import RR, P, R, nDCG

from boolattn.operators import NOT
from boolattn_lab.benchmarks.beside_bare import BesideBare, beside_bare, dense_system
from boolattn_lab.benchmarks.encoding_cost import Cost, CostSample, measure_cost
from boolattn_lab.benchmarks.evaluate import gate_used
from boolattn_lab.benchmarks.measures import violation, word_lsnc
from boolattn_lab.benchmarks.report import labelled_with_gate
from boolattn_lab.benchmarks.sets import UnknownBenchmarkError, load_benchmark
from boolattn_lab.benchmarks.sets.generated import GENRE_PAIRS
from boolattn_lab.benchmarks.significance import Difference, paired_bootstrap
from boolattn_lab.benchmarks.systems import Reader, Retriever
from boolattn_lab.benchmarks.tasks import PairTask, RetrievalTask
from boolattn_lab.formats.folder import DataFolder

ALL, WITHOUT_NOT = "all", "without not"  # groups of queries; any other name is a slice or template
Section: TypeAlias = Literal["gain", "harm"]


class Part(NamedTuple):
    """Some queries of a benchmark, and the measures to report for them."""

    benchmark: str
    queries: str
    measures: tuple[str, ...]


GAIN = (
    Part("negconstraint", ALL, (str(nDCG @ 10), str(R @ 100))),
    Part("excluir-pairs", ALL, ("right rank",)),
    Part("boolquestions-not", ALL, ("right rank",)),
    Part("nevir", ALL, ("pairwise accuracy",)),
    Part("comlq-test-half", ALL, (str(nDCG @ 10),)),
    Part("comlq-test-half", "negated", (str(nDCG @ 10), str(word_lsnc @ 100))),
    Part("films", GENRE_PAIRS, (str(P @ 20), str(violation @ 20))),
    Part("debian", ALL, (str(nDCG @ 10), str(violation @ 20))),
    Part("quest-partial", ALL, (str(nDCG @ 10), str(R @ 100))),
)
HARM = (
    Part("stackfaq", ALL, (str(RR),)),
    Part("comlq-test-half", "not negated", (str(nDCG @ 10),)),
    Part("films", WITHOUT_NOT, (str(nDCG @ 10),)),
    Part("debian", WITHOUT_NOT, (str(nDCG @ 10),)),
)
SECTIONS: Mapping[Section, tuple[Part, ...]] = {"gain": GAIN, "harm": HARM}
BENCHMARKS = tuple(dict.fromkeys(part.benchmark for parts in SECTIONS.values() for part in parts))
SLOW = ("quest-partial",)  # more than 300,000 documents to encode: only on request


class Comparison(NamedTuple):
    """A measure of the plain model and of the Boolean model, and their difference."""

    measure: str
    bare: float
    acting: float
    difference: Difference


@dataclass(frozen=True, slots=True)
class Row:
    """A model's effect on one group of queries of a benchmark.

    Attributes:
        benchmark: The benchmark's name.
        queries: The group of queries.
        count: Number of queries.
        changed: Number of queries whose vector differs from the plain model's.
        changed_hits: Number of queries whose top hits, or their order, differ from the plain model's.
        comparisons: One per measure.
    """

    benchmark: str
    queries: str
    count: int
    changed: int
    changed_hits: int
    comparisons: tuple[Comparison, ...]


class Board(NamedTuple):
    """The board of one model; one cost per kind of query; its gate as in ``Report``."""

    model: str
    sections: dict[Section, list[Row]]
    cost: list[Cost]
    gate: str | None = None

    @property
    def label(self) -> str:
        """The model's name in tables, with its gate if it has one."""
        return labelled_with_gate(self.model, self.gate)


def measure_board(
    systems: Sequence[Retriever | Reader], data: DataFolder, only: Sequence[str] = (), seconds: float | None = None
) -> list[Board]:
    """Compare dense systems with their plain models on the benchmarks of the board.

    Args:
        systems: The models.
        data: The data folder.
        only: Benchmarks to run; by default all except the slow ones.
        seconds: How long to time each kind of query at each batch size; None skips timing.
    """
    names = _chosen(only)
    # Reject a system that is not dense before reading data, and missing data before encoding.
    dense = [dense_system(system, "the board", "pages") for system in systems]
    tasks = [_board_task(name, data) for name in names]
    rows: list[dict[Section, list[Row]]] = [{section: [] for section in SECTIONS} for _ in dense]
    samples = [CostSample() for _ in dense]
    gates = [
        gate_used(tasks[0], system, on_board=True) for system in dense
    ]  # the same for all tasks: the board gives no operators
    for number, task in enumerate(tasks, 1):
        for system, sections, sample in zip(dense, rows, samples, strict=True):
            # Standard output is reserved for results.
            typer.echo(f"{system.name}: {task.name} ({number} of {len(tasks)})", err=True)
            found = beside_bare(task, system)
            sample.add(task, found.changed)
            for section, parts in SECTIONS.items():
                sections[section] += [_row(part, task, found) for part in parts if part.benchmark == task.name]
    return [
        Board(system.name, sections, measure_cost(system, sample, seconds), gate)
        for system, sections, sample, gate in zip(dense, rows, samples, gates, strict=True)
    ]


def _chosen(only: Sequence[str]) -> list[str]:
    if unknown := [name for name in only if name not in BENCHMARKS]:
        raise UnknownBenchmarkError(f"{unknown[0]!r} is not on the board; choose from {', '.join(BENCHMARKS)}")
    return [name for name in BENCHMARKS if (name in only if only else name not in SLOW)]


def _board_task(name: str, data: DataFolder) -> RetrievalTask | PairTask:
    """Load a benchmark with only the measures that the board reports."""
    task = load_benchmark(name, data)
    if isinstance(task, RetrievalTask):
        reported = {measure for parts in SECTIONS.values() for part in parts for measure in part.measures}
        return replace(task, measures=[measure for measure in task.measures if str(measure) in reported])
    assert isinstance(task, PairTask)
    return task


def _row(part: Part, task: RetrievalTask | PairTask, found: BesideBare) -> Row:
    chosen = set(_queries(part.queries, task))
    return Row(
        part.benchmark,
        part.queries,
        len(chosen),
        len(chosen.intersection(found.changed)),
        len(chosen.intersection(found.changed_hits)),
        tuple(_comparisons(part, found, None if part.queries == ALL else chosen)),
    )


def _queries(which: str, task: RetrievalTask | PairTask) -> Iterator[str]:
    if which == ALL or isinstance(task, PairTask):
        yield from task.queries
    elif which == WITHOUT_NOT:
        yield from (query for query in task.queries if NOT.name not in task.operators[query])
    else:
        groups = (task.template_of, task.slice_of or {})
        yield from (query for query in task.queries if which in (group.get(query) for group in groups))


def _comparisons(part: Part, found: BesideBare, chosen: Collection[str] | None) -> Iterator[Comparison]:
    """Compare by each measure; ``chosen`` None keeps all values, because one may belong to a row of two queries."""
    for measure in part.measures:
        acting, bare = (
            {query: value for query, value in values[measure].items() if chosen is None or query in chosen}
            for values in (found.acting, found.bare)
        )
        if acting:
            yield Comparison(measure, fmean(bare.values()), fmean(acting.values()), paired_bootstrap(acting, bare))

"""Choose the two settings of the training-free mode on generated validation queries."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from statistics import fmean, median_high

from ir_measures import P, nDCG
from sentence_transformers import SentenceTransformer

from boolattn.backbones.dual_encoder import DualEncoder
from boolattn_lab.benchmarks.measures import per_query, violation
from boolattn_lab.benchmarks.significance import means, paired_bootstrap
from boolattn_lab.benchmarks.systems import DenseRetriever, RewritingRetriever
from boolattn_lab.benchmarks.tasks import RetrievalTask

STRENGTHS = (2.0, 4.0, 8.0)
PENALTIES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
SHOWN = (nDCG @ 10, P @ 20, violation @ 20)
DEPTH = 20


@dataclass(frozen=True)
class Setting:
    """Results of one setting; without a strength, of the plain model, with or without rewritten queries.

    Attributes:
        strength: What *not* subtracts from attention scores.
        penalty: lambda; None for the unchanged query.
        measures: Catalog -> measure -> value.
        by_query: The per-query values of the deciding measure.
    """

    strength: float | None
    penalty: float | None
    measures: dict[str, dict[str, float]]
    by_query: dict[str, float] = field(repr=False)

    @property
    def score(self) -> float:
        """The mean nDCG@10; every catalog has the same number of queries."""
        return fmean(self.by_query.values())


def choose(tried: Sequence[Setting]) -> Setting:
    """Return the middle of the settings that a paired bootstrap cannot distinguish from the best.

    Which of them scores best is chance; the middle is furthest from too weak and too strong. If there are two, return
    the stronger.
    """
    settings = {(each.strength, each.penalty): each for each in tried if each.strength and each.penalty}
    bare = [each for each in tried if each.penalty is None]
    best = max([*bare, *settings.values()], key=lambda setting: setting.score)
    as_good = [key for key, each in settings.items() if paired_bootstrap(best.by_query, each.by_query).low <= 0]
    if not as_good:
        return best  # the bare model
    penalty = median_high(penalty for _, penalty in as_good)
    return settings[median_high(strength for strength, each in as_good if each == penalty), penalty]


def try_settings(folder: str, tasks: Sequence[RetrievalTask]) -> Iterator[Setting]:
    """Yield the bare model, the bare model with rewritten queries, then every setting."""
    plain = SentenceTransformer(folder)
    yield _measure(DenseRetriever("", plain, progress=False), None, None, tasks)
    rewriting = RewritingRetriever("", plain, progress=False)
    for penalty in (0.0, *PENALTIES):
        rewriting.penalty = penalty
        yield _measure(rewriting, None, penalty, tasks)
    for strength, penalty in product(STRENGTHS, PENALTIES):
        model = DualEncoder.training_free(folder, strength, penalty)
        yield _measure(DenseRetriever("", model, progress=False), strength, penalty, tasks)


def _measure(
    system: DenseRetriever, strength: float | None, penalty: float | None, tasks: Sequence[RetrievalTask]
) -> Setting:
    measures: dict[str, dict[str, float]] = {}
    by_query: dict[str, float] = {}
    for task in tasks:
        run = system.over(task.documents_are).rank(task.queries, task.documents(), DEPTH, task.document_tokens)
        values = per_query(SHOWN, run, task.answers, task.negated)
        measures[task.name] = means(values)
        by_query |= {f"{task.name} {query}": value for query, value in values[str(SHOWN[0])].items()}
    return Setting(strength, penalty, measures, by_query)

"""How well a reader detects exclusions: labels and readings -> precision, recall, scopes and kinds."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from boolattn.reading.reading import Documents, Exclusion, Reading, Strictness, exclusions_to_apply
from boolattn.reading.spans import Span
from boolattn_lab.formats.query_labels import DETERMINERS, QueryLabels, locate

KINDS = ("topic", "property", "none")
RESAMPLES = 10_000

_WORD = re.compile(r"\w(?:\S*\w)?")  # text between spaces, without surrounding punctuation


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query, its labels and how it was read.

    Attributes:
        labels: The query's labels.
        excludes: Whether the query excludes something that a search should apply; None if unlabelled or ambiguous.
        applied: The reader's exclusions that a search would apply.
        kind: The kind of exclusion according to the reader: topic, property or none.
    """

    labels: QueryLabels
    excludes: bool | None
    applied: tuple[Exclusion, ...]
    kind: str

    @property
    def unlabelled(self) -> bool:
        """Whether the query is unlabelled."""
        return self.excludes is None and self.labels.excluded is None

    @property
    def false_alarm(self) -> bool:
        """Whether the reader reports an exclusion that is not there."""
        return self.excludes is False and bool(self.applied)

    @property
    def miss(self) -> bool:
        """Whether the reader misses an exclusion."""
        return self.excludes is True and not self.applied

    @property
    def hit(self) -> bool:
        """Whether the reader detects an exclusion."""
        return self.excludes is True and bool(self.applied)


def judge(
    labels: QueryLabels,
    reading: Reading,
    documents: Documents = "pages",
    strictness: Strictness = "safe",
    excludes: bool | None = None,
) -> JudgedQuery:
    """Compare the reading of a query with its labels.

    Args:
        labels: The query's labels.
        reading: The reading.
        documents: What would be searched. Over pages, properties are not applied, so reading one as a topic is wrong.
        strictness: The required confidence of the reader, by name.
        excludes: Whether the query excludes something, if known although the excluded span is unlabelled.
    """
    over_pages = exclusions_to_apply(reading, "pages", strictness)
    over_things = exclusions_to_apply(reading, "things", strictness)
    if labels.soft:
        excludes = None
    elif labels.excluded is not None:
        excludes = bool(labels.excluded) and (documents == "things" or labels.kind in (None, "topic"))
    return JudgedQuery(
        labels,
        excludes,
        over_things if documents == "things" else over_pages,
        _kind_of(over_pages or over_things),
    )


def _kind_of(applied: tuple[Exclusion, ...]) -> str:
    """Return the kind of the most confident exclusion, or "none"."""
    return max(applied, key=lambda each: each.confidence).kind if applied else "none"


class ReadingScores(NamedTuple):
    """The figures of one reader on some queries.

    Attributes:
        figures: By name; None if undefined, such as the precision of a reader that found nothing.
        intervals: 95 % bootstrap intervals of precision and recall.
        confusion: Labelled kind -> read kind -> number of queries; empty if no kinds are labelled.
    """

    figures: dict[str, float | None]
    intervals: dict[str, tuple[float, float]]
    confusion: dict[str, dict[str, int]]

    def as_json(self) -> dict[str, Any]:
        """Return JSON values."""
        found: dict[str, Any] = dict(self.figures)
        if self.intervals:
            found["intervals"] = {name: list(bounds) for name, bounds in self.intervals.items()}
        return found | ({"confusion": self.confusion} if self.confusion else {})


def reading_scores(judged: Sequence[JudgedQuery]) -> ReadingScores:
    """Score a reader on the queries of one file or benchmark."""
    read = sum(bool(each.applied) for each in judged)
    figures: dict[str, float | None] = {"queries": len(judged), "read": read, "share_read": _share(read, len(judged))}
    intervals: dict[str, tuple[float, float]] = {}
    firm = [each for each in judged if each.excludes is not None]
    if not all(each.unlabelled for each in judged):
        hits, false_alarms, misses = (
            sum(getattr(each, outcome) for each in firm) for outcome in ("hit", "false_alarm", "miss")
        )
        figures |= {
            "firm": len(firm),
            "precision": _share(hits, hits + false_alarms),
            "recall": _share(hits, hits + misses),
            "f1": _share(2 * hits, 2 * hits + false_alarms + misses),
            "false_alarms": false_alarms,
            **_scopes(each for each in firm if each.hit),
        }
        intervals = _intervals(hits, false_alarms, misses, len(firm))
    kinds = [each for each in judged if each.labels.kind is not None and not each.labels.soft]
    confusion = {
        kind: {seen: sum(each.labels.kind == kind and each.kind == seen for each in kinds) for seen in KINDS}
        for kind in (KINDS if kinds else ())
    }
    if kinds:
        figures["kind_accuracy"] = _share(sum(confusion[kind][kind] for kind in KINDS), len(kinds))
    return ReadingScores(figures, intervals, confusion)


def words_in(query: str, spans: Iterable[Span]) -> Counter[str]:
    """Count the words of a query that share a character with one of the spans, in lower case."""
    chosen = list(spans)
    words = (match for match in _WORD.finditer(query) if any(Span(*match.span()).overlaps(span) for span in chosen))
    return Counter(match[0].lower() for match in words)


def _scopes(hits: Iterable[JudgedQuery]) -> dict[str, float | None]:
    """Compare words, not positions: the label of a phrase that occurs twice does not say which one is meant."""
    right = marked = exact = queries = 0
    for each in hits:
        query, excluded = each.labels.query, each.labels.excluded
        if excluded:
            places = (locate(query, text) for text in excluded)
            gold = words_in(query, (Span(*place) for place in places if place))
            found = words_in(query, (exclusion.span for exclusion in each.applied if exclusion.span))
            right += (gold & found).total()
            marked += gold.total() + found.total()
            exact += {*(gold - found), *(found - gold)}.issubset(DETERMINERS)
            queries += 1
    return {"scope_f1": _share(2 * right, marked), "scope_exact": _share(exact, queries)}


def _intervals(hits: int, false_alarms: int, misses: int, firm: int) -> dict[str, tuple[float, float]]:
    """Bootstrap over unambiguous queries: draw how many have each outcome, which is all that matters."""
    if not firm:
        return {}
    outcomes = np.array([hits, false_alarms, misses, firm - hits - false_alarms - misses])
    drawn = np.random.default_rng(0).multinomial(firm, outcomes / firm, size=RESAMPLES)  # (RESAMPLES, 4)
    intervals = {}
    for name, others in (("precision", drawn[:, 1]), ("recall", drawn[:, 2])):
        of = drawn[:, 0] + others
        if (of > 0).any():
            low, high = np.quantile(drawn[of > 0, 0] / of[of > 0], [0.025, 0.975])
            intervals[name] = float(low), float(high)
    return intervals


def _share(part: int, of: int) -> float | None:
    return part / of if of else None

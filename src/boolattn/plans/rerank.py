"""Rerank texts that any search has found: the plan of the query decides. Needs no torch, no index."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from boolattn.plans.candidate_scores import AtomEffect, Evidence, Numbers
from boolattn.plans.search_plan import has_operators, search_plan
from boolattn.plans.verifier import Verifier, verified
from boolattn.reading.caller import ExcludedWords
from boolattn.reading.options import ReadingOptions
from boolattn.reading.readers import ReaderOrName
from boolattn.reading.reading import Documents, Reading, Strictness


@dataclass(frozen=True, slots=True)
class Ranked:
    """A text with its rank.

    Attributes:
        place: Its place in the texts that were given.
        score: Higher is better; comparable within one call only.
        atoms: What each atom of the query did to it; empty if the query has no *and*, *or* or *not* to act on.
        verified: What the verifier added to the score; None if it was not asked.
    """

    place: int
    score: float
    atoms: tuple[AtomEffect, ...] = ()
    verified: float | None = None


class RankedTexts(list[Ranked]):
    """Ranked texts, best first.

    Attributes:
        dropped: How many texts were removed because they contain what is excluded. If texts were given and nothing is
            left, all of them were.
    """

    def __init__(self, ranked: Iterable[Ranked] = (), dropped: int = 0) -> None:
        """Store what is left, and how many are not."""
        super().__init__(ranked)
        self.dropped = dropped


def rerank(
    query: str | Reading,
    texts: Sequence[str],
    *,
    scores: Sequence[float] | None = None,
    documents: Documents = "pages",
    strictness: Strictness = "safe",
    exclude: ExcludedWords | None = None,
    reader: ReaderOrName | None = None,
    syntax: bool = False,
    strength: float = 1.0,
    verifier: Verifier | None = None,
    drop: bool = False,
) -> RankedTexts:
    """Order texts by what a query wants and excludes, and say what each part of the query did to each text.

    Of a long text, the first 20,000 characters count. A query without an *and*, *or* or *not* to act on leaves the
    order and the scores as they are.

    Args:
        query: The text, or its reading from ``read``.
        texts: What a search has found, best first, each with its title.
        scores: Of that search, higher is better, in any range. None: the order alone counts, in even steps from 1 down
            to 1 / N.
        documents: What the texts are: ``"things"``, such as films and products, or ``"pages"`` about them.
        strictness: How sure the learned reader must be of an exclusion.
        exclude: The words to exclude, in the query or not: ``["war"]``, or with weights ``{"war": 2}``. None lets the
            reader find them.
        reader: ``"learned"``, ``"rules"`` or a custom reader; None uses the default.
        syntax: Whether the query uses the explicit syntax.
        strength: Weight of unwanted words against wanted ones; 0 ignores them.
        verifier: A function (query, text) -> number, higher is better, for candidates that words do not decide: see
            ``boolattn.plans.verifier``.
        drop: Whether to remove texts that contain what is excluded, instead of ranking them lower. Texts that only deny
            it ("no onions") stay.

    Examples:
        >>> texts = ["Onion soup", "Soup without onions", "Carrot soup"]
        >>> [hit.place for hit in rerank("soup", texts, exclude=["onions"], documents="things")]
        [1, 2, 0]
    """
    options = ReadingOptions(reader, documents, strictness, syntax)
    if not 0 <= strength < inf:
        raise ValueError(f"strength is {strength}: use 0 (unwanted words have no effect) or more")
    _require_texts(texts)
    first = _first_scores(scores, len(texts))
    reading = options.applied(_reading(query, exclude, options))
    plan = search_plan(reading, options)
    if not texts or not has_operators(plan):
        return RankedTexts(Ranked(place, float(score)) for place, score in enumerate(first))
    evidence = Evidence.of(plan, texts, first, documents=documents)
    effects = evidence.effects(strength)
    totals = first + effects.sum(axis=0)
    added = verified(verifier, reading.query, texts, evidence, totals) if verifier else {}
    for place, effect in added.items():
        totals[place] += effect
    stays = evidence.verdicts(only_exclusions=True) > 0 if drop else np.ones(len(texts), np.bool_)
    order = [place for place in (-totals).argsort(kind="stable").tolist() if stays[place]]
    ranked = (
        Ranked(place, float(totals[place]), evidence.reasons(effects, place), added.get(place)) for place in order
    )
    return RankedTexts(ranked, len(texts) - len(order))


def _reading(query: str | Reading, exclude: ExcludedWords | None, options: ReadingOptions) -> Reading:
    if isinstance(query, str):
        return options.read([query], exclude, screen="conditions")[0]
    if not isinstance(query, Reading):
        raise TypeError(f"query must be a text or a Reading, not {type(query).__name__}")
    if exclude is not None:
        raise ValueError(
            "exclude= has no effect on a query that has been read: pass the query's text, or exclude= to read()"
        )
    return query


def _require_texts(texts: Sequence[str]) -> None:
    if isinstance(texts, str):
        raise TypeError("texts must be a list: write [text] instead of a text")
    if texts is None or not isinstance(texts, Sequence):
        raise TypeError(f"texts must be a list of texts, not {type(texts).__name__}")
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"texts[{place}] is {type(text).__name__}, not a text: use '' for a document without one")


def _first_scores(scores: Sequence[float] | None, count: int) -> Numbers:
    """Return the first stage's scores (N,)."""
    if scores is None:
        return np.arange(count, 0, -1) / max(count, 1)
    try:
        first = np.array(scores, np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"scores must be numbers, one for each text: {error}") from error
    if first.shape != (count,):
        raise ValueError(f"{count} texts, but scores has the shape {first.shape}: pass one number for each text")
    if not np.isfinite(first).all():
        place = int(np.argmin(np.isfinite(first)))
        raise ValueError(f"scores[{place}] is {first[place]}: use finite numbers")
    return first

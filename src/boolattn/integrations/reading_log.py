"""Why an exclusion is not applied, in the log: users of a retriever see hits alone."""

import logging
from collections.abc import Iterator, Sequence
from functools import cache
from typing import get_args

from boolattn.reading.caller import ExcludedWords
from boolattn.reading.limits import LONGEST_QUERY, MOST_ATOMS, is_too_long
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Decision, Reading, Strictness, exclusions_to_apply
from boolattn.retrieval.index.protocol import Filter
from boolattn.retrieval.search.hits import SearchHit
from boolattn.retrieval.search.searcher import Searcher

log = logging.getLogger("boolattn")


def search(
    searcher: Searcher, query: str, k: int, where: Sequence[Filter], exclude: ExcludedWords | None = None
) -> list[SearchHit]:
    """Search, and log at INFO why what the query excludes is not applied: each reason once, never the query."""
    if not (searcher.settings.plan and log.isEnabledFor(logging.INFO)):
        return searcher.search(query, k, where, exclude)
    [seen] = searcher.options.read([query], exclude, screen="exclusions")
    reading = searcher.options.decided(seen)
    for reason in _reasons(reading, searcher.options):
        say_once(reason)
    return searcher.search(reading, k, where)


@cache
def say_once(reason: str) -> None:
    """Log a reason, if it has not been logged yet."""
    log.info("Not applied: %s. Logged once; Searcher.read(query).remarks has the reasons for a query.", reason)


def _reasons(reading: Reading, options: ReadingOptions) -> Iterator[str]:
    """Yield why exclusions are not applied, in words that fit every query."""
    if is_too_long(reading.query):
        yield f"queries of more than {LONGEST_QUERY:,} characters are not read: shorten them"
    elif reading.unread_reason:
        yield f"queries of more than {MOST_ATOMS} parts are not read: shorten them"
    for decision in reading.not_applied:
        yield _reason(decision, reading, options)


def _reason(decision: Decision, reading: Reading, options: ReadingOptions) -> str:
    exclusion, documents = decision.exclusion, options.documents
    if not options.act:
        return "exclusions, because act is off: act=True applies them"
    if not reading.plans(exclusion):
        return "exclusions without a letter or a digit"
    if exclusion.kind == "property" and exclusion in exclusions_to_apply(reading, "things", options.strictness):
        return "properties, because pages discuss those anyway: documents='things' applies them"
    enough = [each for each in get_args(Strictness) if exclusion in exclusions_to_apply(reading, documents, each)]
    advice = f"strictness={enough[0]!r}" if enough else "exclude= at a search"
    return (
        f"exclusions less sure than strictness={options.strictness!r} asks for over {documents}: {advice} applies them"
    )

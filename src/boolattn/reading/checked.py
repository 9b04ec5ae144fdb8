"""What a reader must return: a faulty reading is an error that says what to fix, and is never ignored silently."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, get_args

from boolattn.operators import NOT, OPERATORS
from boolattn.reading.limits import HIGHEST_WEIGHT
from boolattn.reading.plan import Source
from boolattn.reading.reading import Documents, Kind, Reader, Reading, Strictness
from boolattn.reading.spans import Span

_SOURCES, _KINDS = get_args(Source), get_args(Kind)


def checked_readings(reader: Reader, queries: Sequence[str]) -> list[Reading]:
    """Return what a reader reads; the package's own readers are not checked, which would double the time of a screen.

    Raises:
        ValueError: If it does not return one reading per query, or if a reading contradicts itself or the query.
    """
    if type(reader).__module__.startswith("boolattn."):
        return reader.read(queries)
    found: Any = reader.read(queries)
    if not isinstance(found, Sequence):
        raise ValueError(
            f"the reader {reader.name!r} returned {type(found).__name__}: return a list with one Reading per query"
        )
    if len(found) != len(queries):
        asked = f"{len(queries)} quer{'y' if len(queries) == 1 else 'ies'}"
        raise ValueError(
            f"the reader {reader.name!r} returned {len(found)} readings of {asked}: return one reading per query"
        )
    for query, reading in zip(queries, found, strict=True):
        for fault in _faults(query, reading):
            raise ValueError(f"the reader {reader.name!r} read {shortened(query)!r} wrongly: {fault}")
    return list(found)


def shortened(text: str) -> str:
    """Return at most the first 60 characters."""
    return text if len(text) <= 60 else f"{text[:60]}..."


def _faults(query: str, reading: Any) -> Iterator[str]:
    """Yield what is wrong with a reading; only the first is certain, as the rest may follow from it."""
    if not isinstance(reading, Reading):
        yield f"it is {type(reading).__name__}: return a boolattn.reading.reading.Reading"
    elif reading.query != query:
        yield f"it is of {shortened(reading.query)!r}: return one reading per query, in the same order"
    yield from _unknown_names(reading)
    for field, marked in (("cues", reading.cues), ("scopes", reading.scopes)):
        for name in OPERATORS:
            yield from _wrong_spans(query, field, marked[name])
    yield from _wrong_spans(query, "exclusions", [each.span for each in reading.exclusions if each.span is not None])
    yield from _wrong_values(reading)
    yield from _disagreements(reading)


def _unknown_names(reading: Reading) -> Iterator[str]:
    for field, names in (("operators", reading.operators), ("cues", reading.cues), ("scopes", reading.scopes)):
        for name in sorted({*names} - OPERATORS.keys(), key=str):
            yield f'{field} has "{name}": the names are {_listed(OPERATORS)}'
        for name in sorted(OPERATORS.keys() - names) if field != "operators" else ():
            yield f'{field} has no "{name}": start from Reading.plain, which has every name'


def _wrong_spans(query: str, field: str, spans: Iterable[Any]) -> Iterator[str]:
    for span in spans:
        if not isinstance(span, Span):
            how = f"write Span{span}" if isinstance(span, tuple) else "a tuple of spans is needed, even for one"
            yield f"{field} has {span}: {how}"
        elif not 0 <= span.start < span.end <= len(query):
            yield f"{field}: characters {span.start} to {span.end} are not in the query, which has {len(query)}"


def _wrong_values(reading: Reading) -> Iterator[str]:
    if reading.source not in _SOURCES:
        yield f"it has the source {reading.source!r}: use {_listed(_SOURCES)}"
    for each in reading.exclusions:
        if each.kind not in _KINDS:
            yield f"an exclusion has the kind {each.kind!r}: use {_listed(_KINDS)}"
        if not 0 < each.weight <= HIGHEST_WEIGHT:
            yield f"an exclusion has the weight {each.weight}: use a number above 0, up to {HIGHEST_WEIGHT:g}"
    confidences = [(each.confidence, each.topic_confidence) for each in reading.exclusions]
    for confidence in (reading.confidence, *(each for pair in confidences for each in pair if each is not None)):
        if not 0 <= confidence <= 1:
            yield f"it has the confidence {confidence}: use a number from 0 to 1"
    if reading.thresholds is not None:
        for documents, strictness in product(get_args(Documents), get_args(Strictness)):
            if strictness not in reading.thresholds.get(documents, ()):
                yield f'thresholds has no ["{documents}"]["{strictness}"]: add it, or use None to act on everything'


def _disagreements(reading: Reading) -> Iterator[str]:
    """Yield where operators, scopes and exclusions disagree on *not*: vectors act on one of them, plans on another."""
    excluded, scopes = {each.span for each in reading.exclusions if each.span}, {*reading.scopes[NOT.name]}
    for span in sorted(scopes - excluded):
        yield (
            f'scopes["not"] names "{span.of(reading.query)}", but exclusions does not: add an Exclusion with this '
            "span, its kind and confidence"
        )
    for span in sorted(excluded - scopes):
        yield f'exclusions names "{span.of(reading.query)}", but scopes["not"] does not: add its span'
    if reading.exclusions and NOT.name not in reading.operators:
        yield 'it excludes something, but operators lacks "not": add it'
    if not reading.exclusions and NOT.name in reading.operators:
        yield 'operators has "not", but exclusions is empty: add what is excluded, or remove the operator'


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)

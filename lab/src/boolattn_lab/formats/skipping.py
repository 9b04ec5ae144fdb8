"""Skip malformed rows, and count them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from boolattn.retrieval.corpus.bad_rows import BadRowError, Place

Raw = TypeVar("Raw")
Record = TypeVar("Record")


@dataclass(slots=True)
class SkipBad:
    """Lets a loader skip bad rows, and counts each once, by file and field, even if it is read several times."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    places: set[Place] = field(default_factory=set)

    def add(self, error: BadRowError) -> None:
        """Count one skipped row."""
        if error.place not in self.places:
            self.places.add(error.place)
            self.counts[error.place.source, error.field] += 1

    @property
    def total(self) -> int:
        """How many rows were skipped."""
        return self.counts.total()


def keep_good(
    rows: Iterable[tuple[Place, Raw]], parse: Callable[[Place, Raw], Record], skip: SkipBad | None
) -> Iterator[Record]:
    """Parse row by row; a ``BadRowError`` is raised, or counted if ``skip`` is given."""
    for place, raw in rows:
        try:
            record = parse(place, raw)
        except BadRowError as error:
            if skip is None:
                raise
            skip.add(error)
        else:
            yield record

"""A reader within limits: whatever the query, reading it takes little time and its plan little memory."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from boolattn.reading import limits
from boolattn.reading.plan import atoms_in
from boolattn.reading.plan_builder import atoms_of
from boolattn.reading.reading import Reader, Reading


class Bounded:
    """A reader that is asked only about queries within the limits; the others get a reading that says why not."""

    def __init__(self, reader: Reader) -> None:
        """Bound the queries of a reader."""
        self.reader = reader

    @property
    def name(self) -> str:
        """The reader's own name and version."""
        return self.reader.name

    def read(self, queries: Sequence[str]) -> list[Reading]:
        """Read queries; one that is too long, or has too many atoms, gets no operators."""
        asked = ["" if limits.is_too_long(query) else query for query in queries]
        return [_within_limits(*pair) for pair in zip(queries, self.reader.read(asked), strict=True)]


def _within_limits(query: str, reading: Reading) -> Reading:
    """Return a reading, or one without operators that says which limit the query exceeds."""
    if limits.is_too_long(query):
        reason = f"it has {len(query):,} characters; at most {limits.LONGEST_QUERY:,} are read"
    elif has_too_many_atoms(reading):
        reason = limits.too_many_atoms()
    else:
        return reading
    return replace(Reading.plain(query, reading.source, reading.reader), unread_reason=reason)


def has_too_many_atoms(reading: Reading) -> bool:
    """Return whether the plan of a reading has more atoms than are acted on; the plan is not made for that."""
    marks = sum(len(spans) for each in (reading.cues, reading.scopes) for spans in each.values())
    # Each mark is an atom at most, with one before it, and one after the last.
    if reading.tree is None and 2 * marks + 1 <= limits.MOST_ATOMS:
        return False
    atoms = atoms_in(reading.tree) if reading.tree else atoms_of(reading.query, reading.cues, reading.scopes)
    return next(islice(atoms, limits.MOST_ATOMS, None), None) is not None

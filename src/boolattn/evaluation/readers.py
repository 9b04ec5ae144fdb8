"""Readers by name: what a user writes after ``--reader``."""

from collections.abc import Sequence
from pathlib import Path

from boolattn.operators import NOT, OPERATORS
from boolattn.reading.reading import Exclusion, Reader, Reading
from boolattn.reading.spans import Span
from boolattn.reading.understanding import excluded_by_rules

DEFAULT_READER = "learned"


class _Rules:
    name = "rules"

    def read(self, queries: Sequence[str]) -> list[Reading]:
        return [self._read(query) for query in queries]

    def _read(self, query: str) -> Reading:
        found = excluded_by_rules(query)
        nothing: dict[str, tuple[Span, ...]] = dict.fromkeys(OPERATORS, ())
        exclusions = tuple(Exclusion(span, "topic", 1.0) for span in found.scopes)
        return Reading(
            query, frozenset([NOT.name] if exclusions else []), nothing, nothing, exclusions, 1.0, "rules", self.name
        )


def load_reader(name: str) -> Reader:
    """Load ``rules``, ``learned`` (the one that ships), or a learned reader from its folder."""
    if name == "rules":
        return _Rules()
    if name != "learned" and not Path(name).is_dir():
        raise ValueError(f"no reader {name!r}: use rules, learned, or the folder of a trained reader")
    from boolattn.reading import learned

    return learned.load_reader() if name == "learned" else learned.LearnedReader.load(Path(name))

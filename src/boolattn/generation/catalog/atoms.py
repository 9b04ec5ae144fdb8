"""Atoms: single attributes of entities, and the ways people put them into words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Phrases:
    """How an attribute is said, one tuple of patterns for every place it can take in a sentence.

    Patterns may hold ``{value}``, the attribute as it is written, and ``{head}``, the word for the entities. A role
    that an attribute cannot take stays empty; only ``noun`` is needed.

    Attributes:
        noun: A whole noun phrase: "horror films", "films from the 1950s".
        core: A noun phrase that takes a modifier in front: "(1950s) horror films", "(horror) films from the 1950s".
        open: A noun phrase that ends in the value, so that another may follow: "films starring X (and Y)".
        tail: The value as it follows an ``open`` or ``post`` of the same column: "(films starring X and) Y".
        modifier: In front of a noun: "1950s (films)".
        post: After a noun: "(films) from the 1950s".
        are: After "are": "(films that are) from the 1950s".
        do: A verb phrase: "(films that) star X".
        topic: The bare subject, after "no" or "without": "(films without) X".
        modifier_order: Modifiers of lower order stand in front of those of higher: "1950s horror films".
        core_order: The highest order of a modifier that may stand right in front of ``core``.
    """

    noun: tuple[str, ...]
    core: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()
    modifier: tuple[str, ...] = ()
    post: tuple[str, ...] = ()
    are: tuple[str, ...] = ()
    do: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()
    modifier_order: int = 0
    core_order: int = 9

    def __post_init__(self) -> None:
        if not self.noun:
            raise ValueError("an attribute needs at least one noun phrase: give noun=('{head} with {value}',) or alike")
        for pattern in (*self.open, *(self.post if self.tail else ())):
            if not pattern.endswith("{value}"):
                raise ValueError(
                    f"{pattern!r} must end in '{{value}}' for a tail to follow it: reword it, or drop tail"
                )


@dataclass(frozen=True, slots=True)
class Atom:
    """One attribute an entity can have. Two atoms are the same if column and value are.

    Attributes:
        column: Which attribute: "genres".
        value: Its value as the data has it: "Science Fiction".
        written: Its value as people write it: "science fiction".
        phrases: How people say it.
    """

    column: str
    value: str
    written: str = field(compare=False)
    phrases: Phrases = field(compare=False, repr=False)

    def wordings(self, role: str, head: str) -> tuple[str, ...]:
        """Return what can be said of the atom in a role of ``Phrases``."""
        patterns: tuple[str, ...] = getattr(self.phrases, role)
        return tuple(pattern.format(value=self.written, head=head) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Column:
    """Describes one list-valued attribute column of a catalog.

    Attributes:
        name: Its name in the rows.
        phrases: How its values are said.
        slice: Which part of the catalog it belongs to; queries of one slice are kept apart from those of another.
        write: Turns a value of the data into what people write.
        special: Values that are said in a way of their own.
    """

    name: str
    phrases: Phrases
    slice: str = "meaning"
    write: Callable[[str], str] = str
    special: Mapping[str, Phrases] = field(default_factory=dict)

    def atom(self, value: str) -> Atom:
        """Return the atom of a value."""
        return Atom(self.name, value, self.write(value), self.special.get(value, self.phrases))

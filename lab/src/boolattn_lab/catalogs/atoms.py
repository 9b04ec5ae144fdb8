"""Atoms: single attributes of entities, and how people phrase them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Phrases:
    """How an attribute is phrased: one tuple of patterns for each position in a sentence.

    Patterns may contain ``{value}``, the attribute as written, and ``{head}``, the word for the entities. A role
    that an attribute cannot take is empty; only ``noun`` is required.

    Attributes:
        noun: A whole noun phrase: "horror films", "films from the 1950s".
        core: A noun phrase that takes a modifier in front: "(1950s) horror films", "(horror) films from the 1950s".
        open: A noun phrase that ends with the value, so that another can follow: "films starring X (and Y)".
        tail: The value as it follows an ``open`` or ``post`` of the same column: "(films starring X and) Y".
        modifier: In front of a noun: "1950s (films)".
        post: After a noun: "(films) from the 1950s".
        are: After "are": "(films that are) from the 1950s".
        do: A verb phrase: "(films that) star X".
        topic: The bare subject, after "no" or "without": "(films without) X".
        modifier_order: Modifiers of lower order come before those of higher order: "1950s horror films".
        core_order: The highest order of a modifier that may come right before ``core``.
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
            raise ValueError("an attribute needs at least one noun phrase, such as noun=('{head} with {value}',)")
        for pattern in (*self.open, *(self.post if self.tail else ())):
            if not pattern.endswith("{value}"):
                raise ValueError(
                    f"{pattern!r} must end in '{{value}}' so that a tail can follow: reword it, or remove tail"
                )


@dataclass(frozen=True, slots=True)
class Atom:
    """One attribute that an entity can have. Atoms are equal if column and value are.

    Attributes:
        column: Which attribute: "genres".
        value: Its value in the data: "Science Fiction".
        written: Its value as people write it: "science fiction".
        phrases: How people phrase it.
    """

    column: str
    value: str
    written: str = field(compare=False)
    phrases: Phrases = field(compare=False, repr=False)

    def wordings(self, role: str, head: str) -> tuple[str, ...]:
        """Return how the atom can be phrased in a role of ``Phrases``."""
        patterns: tuple[str, ...] = getattr(self.phrases, role)
        return tuple(pattern.format(value=self.written, head=head) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Column:
    """Describes one list-valued attribute column of a catalog.

    Attributes:
        name: Its name in the rows.
        phrases: How its values are phrased.
        slice: Which part of the catalog it belongs to; queries of different slices are kept separate.
        write: Converts a value of the data into what people write.
        special: Values with their own phrases.
    """

    name: str
    phrases: Phrases
    slice: str = "meaning"
    write: Callable[[str], str] = str
    special: Mapping[str, Phrases] = field(default_factory=dict)

    def atom(self, value: str) -> Atom:
        """Return the atom of a value."""
        return Atom(self.name, value, self.write(value), self.special.get(value, self.phrases))

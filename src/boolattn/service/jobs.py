"""What is asked of an encoder, and what it answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Documents, Reading, Strictness

Role: TypeAlias = Literal["query", "document"]
Vector: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ReadingChoices:
    """What a request says about reading a query; None leaves it to the service's settings."""

    exclude: tuple[str, ...] | None = None
    act: bool | None = None
    strictness: Strictness | None = None
    documents: Documents | None = None
    syntax: bool | None = None
    in_full: bool = False  # whether *and* and *or* are wanted too, and not only what changes the vector

    def read(self, options: ReadingOptions, query: str) -> tuple[Reading, Reading]:
        """Return everything that is read of a query, and what of it is acted on."""
        chosen = options.changed(act=self.act, strictness=self.strictness, documents=self.documents, syntax=self.syntax)
        exclude = None if self.exclude is None else list(self.exclude)
        [reading] = chosen.read([query], exclude, only_exclusions=not self.in_full)
        return reading, chosen.applied(reading)


@dataclass(frozen=True, slots=True)
class Job:
    """One text to encode.

    Attributes:
        text: The text.
        role: Whether it is a query, which is read, or a document.
        normalise: Whether the vector gets unit length; else it is as the model makes it.
        dimensions: How many of the vector's dimensions to keep; None for all.
        choices: How a query is read.
        applied: What to act on, of a query that was read before.
        documents: With ``applied``: what the index contains.
        truncate: Whether a text that is longer than the model reads is truncated, or refused.
    """

    text: str
    role: Role
    normalise: bool = False
    dimensions: int | None = None
    choices: ReadingChoices = field(default_factory=ReadingChoices)
    applied: Reading | None = None
    documents: Documents | None = None
    truncate: bool = True


@dataclass(frozen=True, slots=True)
class Encoded:
    """The vector of a text; and, of a query, what was read and what was acted on."""

    vector: Vector
    tokens: int
    reading: Reading | None = None
    applied: Reading | None = None


class TextTooLongError(ValueError):
    """A text is longer than the model reads, and must not be truncated."""


class UpstreamError(OSError):
    """The upstream server does not answer, or refuses."""


class Encoder(Protocol):
    """Encodes texts, in threads of its own.

    Attributes:
        name: Of the model.
        threads: How many batches may be encoded at the same time.
        dimension: Of the vectors; None if it is not known yet.
        longest: How many tokens of a text the model reads; None if it is not known.
    """

    name: str
    threads: int
    dimension: int | None
    longest: int | None

    def encode(self, jobs: Sequence[Job]) -> list[Encoded | Exception]:
        """Return each text's vector, or why there is none; every vector is what it would be alone."""
        ...

    def read(self, query: str, choices: ReadingChoices) -> tuple[Reading, Reading]:
        """Return what is read of a query, and what of it is acted on."""
        ...

"""What is asked of an encoder, and what it answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boolattn.reading.caller import ExcludedWords
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Reading
from boolattn.service import metrics

Role: TypeAlias = Literal["query", "document"]
Vector: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Job:
    """One text to encode.

    Attributes:
        text: The text.
        role: Whether it is a query, which is read, or a document.
        normalise: Whether the vector gets unit length; else it is as the model makes it.
        dimensions: How many of the vector's dimensions to keep; None for all.
        options: How a query is read.
        exclude: The words that its caller excludes; None for a query that the reader is to read.
        in_full: Whether *and* and *or* are wanted too, and not only what changes the vector.
        truncate: Whether a text that is longer than the model reads is truncated, or refused.
    """

    text: str
    role: Role
    normalise: bool = False
    dimensions: int | None = None
    options: ReadingOptions = field(default_factory=ReadingOptions)
    exclude: ExcludedWords | None = None
    in_full: bool = False
    truncate: bool = True

    def read(self) -> tuple[Reading, Reading]:
        """Return everything that is read of the query, and what of it is acted on."""
        exclude = None if self.exclude is None else [self.exclude]
        [reading] = self.options.read([self.text], exclude, screen=None if self.in_full else "exclusions")
        return self.options.decided(reading), self.options.applied(reading)


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
        options: How queries are read, unless a request says so.
        threads: How many batches may be encoded at the same time.
        dimension: Of the vectors; None if it is not known yet.
        longest: How many tokens of a text the model reads; None if it is not known, or if there is no limit.
        pooling: How the model makes one vector of those of the tokens, as TEI calls it; None if it is not known.
    """

    name: str
    options: ReadingOptions
    threads: int
    dimension: int | None
    longest: int | None
    pooling: str | None

    def encode(self, jobs: Sequence[Job]) -> list[Encoded | Exception]:
        """Return each text's vector, or why there is none; every vector is what it would be alone."""
        ...


def read_query(job: Job) -> tuple[Reading, Reading]:
    """Return what is read of a query, and what of it is acted on; measured and counted."""
    with metrics.timed("reading"):
        reading, applied = job.read()
    metrics.count_reading(reading, applied)
    return reading, applied

"""*not* for any embedding function, an API's too: what is wanted and what is not, encoded apart. Needs no torch."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolattn.encoders.query_encoder import Embed, Vectors
from boolattn.reading.options import Exclude, ReadingOptions
from boolattn.reading.readers import ReaderOrName
from boolattn.reading.reading import Documents, Reading, Strictness

LAMBDA = 0.3
"""Chosen on generated validation queries by `boolattn dev bench training-free`."""


class Rewritten(NamedTuple):
    """A query in two; where it excludes nothing, ``wanted`` is the query itself and ``unwanted`` empty."""

    wanted: str
    unwanted: str


def rewrite(
    query: str,
    *,
    reader: ReaderOrName | None = None,
    documents: Documents = "pages",
    strictness: Strictness = "safe",
    syntax: bool = False,
    exclude: Sequence[str] | None = None,
    act: bool = True,
) -> Rewritten:
    """Put what a query wants beside what it does not; for the arguments, see ``signed_vectors``.

    >>> rewrite("movies set in Vietnam but not about war", reader="rules")
    Rewritten(wanted='movies set in Vietnam', unwanted='war')
    """
    options = ReadingOptions(reader, documents, strictness, syntax, act)
    return rewritten(options.applied(options.read([query], exclude, only_exclusions=True)[0]))


def rewritten(reading: Reading) -> Rewritten:
    """Put what a reading wants beside what it excludes."""
    if not reading.exclusions:
        return Rewritten(reading.query, "")
    plan = reading.plan()
    wanted, unwanted = (" ".join(atom.text for atom in atoms) for atoms in (plan.positives, plan.negatives))
    return Rewritten(wanted or reading.query, unwanted)


class RewriteEncoder:
    """A ``QueryEncoder`` of any embedding function: what a query wants and what it excludes, encoded apart.

    q = P/|P| - lambda N/|N|, of unit length again, with P the vector of what is wanted and N of what is not. A query
    that excludes nothing gets the function's own vector.
    """

    def __init__(self, embed: Embed, penalty: float = LAMBDA) -> None:
        """Take an embedding function, which each ``encode`` calls once, and lambda."""
        self._embed, self._penalty = embed, penalty

    def encode(self, readings: Sequence[Reading]) -> Vectors:
        """Return the vectors (B, D) of queries; every exclusion of a reading is acted on."""
        texts = [rewritten(reading) for reading in readings]
        excluding = [place for place, text in enumerate(texts) if text.unwanted]
        asked = [text.wanted for text in texts] + [texts[place].unwanted for place in excluding]
        vectors = np.asarray(self._embed(asked), np.float32)
        found, unwanted = vectors[: len(texts)].copy(), vectors[len(texts) :]
        if excluding:
            found[excluding] = _unit(_unit(found[excluding]) - self._penalty * _unit(unwanted))
        return found


def signed_vectors(
    queries: Sequence[str],
    embed: Embed,
    *,
    reader: ReaderOrName | None = None,
    documents: Documents = "pages",
    strictness: Strictness = "safe",
    syntax: bool = False,
    exclude: Exclude | None = None,
    act: bool = True,
    penalty: float = LAMBDA,
) -> NDArray[np.float32]:
    """Encode queries with any embedding function, each vector moved away from what its query excludes.

    q = P/|P| - lambda N/|N|, of unit length again, with P the vector of what is wanted and N of what is not. A query
    that excludes nothing gets the function's own vector.

    Args:
        queries: In plain words, or with AND, OR and NOT.
        embed: Takes texts and returns their vectors; called once: a model's ``encode``, or a call of an API.
        reader: ``"learned"``, ``"rules"`` or a reader of one's own; None is the default.
        documents: What the index holds: ``"things"``, such as films, products and packages, or ``"pages"`` about them.
        strictness: How sure the learned reader must be of an exclusion before it is acted on.
        syntax: Whether all queries are written in the explicit syntax.
        exclude: For each query, the words that it excludes, in the place of a reader: ``[["war"], []]``; None for one
            that is to be read. ``[]`` excludes nothing from any.
        act: Whether exclusions are acted on; off, every query gets the function's own vector.
        penalty: lambda.

    Example:
        >>> signed_vectors(["movies set in Vietnam but not about war"], model.encode)  # doctest: +SKIP
    """
    options = ReadingOptions(reader, documents, strictness, syntax, act)
    readings = [options.applied(reading) for reading in options.read(queries, exclude, only_exclusions=True)]
    return RewriteEncoder(embed, penalty).encode(readings)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths: NDArray[np.float32] = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)

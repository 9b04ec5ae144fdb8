"""*not* for any embedding function or API: encode wanted and unwanted parts separately. Needs no torch."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolattn.query_vectors.query_encoder import Embed, Vectors, require_finite_vectors
from boolattn.reading.options import Exclude, ReadingOptions
from boolattn.reading.readers import ReaderOrName
from boolattn.reading.reading import Documents, Reading, Strictness

PENALTIES: Mapping[Documents, float] = {"pages": 0.3, "things": 0.6}
"""lambda, chosen on validation queries by `boolattn-lab bench training-free`.

If documents are the things asked for, they either have the excluded property or not. A page that answers a question may
well mention the excluded topic, so the query's vector is moved less."""


class Rewritten(NamedTuple):
    """A query in two parts; if it excludes nothing, ``wanted`` is the query itself and ``unwanted`` is empty."""

    wanted: str
    unwanted: str


def rewritten(reading: Reading) -> Rewritten:
    """Split a reading into what it wants and what it excludes."""
    if not reading.exclusions or not (plan := reading.plan()).negatives:
        return Rewritten(reading.query, "")
    unwanted = " ".join(atom.text for atom in plan.negatives)
    return Rewritten(reading.wanted_text or reading.query, unwanted)


def subtracted(reading: Reading) -> list[tuple[str, float]]:
    """Return the texts to subtract and their weights: one text for all exclusions, unless their weights differ."""
    atoms = reading.plan().negatives
    if len({atom.weight for atom in atoms}) > 1:
        return [(atom.text, atom.weight) for atom in atoms]
    return [(" ".join(atom.text for atom in atoms), atom.weight) for atom in atoms[:1]]


class RewriteEncoder:
    """A ``QueryEncoder`` for any embedding function: encodes what a query wants and what it excludes separately.

    q = P/|P| - lambda N/|N|, normalised, with P the vector of what is wanted and N of what is excluded. A query
    that excludes nothing gets the function's own vector.

    A weight multiplies what is subtracted for its exclusion: lambda w N/|N|. Exclusions of different weights are
    encoded one by one, and the sum of all w N is subtracted, divided by the length of the sum of all N.
    """

    def __init__(self, embed: Embed, penalty: float = PENALTIES["pages"]) -> None:
        """Store an embedding function, which each ``encode`` calls once, and lambda."""
        self._embed, self._penalty = embed, penalty

    def encode(self, readings: Sequence[Reading]) -> Vectors:
        """Return the vectors (B, D) of queries; every exclusion of a reading is acted on."""
        texts = [rewritten(reading) for reading in readings]
        excluding = [place for place, text in enumerate(texts) if text.unwanted]
        parts = [subtracted(readings[place]) for place in excluding]
        asked = [text.wanted for text in texts] + [text for each in parts for text, _ in each]
        vectors = np.asarray(self._embed(asked), np.float32)
        require_finite_vectors(vectors)
        found, unwanted = vectors[: len(texts)].copy(), vectors[len(texts) :]
        if excluding:
            starts = np.cumsum([0, *map(len, parts[:-1])])
            weights = np.array([[weight] for each in parts for _, weight in each], np.float32)
            total, away = (np.add.reduceat(each, starts) for each in (unwanted, weights * unwanted))
            moved: Vectors = _unit(found[excluding]) - self._penalty * np.asarray(away / _lengths(total), np.float32)
            found[excluding] = _unit(moved)
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
    penalty: float | None = None,
) -> NDArray[np.float32]:
    """Encode queries with any embedding function, moving each vector away from what its query excludes.

    q = P/|P| - lambda N/|N|, normalised, with P the vector of what is wanted and N of what is excluded. A query
    that excludes nothing gets the function's own vector.

    Args:
        queries: Queries in plain English, or with AND, OR and NOT.
        embed: Texts -> their vectors: a model's ``encode``, or an API call. It is called once.
        reader: ``"learned"``, ``"rules"`` or a custom reader; None uses the default.
        documents: What the index contains: ``"things"``, such as films and products, or ``"pages"`` about them.
        strictness: How sure the learned reader must be of an exclusion before it is acted on.
        syntax: Whether all queries are written in the explicit syntax.
        exclude: For each query, the words to exclude, in the query or not, such as ``[["war"], []]`` or, with weights,
            ``[{"war": 2}, []]``; None for a query that the reader should read. ``[]`` means that no query excludes
            anything.
        act: Whether to act on exclusions; if False, every query gets the function's own vector.
        penalty: lambda; None uses the default for these documents, ``PENALTIES``.

    Examples:
        >>> signed_vectors(["movies set in Vietnam but not about war"], model.encode)  # doctest: +SKIP
    """
    options = ReadingOptions(reader, documents, strictness, syntax, act)
    readings = [options.applied(reading) for reading in options.read(queries, exclude, screen="exclusions")]
    return RewriteEncoder(embed, PENALTIES[documents] if penalty is None else penalty).encode(readings)


def _unit(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / _lengths(vectors), np.float32)


def _lengths(vectors: Vectors) -> Vectors:
    lengths: Vectors = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.maximum(lengths, 1e-12)

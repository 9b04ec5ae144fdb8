"""The vectors that `boolattn demo` ships."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from boolattn.demo.sample_films import read_films
from boolattn.query_vectors.query_encoder import Embed
from boolattn.query_vectors.rewriting import rewritten
from boolattn.reading.reading import Reading


def texts_of(readings: Sequence[Reading]) -> list[str]:
    """Return the texts that need a vector: the queries, and their wanted and unwanted parts."""
    return sorted({text for each in readings for text in (each.query, *rewritten(each)) if text})


def write_vectors(path: Path, embed: Embed, readings: Sequence[Reading]) -> int:
    """Encode the films and the texts of the readings; return the number of vectors written."""
    films, texts = [film.to_encode() for film in read_films()], texts_of(readings)
    np.savez_compressed(
        path,
        film_vectors=np.asarray(embed(films), np.float32),
        texts=np.array(texts),
        text_vectors=np.asarray(embed(texts), np.float32),
    )
    return len(films) + len(texts)

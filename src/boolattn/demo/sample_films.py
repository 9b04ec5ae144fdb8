"""The films of the demonstration and their precomputed vectors."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boolattn.query_vectors.query_encoder import Vectors

BACKBONE = "sentence-transformers/all-MiniLM-L6-v2"
VECTORS_FILE = Path(__file__).parent / "vectors.npz"
# In an installed package; in a checkout, which shares the file with the examples.
_HOMES = (Path(__file__).parent / "films.jsonl", Path(__file__).parents[3] / "examples" / "films.jsonl")
FILMS_FILE = next((home for home in _HOMES if home.is_file()), _HOMES[0])


class NoVectorError(LookupError):
    """A text has no precomputed vector."""


@dataclass(frozen=True, slots=True)
class Film:
    """An invented film."""

    doc_id: str
    name: str
    genres: tuple[str, ...]
    text: str

    @property
    def title(self) -> str:
        """Name and genres: they show whether a hit is what the query excludes."""
        return f"{self.name} ({', '.join(self.genres)})"

    def to_encode(self) -> str:
        """Return the text that a model reads, as ``boolattn encode`` composes it."""
        return f"{self.name}. {self.text}"


@dataclass(frozen=True)
class FilmIndex:
    """Films, their vectors (N, D), and the vectors of queries and parts of queries, by text."""

    films: Sequence[Film]
    vectors: Vectors
    vector_of: Mapping[str, Vectors]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Look up the vectors (B, D) of texts, in place of an embedding model."""
        if missing := [text for text in texts if text not in self.vector_of]:
            raise NoVectorError(missing[0])
        return np.stack([self.vector_of[text] for text in texts])

    def nearest(self, vector: Vectors, k: int) -> list[Film]:
        """Return the k films with the most similar vectors, best first."""
        return [self.films[place] for place in np.argsort(-(self.vectors @ vector), kind="stable")[:k]]


def load_films() -> FilmIndex:
    """Load the films and vectors that the package ships."""
    with np.load(VECTORS_FILE, allow_pickle=False) as stored:
        vector_of = dict(zip(stored["texts"].tolist(), stored["text_vectors"], strict=True))
        return FilmIndex(read_films(), stored["film_vectors"], vector_of)


def read_films() -> list[Film]:
    """Read the films, without vectors."""
    rows = map(json.loads, FILMS_FILE.read_text(encoding="utf-8").splitlines())
    return [Film(row["_id"], row["title"], tuple(row["genres"]), row["text"]) for row in rows]

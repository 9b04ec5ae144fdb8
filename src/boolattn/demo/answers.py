"""Three queries over the films: how each is read, and what is found without and with the reading."""

from collections.abc import Sequence
from dataclasses import dataclass

from boolattn.demo.films import Film, FilmIndex, NoVectorError
from boolattn.encoders.vectors.rewriting import PENALTIES, RewriteEncoder
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Reading

QUERIES = (
    "films about crime in a harbour city",
    "films set in Vietnam but not about war",  # a topic
    "films about the sea that are not war films",  # a property: acted on because the documents are things
)
OPTIONS = ReadingOptions(documents="things")
HITS = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """A query's reading, reduced to what is acted on, and its hits, best first.

    Attributes:
        reading: What was read.
        plain: The hits of the plain model.
        boolean: The hits with the exclusions applied; None if a part of the query has no vector.
        missing: That part, or empty.
    """

    reading: Reading
    plain: Sequence[Film]
    boolean: Sequence[Film] | None
    missing: str = ""


def read_queries(options: ReadingOptions = OPTIONS) -> list[Reading]:
    """Read the queries now, and keep what is acted on."""
    return [options.applied(reading) for reading in options.read(QUERIES)]


def answer(index: FilmIndex, reading: Reading) -> Answer:
    """Find films for a query, without and with its exclusions."""
    plain = index.nearest(index.embed([reading.query])[0], HITS)
    try:
        vector = RewriteEncoder(index.embed, PENALTIES[OPTIONS.documents]).encode([reading])[0]
    except NoVectorError as error:  # a reader that reads the query differently
        return Answer(reading, plain, None, str(error))
    return Answer(reading, plain, index.nearest(vector, HITS))

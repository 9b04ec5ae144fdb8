"""Films as a catalog: genres and decades (slice ``meaning``), cast (slice ``names``)."""

from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Any

from boolattn_lab.catalogs.atoms import Column, Phrases
from boolattn_lab.catalogs.catalog import Catalog, Domain, Row, build_catalog, field_of
from boolattn_lab.catalogs.expressions import AndNot
from boolattn_lab.catalogs.generator import GeneratedQuery, canonical_query
from boolattn_lab.formats.catalogs import read_films
from boolattn_lab.formats.folder import DataFolder

HEADS = ("films", "movies")

_PLURALS = {
    "Biography": "biopics",
    "Comedy": "comedies",
    "Documentary": "documentaries",
    "Drama": "dramas",
    "Musical": "musicals",
    "Mystery": "mysteries",
    "Satire": "satires",
    "Slasher": "slashers",
    "Thriller": "thrillers",
    "Western": "westerns",
}
_ALSO_WRITTEN = {
    "Biography": "biographical",
    "Independent": "indie",
    "Romance": "romantic",
    "Science Fiction": "sci-fi",
}
# Genres that can follow "no": "no horror", but not "no western".
_TOPICS = ("Action", "Adventure", "Comedy", "Crime", "Dance", "Drama", "Fantasy", "Horror", "Martial Arts", "Mystery",
           "Noir", "Romance", "Satire", "Science Fiction", "Sports", "Suspense", "War")  # fmt: skip
_ADJECTIVES = ("Animated", "Erotic", "Historical", "Independent", "Legal", "Live Action", "Political", "Short",
               "Silent", "Supernatural")  # fmt: skip
_SAME_GENRE = {"Sport": "Sports"}
_NOT_NAMES = ("The", "Jr.", "Sr.")


def _genre_phrases(genre: str) -> Phrases:
    names = ("{value}", *_ALSO_WRITTEN.get(genre, "").split())
    plural = tuple(_PLURALS.get(genre, "").split())
    nouns = (*(f"{name} {{head}}" for name in names), *plural)
    adjective = genre in _ADJECTIVES
    return Phrases(
        noun=nouns,
        core=("{value} {head}", *plural),
        modifier=names,
        are=(*nouns, *(names if adjective else ())),
        topic=("{value}",) if genre in _TOPICS else (),
        modifier_order=2 if adjective else 3,
        core_order=2 if adjective else 3,
    )


GENRES = Column(
    "genres",
    _genre_phrases(""),
    write=str.lower,
    special={genre: _genre_phrases(genre) for genre in (*_PLURALS, *_ALSO_WRITTEN, *_TOPICS, *_ADJECTIVES)},
)
DECADES = Column(
    "decades",
    Phrases(
        noun=("{head} from the {value}", "{value} {head}", "{head} made in the {value}", "{head} of the {value}"),
        core=("{head} from the {value}", "{head} made in the {value}"),
        open=("{head} from the {value}", "{head} made in the {value}"),
        tail=("the {value}",),
        modifier=("{value}",),
        post=("from the {value}", "made in the {value}", "released in the {value}"),
        are=("from the {value}",),
        do=("come from the {value}", "date from the {value}"),
        modifier_order=0,
    ),
)
CAST = Column(
    "cast",
    Phrases(
        noun=("{head} starring {value}", "{head} with {value}", "{value} {head}", "{head} featuring {value}"),
        core=("{head} starring {value}", "{head} with {value}"),
        open=("{head} starring {value}", "{head} with {value}", "{head} featuring {value}"),
        tail=("{value}",),
        modifier=("{value}",),
        post=("starring {value}", "with {value}", "featuring {value}"),
        are=("{value} {head}",),
        do=("star {value}", "feature {value}"),
        topic=("{value}",),
        modifier_order=1,
    ),
    slice="names",
)


def films_domain(data: DataFolder) -> Domain:
    """Films; a document is the title and the extract."""
    path = data.path / "films" / "films.jsonl.zst"

    def documents() -> Iterator[tuple[str, str]]:
        for number, film in enumerate(read_films(path, data.skip)):
            yield str(number), f"{film.title}. {film.extract}"

    return Domain(films_catalog(read_films(path, data.skip)), documents, "things")


def films_catalog(records: Iterable[Any]) -> Catalog:
    """Build the catalog of films; a film's ID is its position in the file, from "0", because titles repeat.

    Args:
        records: Objects or dicts with ``year``, ``cast`` and ``genres``.
    """
    return build_catalog(_rows(records), (GENRES, DECADES, CAST), HEADS)


def genre_exclusions(
    catalog: Catalog, smallest_genre: int = 100, overlap: float = 0.08, smallest_answer: int = 60
) -> Iterator[GeneratedQuery]:
    """Yield "A films that are not B films" for every ordered pair of genres that overlap enough.

    Args:
        catalog: The films.
        smallest_genre: Minimum number of films in each genre.
        overlap: Minimum share of A that is also B.
        smallest_answer: Minimum number of films that are A and not B.
    """
    genres = {atom: films for atom, films in catalog.members.items() if atom.column == GENRES.name}
    large = sorted(
        (atom for atom, films in genres.items() if len(films) >= smallest_genre), key=lambda atom: atom.value
    )
    for wanted, unwanted in permutations(large, 2):
        shared = genres[wanted].intersection_cardinality(genres[unwanted])
        size = len(genres[wanted])
        if shared >= overlap * size and size - shared >= smallest_answer:
            yield canonical_query(catalog, "_ that are not _", AndNot(wanted, unwanted))


def _rows(records: Iterable[Any]) -> Iterator[Row]:
    for number, record in enumerate(records):
        genres = [_SAME_GENRE.get(genre, genre) for genre in field_of(record, "genres")]
        decade = f"{field_of(record, 'year') // 10 * 10}s"
        cast = [name for name in field_of(record, "cast") if _is_name(name)]
        yield str(number), {GENRES.name: genres, DECADES.name: [decade], CAST.name: cast}


def _is_name(text: str) -> bool:
    """Whether it is a name, not one of the fragments in the cast lists: "and", "voices of", "(narrator)"."""
    return text[:1].isupper() and text not in _NOT_NAMES and not set(text) & set("()[]:?")

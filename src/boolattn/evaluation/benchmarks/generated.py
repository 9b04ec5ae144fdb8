"""Queries made over a catalog, so that every answer is known: films and Debian packages."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from pyroaring import BitMap

from boolattn.data.debian import DebianPackage, read_debian_packages, read_debian_vocabulary
from boolattn.data.films import read_films
from boolattn.evaluation.measures import RANKING_MEASURES, violation
from boolattn.evaluation.tasks import DataFolder, RetrievalTask
from boolattn.queries.catalog import Catalog
from boolattn.queries.debian import debian_catalog
from boolattn.queries.films import films_catalog, genre_exclusions
from boolattn.queries.generator import GeneratedQuery, generate

SEED = 0
QUERIES_PER_SLICE = 700
GENRE_PAIRS = "all genre pairs A not B"  # beside the drawn queries: a template of its own in every table

Labelled = tuple[str, GeneratedQuery]  # template as reported, query


def films(data: DataFolder) -> RetrievalTask:
    """Held-out films queries in two slices, and, in ``meaning``, every pair of genres that overlap enough."""
    path = data.path / "films" / "films.jsonl.zst"
    catalog = films_catalog(read_films(path, data.skip))
    pairs = [(GENRE_PAIRS, query) for query in genre_exclusions(catalog)]

    def documents() -> Iterator[tuple[str, str]]:
        for number, film in enumerate(read_films(path, data.skip)):
            yield str(number), f"{film.title}. {film.extract}"

    slices = {"meaning": pairs + held_out(catalog, "meaning"), "names": held_out(catalog, "names")}
    return _task("films", catalog, documents, slices)


def debian(data: DataFolder) -> RetrievalTask:
    """Held-out queries over the Debian packages that have facet tags."""
    folder = data.path / "debian"

    def packages() -> Iterator[DebianPackage]:
        return (package for package in read_debian_packages(folder / "packages.jsonl.zst", data.skip) if package.tags)

    def documents() -> Iterator[tuple[str, str]]:
        return ((package.name, f"{package.short}. {package.long}") for package in packages())

    catalog = debian_catalog(packages(), read_debian_vocabulary(folder / "vocabulary.txt", data.skip))
    return _task("debian", catalog, documents, {"meaning": held_out(catalog, "meaning")})


def held_out(catalog: Catalog, part: str) -> list[Labelled]:
    """Draw test queries over one slice of a catalog; training never sees their combinations of attributes."""
    queries = generate(catalog.slice(part), seed=SEED, split="test")
    return [(query.template, query) for query in islice(queries, QUERIES_PER_SLICE)]


def _task(
    name: str,
    catalog: Catalog,
    documents: Callable[[], Iterable[tuple[str, str]]],
    slices: Mapping[str, list[Labelled]],
) -> RetrievalTask:
    numbered = {
        f"{part}-{number}": (part, template, query)
        for part, queries in slices.items()
        for number, (template, query) in enumerate(queries)
    }
    negated = {key: _negated(catalog, query) for key, (_, _, query) in numbered.items()}
    return RetrievalTask(
        name,
        {key: query.text for key, (_, _, query) in numbered.items()},
        documents,
        {key: set(catalog.ids_of(query.answers)) for key, (_, _, query) in numbered.items()},
        [*RANKING_MEASURES, violation @ 20],
        negated={key: set(catalog.ids_of(entities)) for key, entities in negated.items() if entities},
        template_of={key: template for key, (_, template, _) in numbered.items()},
        slice_of={key: part for key, (part, _, _) in numbered.items()} if len(slices) > 1 else None,
    )


def _negated(catalog: Catalog, query: GeneratedQuery) -> BitMap:
    """Return what matches a negated atom, right answers left out: "A or B but not C" may well want a C that is A."""
    matching = [catalog.members[mention.atom] for mention in query.mentions if mention.sign < 0]
    return BitMap.union(BitMap(), *matching) - query.answers

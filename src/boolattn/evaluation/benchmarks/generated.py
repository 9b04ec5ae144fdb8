"""Queries made over a catalog, so that every answer is known: films and Debian packages."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from pyroaring import BitMap

from boolattn.data.debian import DebianPackage, read_debian_packages, read_debian_vocabulary
from boolattn.data.films import read_films
from boolattn.data.pages import read_pages
from boolattn.data.records import Document
from boolattn.evaluation.measures import RANKING_MEASURES, violation
from boolattn.evaluation.tasks import DataFolder, ReadingTask, RetrievalTask
from boolattn.generation.catalog.catalog import Catalog
from boolattn.generation.catalog.splits import Split, Splits
from boolattn.generation.domains.debian import debian_catalog
from boolattn.generation.domains.films import films_catalog, genre_exclusions
from boolattn.generation.domains.mentions import mentions_catalog
from boolattn.generation.generator import GeneratedQuery, generate
from boolattn.generation.unseen_queries import unusual_queries
from boolattn.generation.wordings.templates import TEMPLATES
from boolattn.reading.caller import labelled_reading
from boolattn.reading.readers import reader_of

SEED = 0
QUERIES_PER_SLICE = 700
UNUSUAL_QUERIES = 300
PAGES = 12_288
GENRE_PAIRS = "all genre pairs A not B"  # beside the drawn queries: a template of its own in every table

Documents = Callable[[], Iterable[tuple[str, str]]]
Labelled = tuple[str, GeneratedQuery]  # template as reported, query


class Domain(NamedTuple):
    """A catalog, the documents of its entities, and whether these are things or pages."""

    catalog: Catalog
    documents: Documents
    documents_are: Literal["things", "pages"]


def films(data: DataFolder) -> RetrievalTask:
    """Held-out films queries in two slices, and, in ``meaning``, every pair of genres that overlap enough."""
    domain = films_domain(data)
    pairs = [(GENRE_PAIRS, query) for query in genre_exclusions(domain.catalog)]
    meaning, names = (drawn(domain.catalog, part, "test", tuple(TEMPLATES)) for part in ("meaning", "names"))
    return _task("films", domain, {"meaning": pairs + meaning, "names": names})


def films_pairs(data: DataFolder) -> RetrievalTask:
    """Those of the pairs of genres that training never asks for, in whatever words."""
    domain, splits = films_domain(data), Splits()
    unseen = (
        query
        for query in genre_exclusions(domain.catalog)
        if splits.split_of(mention.atom for mention in query.mentions) != "train"
    )
    return _task("films-pairs", domain, {"meaning": [(GENRE_PAIRS, query) for query in unseen]})


def debian(data: DataFolder) -> RetrievalTask:
    """Held-out queries over the Debian packages that have facet tags."""
    domain = debian_domain(data)
    return _task("debian", domain, {"meaning": drawn(domain.catalog, "meaning", "test", tuple(TEMPLATES))})


def films_unusual(data: DataFolder) -> RetrievalTask:
    """Held-out films queries that exclude something in words the rules do not know."""
    return _unusual("films-unusual", films_domain(data))


def debian_unusual(data: DataFolder) -> RetrievalTask:
    """Held-out queries over Debian packages that exclude something in words the rules do not know."""
    return _unusual("debian-unusual", debian_domain(data))


def exclusion_validation(data: DataFolder) -> list[RetrievalTask]:
    """Validation queries of all catalogs that exclude something: to choose settings by, never to report."""
    templates = tuple(template for template in TEMPLATES if "not" in template.split())
    return [
        _task(name, domain, {"meaning": drawn(domain.catalog, "meaning", "validation", templates)})
        for name, domain in (
            ("films", films_domain(data)),
            ("debian", debian_domain(data)),
            ("pages", pages_domain(data)),
        )
    ]


def films_reading(data: DataFolder) -> ReadingTask:
    """What held-out films queries say."""
    return _reading_task("films-reading", films_domain(data))


def debian_reading(data: DataFolder) -> ReadingTask:
    """What held-out queries over Debian packages say: a domain that no reader here has learned from."""
    return _reading_task("debian-reading", debian_domain(data))


def _reading_task(name: str, domain: Domain) -> ReadingTask:
    queries = {str(n): query for n, (_, query) in enumerate(drawn(domain.catalog, "meaning", "test", tuple(TEMPLATES)))}
    return ReadingTask(
        name,
        {
            key: (query.text, labelled_reading(query.text, query.operators, query.cues, query.scopes))
            for key, query in queries.items()
        },
        {key: query.template for key, query in queries.items()},
    )


def films_domain(data: DataFolder) -> Domain:
    """Films: title and extract."""
    path = data.path / "films" / "films.jsonl.zst"

    def documents() -> Iterator[tuple[str, str]]:
        for number, film in enumerate(read_films(path, data.skip)):
            yield str(number), f"{film.title}. {film.extract}"

    return Domain(films_catalog(read_films(path, data.skip)), documents, "things")


def debian_domain(data: DataFolder) -> Domain:
    """Debian packages that have facet tags: both descriptions."""
    folder = data.path / "debian"

    def packages() -> Iterator[DebianPackage]:
        return (package for package in read_debian_packages(folder / "packages.jsonl.zst", data.skip) if package.tags)

    def documents() -> Iterator[tuple[str, str]]:
        return ((package.name, f"{package.short}. {package.long}") for package in packages())

    vocabulary = read_debian_vocabulary(folder / "vocabulary.txt", data.skip)
    return Domain(debian_catalog(packages(), vocabulary), documents, "things")


def pages_domain(data: DataFolder) -> Domain:
    """The first pages of the Wikipedia introductions, by what they mention."""
    pages = first_pages(data)

    def documents() -> Iterator[tuple[str, str]]:
        return ((page.title, f"{page.title}. {page.text}") for page in pages)

    return Domain(mentions_catalog([page.title for page in pages], [page.text for page in pages]), documents, "pages")


def first_pages(data: DataFolder) -> list[Document]:
    """Return the first pages of the Wikipedia introductions, one of each title."""
    path = data.path / "wiki-intros" / "wiki_intros.jsonl.zst"
    return list({page.title: page for page in islice(read_pages(path, data.skip), PAGES)}.values())


def drawn(catalog: Catalog, part: str, split: Split, templates: Sequence[str]) -> list[Labelled]:
    """Draw queries over one slice of a catalog; no two splits share a combination of attributes."""
    queries = generate(catalog.slice(part), seed=SEED, split=split, templates=templates)
    return [(query.template, query) for query in islice(queries, QUERIES_PER_SLICE)]


def _unusual(name: str, domain: Domain) -> RetrievalTask:
    """Keep the queries in which the rules see no exclusion, for a value may hold a word they know."""
    queries = unusual_queries(domain.catalog.slice("meaning"), seed=SEED, split="test")
    rules = reader_of("rules")
    missed = (query for query in queries if not rules.read([query.text])[0].exclusions)
    return _task(name, domain, {"meaning": [(query.template, query) for query in islice(missed, UNUSUAL_QUERIES)]})


def _task(name: str, domain: Domain, slices: Mapping[str, list[Labelled]]) -> RetrievalTask:
    catalog, documents, documents_are = domain
    numbered = {
        f"{part}-{number}": (part, template, query)
        for part, queries in slices.items()
        for number, (template, query) in enumerate(queries)
    }
    negated = {key: matching_negated(catalog, query) for key, (_, _, query) in numbered.items()}
    return RetrievalTask(
        name,
        {key: query.text for key, (_, _, query) in numbered.items()},
        documents,
        {key: set(catalog.ids_of(query.answers)) for key, (_, _, query) in numbered.items()},
        [*RANKING_MEASURES, violation @ 20],
        negated={key: set(catalog.ids_of(entities)) for key, entities in negated.items() if entities},
        template_of={key: template for key, (_, template, _) in numbered.items()},
        slice_of={key: part for key, (part, _, _) in numbered.items()} if len(slices) > 1 else None,
        operators={key: frozenset(query.operators) for key, (_, _, query) in numbered.items()},
        documents_are=documents_are,
    )


def matching_negated(catalog: Catalog, query: GeneratedQuery) -> BitMap:
    """Return what matches a negated atom, right answers left out: "A or B but not C" may well want a C that is A."""
    matching = [catalog.members[mention.atom] for mention in query.mentions if mention.sign < 0]
    return BitMap.union(BitMap(), *matching) - query.answers

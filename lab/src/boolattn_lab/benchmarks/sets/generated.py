"""Queries generated over films, Debian packages and Wikipedia pages, with complete gold answers."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from boolattn.operators import NOT
from boolattn.reading.caller import labelled_reading
from boolattn.reading.readers import reader_of
from boolattn.reading.reading import Reading
from boolattn_lab.benchmarks.measures import RANKING_MEASURES, violation
from boolattn_lab.benchmarks.tasks import ReadingTask, RetrievalTask
from boolattn_lab.catalogs.catalog import Catalog, Domain
from boolattn_lab.catalogs.debian import debian_domain
from boolattn_lab.catalogs.expressions import TEMPLATES
from boolattn_lab.catalogs.films import films_domain, genre_exclusions
from boolattn_lab.catalogs.generator import GeneratedQuery, generate, matching_negated
from boolattn_lab.catalogs.mentions import PAGES, pages_domain
from boolattn_lab.catalogs.passages import LONGEST_PAGE, PassageQuery, passage_queries, sentences_of
from boolattn_lab.catalogs.splits import Split, Splits
from boolattn_lab.catalogs.unseen_queries import unseen_queries
from boolattn_lab.formats.catalogs import read_pages
from boolattn_lab.formats.folder import DataFolder

SEED = 0
QUERIES_PER_SLICE = 700
UNSEEN_QUERIES = 300
GENRE_PAIRS = "all genre pairs A not B"  # in addition to generated queries: a separate template in every table

Labelled = tuple[str, GeneratedQuery]  # template as reported, query

UNSEEN_PAGES = 6144  # after the pages that readers are trained on
SINGLE, PAIRS = 300, 150


def films(data: DataFolder) -> RetrievalTask:
    """Held-out films queries in two slices; ``meaning`` also has every pair of genres that overlap enough."""
    domain = films_domain(data)
    pairs = [(GENRE_PAIRS, query) for query in genre_exclusions(domain.catalog)]
    meaning, names = (sample_queries(domain.catalog, part, "test", tuple(TEMPLATES)) for part in ("meaning", "names"))
    return _task("films", domain, {"meaning": pairs + meaning, "names": names})


def films_pairs(data: DataFolder) -> RetrievalTask:
    """The genre pairs that are never used in training, in any wording."""
    domain, splits = films_domain(data), Splits()
    unseen = (
        query
        for query in genre_exclusions(domain.catalog)
        if splits.split_of(mention.atom for mention in query.mentions) != "train"
    )
    return _task("films-pairs", domain, {"meaning": [(GENRE_PAIRS, query) for query in unseen]})


def debian(data: DataFolder) -> RetrievalTask:
    """Held-out queries over the Debian packages with facet tags."""
    domain = debian_domain(data)
    return _task("debian", domain, {"meaning": sample_queries(domain.catalog, "meaning", "test", tuple(TEMPLATES))})


def films_unseen(data: DataFolder) -> RetrievalTask:
    """Held-out films queries with exclusions in wordings that the rules do not know."""
    return _unseen("films-unusual", films_domain(data))


def debian_unseen(data: DataFolder) -> RetrievalTask:
    """Held-out queries over Debian packages with exclusions in wordings that the rules do not know."""
    return _unseen("debian-unusual", debian_domain(data))


def exclusion_validation(data: DataFolder) -> list[RetrievalTask]:
    """Validation queries of all catalogs with exclusions: for choosing settings, never for reporting."""
    templates = tuple(template for template in TEMPLATES if "not" in template.split())
    return [
        _task(name, domain, {"meaning": sample_queries(domain.catalog, "meaning", "validation", templates)})
        for name, domain in (
            ("films", films_domain(data)),
            ("debian", debian_domain(data)),
            ("pages", pages_domain(data)),
        )
    ]


def films_reading(data: DataFolder) -> ReadingTask:
    """Operators, cues and scopes of held-out films queries."""
    return _reading_task("films-reading", films_domain(data))


def debian_reading(data: DataFolder) -> ReadingTask:
    """Operators, cues and scopes of held-out queries over Debian packages: a domain that no reader was trained on."""
    return _reading_task("debian-reading", debian_domain(data))


def _reading_task(name: str, domain: Domain) -> ReadingTask:
    queries = {
        str(n): query
        for n, (_, query) in enumerate(sample_queries(domain.catalog, "meaning", "test", tuple(TEMPLATES)))
    }
    return ReadingTask(
        name,
        {key: (query.text, _reading(query)) for key, query in queries.items()},
        {key: query.template for key, query in queries.items()},
    )


def _reading(query: GeneratedQuery) -> Reading:
    return labelled_reading(query.text, query.operators, query.cues, query.scopes)


def sample_queries(catalog: Catalog, part: str, split: Split, templates: Sequence[str]) -> list[Labelled]:
    """Generate queries over one slice of a catalog; no two splits share a combination of attributes."""
    queries = generate(catalog.slice(part), seed=SEED, split=split, templates=templates)
    return [(query.template, query) for query in islice(queries, QUERIES_PER_SLICE)]


def _unseen(name: str, domain: Domain) -> RetrievalTask:
    """Drop queries in which the rules find an exclusion: a value may contain a word they know."""
    queries = unseen_queries(domain.catalog.slice("meaning"), seed=SEED, split="test")
    rules = reader_of("rules")
    missed = (query for query in queries if not rules.read([query.text])[0].exclusions)
    return _task(name, domain, {"meaning": [(query.template, query) for query in islice(missed, UNSEEN_QUERIES)]})


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
        readings={key: _reading(query) for key, (_, _, query) in numbered.items()},
        documents_are=documents_are,
    )


def long_questions(data: DataFolder, first: int | None = None) -> RetrievalTask:
    """Long questions about pages; some join two: "the story of X, leaving aside Y, and how Z began (except W)".

    Args:
        data: The data folder.
        first: The first page to ask about; None uses the first that no reader was trained on.
    """
    first = PAGES if first is None else first
    path = data.path / "wiki-intros" / "wiki_intros.jsonl.zst"
    unseen = islice(read_pages(path, data.skip), first, first + UNSEEN_PAGES)
    pages = {page.title: page for page in unseen if len(page.text) <= LONGEST_PAGE}
    drawn = (query for query in passage_queries(list(pages.values()), SEED) if query.unwanted and query.answers)
    single = list(islice(drawn, SINGLE))
    pairs = list(islice(zip(drawn, drawn, strict=False), PAIRS))
    asked = {str(number): queries for number, queries in enumerate([*((query,) for query in single), *pairs])}
    titles = {identifier.rpartition("#")[0] for query in [*single, *sum(pairs, ())] for identifier in query.answers}

    def documents() -> Iterator[tuple[str, str]]:
        for title in sorted(titles):
            yield from sentences_of(pages[title]).items()

    return RetrievalTask(
        "questions",
        {key: _in_one(queries) for key, queries in asked.items()},
        documents,
        {key: {identifier for query in queries for identifier in query.answers} for key, queries in asked.items()},
        [*RANKING_MEASURES, violation @ 20],
        negated={
            key: {identifier for query in queries for identifier in query.unwanted} for key, queries in asked.items()
        },
        operators={key: frozenset([NOT.name]) for key in asked},
    )


def _in_one(queries: tuple[PassageQuery, ...]) -> str:
    *earlier, last = (query.text for query in queries)
    return " and ".join([*(text.rstrip("?. ") for text in earlier), last])

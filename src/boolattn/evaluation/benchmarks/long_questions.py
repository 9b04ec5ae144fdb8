"""Long questions that leave something out, over the sentences of Wikipedia pages: to choose settings by."""

from collections.abc import Iterator
from itertools import islice

from boolattn.data.folder import DataFolder
from boolattn.data.pages import read_pages
from boolattn.evaluation.benchmarks.generated import SEED
from boolattn.evaluation.measures import RANKING_MEASURES, violation
from boolattn.evaluation.tasks import RetrievalTask
from boolattn.generation.domains.mentions import PAGES
from boolattn.generation.passages import PassageQuery, passage_queries, sentences_of
from boolattn.operators import NOT

UNSEEN_PAGES = 6144  # behind the first, from which readers learn
LONGEST_PAGE = 1500  # characters
SINGLE, PAIRS = 300, 150


def long_questions(data: DataFolder) -> RetrievalTask:
    """Some are two questions in one: "the story of X, leaving aside Y, and how Z began (except W)"."""
    path = data.path / "wiki-intros" / "wiki_intros.jsonl.zst"
    unseen = islice(read_pages(path, data.skip), PAGES, PAGES + UNSEEN_PAGES)
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

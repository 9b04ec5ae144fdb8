"""Queries for recipes with, without, or with either of some ingredients; right and wrong come from a checked table."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from heapq import nsmallest

from ir_measures import P, R, nDCG

from boolattn.reading.plan import BooleanPlan
from boolattn_lab.benchmarks.measures import violation
from boolattn_lab.benchmarks.tasks import RetrievalTask
from boolattn_lab.catalogs.recipes.catalog import RecipeCatalog
from boolattn_lab.catalogs.recipes.queries import RecipeQuery, Split, recipe_queries
from boolattn_lab.catalogs.recipes.wordings import Kind
from boolattn_lab.formats.catalogs import Recipe, read_recipes
from boolattn_lab.formats.folder import DataFolder

RECIPES = 20_000
SEED = 0
# How many queries of each kind are drawn, for both splits together.
QUERIES: Mapping[str, Mapping[Kind, int]] = {
    "recipes-not": {"not": 400},
    "recipes-and": {"and": 400},
    "recipes-or": {"or": 400},
    "recipes-mix": {"and not": 120, "or not": 120, "and or": 120, "not or": 120},
}


def excluding(data: DataFolder) -> RetrievalTask:
    """A dish without an ingredient: "onion-free soup"."""
    return recipe_tasks(data)["recipes-not"]


def joining(data: DataFolder) -> RetrievalTask:
    """A dish with two ingredients: "soup with carrots and celery"."""
    return recipe_tasks(data)["recipes-and"]


def either(data: DataFolder) -> RetrievalTask:
    """A dish with one of two ingredients: "walnut or raisin cookies"."""
    return recipe_tasks(data)["recipes-or"]


def mixing(data: DataFolder) -> RetrievalTask:
    """Two operators in one query: "cookies with walnuts or raisins but no coconut"."""
    return recipe_tasks(data)["recipes-mix"]


def recipe_tasks(data: DataFolder, split: Split = "test") -> dict[str, RetrievalTask]:
    """Return all four benchmarks; ``validation`` is for choosing settings, never for reporting."""
    catalog = RecipeCatalog.of(chosen_recipes(data))
    return {name: _task(name, catalog, drawn_queries(catalog, name), split) for name in QUERIES}


def gold_plans(data: DataFolder, name: str, split: Split = "test") -> dict[str, BooleanPlan]:
    """Return what each query of a benchmark means."""
    drawn = drawn_queries(RecipeCatalog.of(chosen_recipes(data)), name)
    return {key: query.plan for key, query in drawn.items() if query.split == split}


def chosen_recipes(data: DataFolder) -> list[Recipe]:
    """Return the recipes that the benchmarks search: those whose IDs have the smallest hashes."""
    path = data.path / "recipes" / "recipes.jsonl.zst"
    return nsmallest(RECIPES, read_recipes(path, data.skip), key=lambda recipe: sha256(recipe.id.encode()).digest())


def drawn_queries(catalog: RecipeCatalog, name: str) -> dict[str, RecipeQuery]:
    """Return the queries of a benchmark by ID, both splits, with their gold plans."""
    return {
        f"{kind.replace(' ', '-')}-{number}": query
        for kind, count in QUERIES[name].items()
        for number, query in enumerate(recipe_queries(catalog, kind, count, SEED))
    }


def _task(name: str, catalog: RecipeCatalog, drawn: Mapping[str, RecipeQuery], split: Split) -> RetrievalTask:
    queries = {key: query for key, query in drawn.items() if query.split == split}
    excludes = any(query.violating for query in queries.values())

    def documents() -> Iterator[tuple[str, str]]:
        for recipe in catalog.recipes:
            yield recipe.id, recipe.text

    return RetrievalTask(
        name,
        {key: query.text for key, query in queries.items()},
        documents,
        {key: catalog.ids_of(query.answers) for key, query in queries.items()},
        [P @ 10, R @ 100, nDCG @ 10, *([violation @ 10] if excludes else [])],
        negated={key: catalog.ids_of(query.violating) for key, query in queries.items() if query.violating},
        undecided={key: catalog.ids_of(query.undecided) for key, query in queries.items()},
        template_of={key: f"{query.kind}, {'seen' if query.seen else 'unseen'}" for key, query in queries.items()},
        operators={key: frozenset(query.operators) for key, query in queries.items()},
        document_tokens=256,
        documents_are="things",
    )

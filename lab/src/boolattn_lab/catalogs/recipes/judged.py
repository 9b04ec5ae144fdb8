"""Recipes judged by hand, right or wrong for a query, without looking at the gold; their text does not ship."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import msgspec

from boolattn_lab.catalogs.recipes.wordings import Kind
from boolattn_lab.formats.catalogs import Recipe
from boolattn_lab.formats.jsonl import Filled, read_jsonl

JUDGED = Path(str(files(__package__).joinpath("judged.jsonl")))


class JudgedRecipe(msgspec.Struct, frozen=True):
    """One judgement: the query as typed and what it means, a recipe, and whether it is right.

    Attributes:
        drawn: ``random`` from all queries, or ``look-alike`` from those with look-alikes of what they exclude.
    """

    query: Filled
    kind: Kind
    dish: Filled
    ingredients: tuple[str, ...]
    recipe: Filled
    sha256: Filled
    right: bool
    drawn: str


class ChangedRecipeError(ValueError):
    """A judged recipe has another text than when it was judged."""


def judged_recipes(recipes: Iterable[Recipe], path: Path = JUDGED) -> Iterator[tuple[JudgedRecipe, int]]:
    """Yield the judgements, each with the number of its recipe among these; those of other recipes are skipped."""
    places = {recipe.id: (number, digest(recipe)) for number, recipe in enumerate(recipes)}
    for row in read_jsonl(path, JudgedRecipe):
        if row.recipe not in places:
            continue
        number, found = places[row.recipe]
        if found != row.sha256:
            raise ChangedRecipeError(f"recipe {row.recipe!r} was judged with another text: judge it again")
        yield row, number


def digest(recipe: Recipe) -> str:
    """Return the hash of a recipe's text."""
    return sha256(recipe.text.encode()).hexdigest()

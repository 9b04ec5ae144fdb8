"""The recipes with what is known of each: yes, no or open for every dish and every ingredient."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pyroaring import BitMap, FrozenBitMap

from boolattn_lab.catalogs.recipes.dishes import Verdict, dishes
from boolattn_lab.catalogs.recipes.ingredients import LACKING, findings, ingredients
from boolattn_lab.formats.catalogs import Recipe


class Known(NamedTuple):
    """The recipes that something is true of, and those for which that is open; it is false of all others."""

    true: FrozenBitMap
    open: FrozenBitMap

    def __and__(self, other: "Known") -> "Known":
        both = self.true & other.true
        return Known(both, ((self.true | self.open) & (other.true | other.open)) - both)

    def __or__(self, other: "Known") -> "Known":
        either = self.true | other.true
        return Known(either, (self.open | other.open) - either)

    def but_not(self, other: "Known") -> "Known":
        """Return where this is true and the other false."""
        right = self.true - other.true - other.open
        return Known(right, (self.true | self.open) - other.true - right)


@dataclass(frozen=True, slots=True)
class RecipeCatalog:
    """Recipes by number.

    Attributes:
        recipes: The recipes.
        dishes: Dish -> the recipes for it.
        ingredients: Ingredient -> the recipes that contain it.
        look_alikes: Ingredient -> the recipes that lack it but have its word, negated or as part of another thing.
    """

    recipes: Sequence[Recipe]
    dishes: Mapping[str, Known]
    ingredients: Mapping[str, Known]
    look_alikes: Mapping[str, FrozenBitMap]

    @classmethod
    def of(cls, recipes: Iterable[Recipe]) -> "RecipeCatalog":
        """Look up every dish and ingredient in every recipe."""
        chosen = list(recipes)
        found = [findings(recipe.title, recipe.ingredients) for recipe in chosen]
        of_ingredient = {name: [each.get(name, LACKING) for each in found] for name in ingredients()}
        return cls(
            chosen,
            {name: _known([dish.verdict(recipe.title) for recipe in chosen]) for name, dish in dishes().items()},
            {name: _known([finding.verdict for finding in each]) for name, each in of_ingredient.items()},
            {
                name: FrozenBitMap(number for number, finding in enumerate(each) if finding.look_alike)
                for name, each in of_ingredient.items()
            },
        )

    def ids_of(self, numbers: BitMap | FrozenBitMap) -> set[str]:
        """Return the IDs of recipes."""
        return {self.recipes[number].id for number in numbers}


def _known(verdicts: Sequence[Verdict]) -> Known:
    places: dict[Verdict, BitMap] = {"contains": BitMap(), "open": BitMap(), "lacks": BitMap()}
    for number, verdict in enumerate(verdicts):
        places[verdict].add(number)
    return Known(FrozenBitMap(places["contains"]), FrozenBitMap(places["open"]))

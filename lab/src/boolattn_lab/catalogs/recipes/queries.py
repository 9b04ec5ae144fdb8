"""Queries for dishes with, without, or with either of some ingredients; gold answers come from the table of phrases."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations, permutations, product
from random import Random
from typing import Literal

from pyroaring import BitMap, FrozenBitMap

from boolattn.reading.plan import AllOf, AnyOf, BooleanPlan, PlanNode, QueryAtom, Sign, join
from boolattn.reading.spans import Span
from boolattn_lab.catalogs.recipes.catalog import Known, RecipeCatalog
from boolattn_lab.catalogs.recipes.dishes import dishes
from boolattn_lab.catalogs.recipes.ingredients import ingredients
from boolattn_lab.catalogs.recipes.wordings import SEEN, UNSEEN, Kind

Split = Literal["validation", "test"]

MINIMUM = 10
"""Fewest answers, and fewest recipes that each part of a query rules out or lets in."""
COMMON = 0.6
"""An ingredient in more of a dish's recipes than this is not asked for: almost every recipe is right."""
RARE = 0.07
"""An ingredient in fewer of a dish's recipes than this is not excluded: ignoring the exclusion would cost nothing."""

# Ingredients of which one contains or is easily confused with the other are never in one query.
_RELATED = [
    {"nuts", "walnuts", "pecans", "almonds", "peanuts", "peanut butter"},
    {"butter", "peanut butter"},
    {"cheese", "cream cheese", "cream", "sour cream"},
    {"cream", "milk"},
    {"eggs", "mayonnaise"},
    {"salt", "soy sauce"},
]
_NOT_ASKED_FOR = {"salt", "sugar"}
_IN_THE_NAME = {("cheesecake", "cheese"), ("cheesecake", "cream cheese"), ("cheesecake", "cream")}
_SLOT = re.compile(r"<(dish|Dish|[xyzXYZ])>")
_SHARE_UNSEEN = 1 / 3


@dataclass(frozen=True, slots=True)
class RecipeQuery:
    """One query with its gold.

    Attributes:
        text: The query as typed.
        kind: Its operators.
        plan: What it means, with the places of its words.
        answers: The recipes it asks for.
        violating: The recipes that contain something it excludes.
        undecided: The recipes that are neither right nor wrong: what it asks is open for them.
        look_alikes: The answers with an excluded word, negated or as part of another thing ("eggplant").
        seen: Whether its wording is like those that readers are trained on.
        split: Validation may be used to choose settings; test only measures.
    """

    text: str
    kind: Kind
    plan: BooleanPlan
    answers: FrozenBitMap
    violating: FrozenBitMap
    undecided: FrozenBitMap
    look_alikes: FrozenBitMap
    seen: bool
    split: Split

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators in it, besides that between the dish and its ingredients."""
        return tuple(self.kind.split())


def recipe_queries(catalog: RecipeCatalog, kind: Kind, count: int, seed: int = 0) -> list[RecipeQuery]:
    """Return queries of one kind, of both splits; the same arguments always give the same queries.

    Dishes take turns, so that those with many possible queries do not crowd out the others.
    """
    rng = Random(f"{seed} recipes {kind}")
    of_dish = []
    for dish in dishes():
        possible = list(_expressions(catalog, kind, dish))
        rng.shuffle(possible)
        of_dish.append(possible)
    found: list[RecipeQuery] = []
    while len(found) < count and any(of_dish):
        for possible in of_dish:
            if possible and len(found) < count:
                dish, chosen = possible.pop()
                found.append(_query(catalog, kind, dish, chosen, rng))
    return found


def gold_of(catalog: RecipeCatalog, kind: Kind, dish: str, chosen: Sequence[str]) -> Known:
    """Return the recipes for which a dish with or without some ingredients is right, and those that are undecided."""
    return _evaluate(catalog.ingredients, catalog.dishes[dish], kind, chosen)


def _expressions(catalog: RecipeCatalog, kind: Kind, dish: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a dish with ingredients for each query that has enough answers and enough near misses."""
    of_dish = catalog.dishes[dish]
    known = {name: of_dish & each for name, each in catalog.ingredients.items() if (dish, name) not in _IN_THE_NAME}
    wanted = [
        name
        for name, each in known.items()
        if MINIMUM <= len(each.true) <= COMMON * len(of_dish.true) and name not in _NOT_ASKED_FOR
    ]
    unwanted = [name for name, each in known.items() if len(each.true) >= max(MINIMUM, RARE * len(of_dish.true))]
    for chosen in _choices(kind, wanted, unwanted):
        confusing = len(set(chosen)) < len(chosen) or any(len(group & set(chosen)) > 1 for group in _RELATED)
        if not confusing and _matters(known, of_dish, kind, chosen):
            yield dish, chosen


def _choices(kind: Kind, wanted: list[str], unwanted: list[str]) -> Iterator[tuple[str, ...]]:
    match kind:
        case "not":
            yield from ((name,) for name in unwanted)
        case "and" | "or":
            yield from combinations(wanted, 2)
        case "not or":
            yield from combinations(unwanted, 2)
        case "and not" | "or not":
            yield from ((*pair, name) for pair, name in product(combinations(wanted, 2), unwanted))
        case "and or":
            yield from ((name, *pair) for name, pair in product(wanted, combinations(wanted, 2)))


def _matters(known: Mapping[str, Known], of_dish: Known, kind: Kind, chosen: tuple[str, ...]) -> bool:
    """Whether a query has enough answers, and each of its parts rules out or lets in enough recipes."""
    answers = _evaluate(known, of_dish, kind, chosen).true
    if len(answers) < MINIMUM:
        return False
    each = [known[name].true for name in chosen]
    match kind:
        case "not":
            return True
        case "and":
            return all(len(one - answers) >= MINIMUM for one in each)
        case "or":
            return all(len(one - other) >= MINIMUM for one, other in permutations(each))
        case "not or":
            return all(len(one - other) >= MINIMUM for one, other in permutations(each))
        case "and not":
            return len(each[0] & each[1] & each[2]) >= MINIMUM // 2
        case "or not":
            return all(len(one & answers) >= MINIMUM // 2 and len(one & each[2]) >= MINIMUM // 2 for one in each[:2])
        case "and or":
            return len(each[0] - answers) >= MINIMUM and all(len(one & answers) >= MINIMUM // 2 for one in each[1:])


def _evaluate(known: Mapping[str, Known], of_dish: Known, kind: Kind, chosen: Sequence[str]) -> Known:
    each = [known[name] for name in chosen]
    match kind:
        case "not":
            return of_dish.but_not(each[0])
        case "and":
            return of_dish & each[0] & each[1]
        case "or":
            return of_dish & (each[0] | each[1])
        case "and not":
            return (of_dish & each[0] & each[1]).but_not(each[2])
        case "or not":
            return (of_dish & (each[0] | each[1])).but_not(each[2])
        case "and or":
            return of_dish & each[0] & (each[1] | each[2])
        case "not or":
            return of_dish.but_not(each[0]).but_not(each[1])


def _query(catalog: RecipeCatalog, kind: Kind, dish: str, chosen: tuple[str, ...], rng: Random) -> RecipeQuery:
    seen = rng.random() >= _SHARE_UNSEEN
    text, spans = _worded(rng.choice((SEEN if seen else UNSEEN)[kind]), dish, chosen)
    found = gold_of(catalog, kind, dish, chosen)
    excluded = chosen if kind in ("not", "not or") else chosen[-1:] if "not" in kind else ()
    violating = BitMap().union(*(catalog.ingredients[name].true for name in excluded))
    alike = BitMap().union(*(catalog.look_alikes[name] for name in excluded))
    digest = blake2b("\x1f".join((kind, dish, *chosen)).encode(), digest_size=8).digest()
    return RecipeQuery(
        text,
        kind,
        BooleanPlan(text, _condition(text, kind, spans), 1.0, "caller", "gold"),
        found.true,
        FrozenBitMap(violating),
        found.open - violating,
        FrozenBitMap(found.true & alike),
        seen,
        "test" if digest[0] % 2 else "validation",
    )


def _worded(pattern: str, dish: str, chosen: tuple[str, ...]) -> tuple[str, list[Span]]:
    """Return a wording of a query, and where the dish and the ingredients are."""
    values = {"dish": dish, "Dish": dishes()[dish].modifier}
    for slot, name in zip("xyz", chosen, strict=False):
        values |= {slot: name, slot.upper(): ingredients()[name].modifier}
    text, places = "", {}
    for number, piece in enumerate(_SLOT.split(re.sub(r"[\[\]]", "", pattern))):
        if number % 2:
            places[piece.lower()] = Span(len(text), len(text) + len(values[piece]))
            piece = values[piece]
        text += piece
    return text, [places[slot] for slot in ("dish", *"xyz"[: len(chosen)])]


def _condition(text: str, kind: Kind, spans: list[Span]) -> PlanNode:
    def atom(span: Span, sign: Sign = 1) -> QueryAtom:
        return QueryAtom.at(text, span, sign)

    dish, *others = spans
    match kind:
        case "not" | "not or":
            parts: list[PlanNode] = [atom(each, -1) for each in others]
        case "and":
            parts = [atom(each) for each in others]
        case "or":
            parts = [join(AnyOf, [atom(each) for each in others])]
        case "and not":
            parts = [atom(others[0]), atom(others[1]), atom(others[2], -1)]
        case "or not":
            parts = [join(AnyOf, [atom(others[0]), atom(others[1])]), atom(others[2], -1)]
        case "and or":
            parts = [atom(others[0]), join(AnyOf, [atom(others[1]), atom(others[2])])]
    return join(AllOf, [atom(dish), *parts])

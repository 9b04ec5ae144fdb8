"""Queries over made-up recipes: gold, plans and wordings."""

import re
from itertools import combinations
from pathlib import Path

import msgspec
import pytest

from boolattn.reading.syntax import parse
from boolattn_lab.catalogs import wordings as trained_on
from boolattn_lab.catalogs.recipes.catalog import RecipeCatalog
from boolattn_lab.catalogs.recipes.queries import MINIMUM, gold_of, recipe_queries
from boolattn_lab.catalogs.recipes.wordings import SEEN, UNSEEN
from boolattn_lab.formats.catalogs import Recipe
from boolattn_lab.formats.hashed_labels import LABELS

WORDS = ("onions", "celery", "rice", "carrots")


@pytest.fixture(scope="module")
def catalog():
    """Soups with every set of four ingredients, twelve of each; every third without onions has onion powder."""
    sets = [chosen for size in range(5) for chosen in combinations(WORDS, size)]
    return RecipeCatalog.of(
        Recipe(
            f"{number}-{'-'.join(chosen)}",
            f"Soup {number}",
            (*chosen, *(["onion powder"] if number % 3 == 0 and "onions" not in chosen else [])),
            "",
        )
        for chosen in sets
        for number in range(12)
    )


@pytest.mark.parametrize("kind", SEEN)
def test_gold_is_what_the_plan_says_of_the_ingredients(catalog, kind):
    queries = recipe_queries(catalog, kind, 40)
    assert queries, kind
    for query in queries:
        for number, recipe in enumerate(catalog.recipes):
            held = set(recipe.ingredients)
            if "onion powder" in held and "onion" in str(query.plan):
                continue
            assert (number in query.answers) == holds(query.plan.condition, held), (query.text, recipe.ingredients)
            excluded = {atom.text for atom in query.plan.negatives}
            assert (number in query.violating) == any(names(text, held) for text in excluded)


def holds(condition, held):
    if hasattr(condition, "parts"):
        found = [holds(part, held) for part in condition.parts]
        return all(found) if type(condition).__name__ == "AllOf" else any(found)
    return (condition.text == "soup" or names(condition.text, held)) == (condition.sign == 1)


def names(text, held):
    return any(each.removesuffix("s") == text.removesuffix("s") for each in held)


def test_a_recipe_with_only_onion_powder_is_neither_right_nor_wrong(catalog):
    powder = {number for number, recipe in enumerate(catalog.recipes) if "onion powder" in recipe.ingredients}
    known = gold_of(catalog, "not", "soup", ["onions"])
    assert set(known.open) == powder
    assert not powder & set(known.true)


def test_a_wrong_part_settles_what_another_part_leaves_open(catalog):
    known = gold_of(catalog, "and", "soup", ["onions", "celery"])
    assert known.open
    assert all("celery" in catalog.recipes[number].ingredients for number in known.open)
    either = gold_of(catalog, "or", "soup", ["onions", "celery"])
    assert either.open
    assert all("celery" not in catalog.recipes[number].ingredients for number in either.open)


@pytest.mark.parametrize("kind", SEEN)
def test_plans_name_the_words_of_the_query_and_can_be_parsed(catalog, kind):
    for query in recipe_queries(catalog, kind, 40):
        assert all(atom.span.of(query.text) == atom.text for atom in query.plan.atoms)
        assert str(parse(str(query.plan))) == str(query.plan)
        assert len(query.answers) >= MINIMUM
        assert "<" not in query.text


def test_the_same_seed_gives_the_same_queries(catalog):
    assert recipe_queries(catalog, "or", 20) == recipe_queries(catalog, "or", 20)
    assert recipe_queries(catalog, "or", 20, seed=1) != recipe_queries(catalog, "or", 20)


def test_every_kind_has_twelve_wordings_and_a_third_of_them_unseen():
    for kind in SEEN:
        assert len(SEEN[kind]) + len(UNSEEN[kind]) >= 12
        assert len(UNSEEN[kind]) >= len(SEEN[kind]) / 3


def test_no_text_for_training_contains_the_operator_words_of_an_unseen_wording():
    rows = [msgspec.json.decode(line) for path in LABELS.glob("*.jsonl") for line in path.open("rb")]
    texts = [row["query"] for row in rows if "query" in row]
    texts += [path.read_text() for path in Path(trained_on.__file__).parent.glob("*.py")]
    trained = "\n".join(texts).lower()
    for cue in {
        cue for patterns in UNSEEN.values() for pattern in patterns for cue in re.findall(r"\[(.*?)\]", pattern)
    }:
        assert not re.search(rf"(?<!\w){re.escape(cue)}(?!\w)", trained), cue
    assert re.search(r"(?<!\w)without(?!\w)", trained)

"""The recipes judged by hand: the loader, and how often the table agrees with them."""

import os
from pathlib import Path

import pytest

from boolattn_lab.benchmarks.sets.recipes import chosen_recipes
from boolattn_lab.catalogs.recipes.catalog import RecipeCatalog
from boolattn_lab.catalogs.recipes.judged import JUDGED, ChangedRecipeError, JudgedRecipe, digest, judged_recipes
from boolattn_lab.catalogs.recipes.queries import gold_of
from boolattn_lab.formats.catalogs import Recipe
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.jsonl import read_jsonl

SOUP = Recipe("a-soup", "A Soup", ("1 onion",), "example.org")


@pytest.fixture
def judged(tmp_path):
    path = tmp_path / "judged.jsonl"
    path.write_text(
        '{"query": "soup no onions", "kind": "not", "dish": "soup", "ingredients": ["onions"], "recipe": "a-soup", '
        f'"sha256": "{digest(SOUP)}", "right": false, "drawn": "random"}}\n'
    )
    return path


def test_a_judgement_is_found_with_its_recipe(judged):
    [(row, number)] = judged_recipes([Recipe("b", "B", (), ""), SOUP], judged)
    assert (row.query, row.right, number) == ("soup no onions", False, 1)
    assert list(judged_recipes([], judged)) == []


def test_a_recipe_with_another_text_must_be_judged_again(judged):
    changed = Recipe("a-soup", "A Soup", ("1 leek",), "example.org")
    with pytest.raises(ChangedRecipeError, match="'a-soup' was judged with another text"):
        list(judged_recipes([changed], judged))


def test_judgements_cover_every_kind_and_both_answers():
    rows = list(read_jsonl(JUDGED, JudgedRecipe))
    random = [row for row in rows if row.drawn == "random"]
    assert len(random) >= 100
    for kinds in ({"not"}, {"and"}, {"or"}, {"and not", "or not", "and or", "not or"}):
        of_kind = [row.right for row in random if row.kind in kinds]
        assert len(of_kind) >= 25
        assert 0.3 < sum(of_kind) / len(of_kind) < 0.7


@pytest.mark.skipif("BOOLATTN_DATA" not in os.environ, reason="set BOOLATTN_DATA to the folder of the real datasets")
def test_the_table_agrees_with_the_judgements():
    catalog = RecipeCatalog.of(chosen_recipes(DataFolder(Path(os.environ["BOOLATTN_DATA"]))))
    agree = []
    for row, number in judged_recipes(catalog.recipes):
        known = gold_of(catalog, row.kind, row.dish, row.ingredients)
        if number not in known.open:
            agree.append((number in known.true) == row.right)
    assert len(agree) >= 150
    assert sum(agree) / len(agree) >= 0.97

"""What a line says of an ingredient."""

import pytest

from boolattn_lab.catalogs.recipes.ingredients import LACKING, findings, ingredients
from boolattn_lab.catalogs.recipes.phrases import phrases, segments


@pytest.mark.parametrize(
    ("line", "ingredient", "verdict"),
    [
        ("2 large red onions, thinly sliced", "onions", "contains"),
        ("1 (10.75 ounce) can condensed cream of mushroom soup", "mushrooms", "contains"),
        ("½ cup grated Parmesan", "cheese", "contains"),
        ("butter or margarine", "butter", "contains"),
        ("1 teaspoon onion powder", "onions", "open"),
        ("2 cups chicken broth", "chicken", "open"),
        ("1 cup vegan butter", "butter", "open"),
        ("1 cup whipped topping", "cream", "open"),
        ("1/2 cup chopped walnuts (optional)", "walnuts", "open"),
        ("1 cup onion marmalade from the market", "onions", "open"),
        ("1 large eggplant, cubed", "eggs", "lacks"),
        ("1 butternut squash", "butter", "lacks"),
        ("1 pinch ground nutmeg", "nuts", "lacks"),
        ("1 (14 ounce) can coconut milk", "milk", "lacks"),
        ("1 teaspoon cream of tartar", "cream", "lacks"),
        ("3 tablespoons extra-virgin olive oil", "olives", "lacks"),
        ("1/2 cup unsalted butter", "salt", "lacks"),
        ("1 can no-salt-added tomatoes", "salt", "lacks"),
        ("1 (15 ounce) can chili without beans", "beans", "lacks"),
        ("sugar-free vanilla pudding", "sugar", "lacks"),
    ],
)
def test_verdicts(line, ingredient, verdict):
    found = findings("Dish", [line]).get(ingredient, LACKING)
    assert found.verdict == verdict


def test_one_line_with_the_ingredient_settles_it():
    found = findings("Dish", ["1 teaspoon garlic powder", "2 cloves garlic"])
    assert found["garlic"].verdict == "contains"


def test_a_title_alone_settles_nothing():
    assert findings("Walnut Cookies", ["1 cup flour"])["walnuts"].verdict == "open"
    assert findings("Eggless Cookies", ["1 cup flour"])["eggs"].verdict == "lacks"


def test_look_alikes_have_the_word_but_not_the_ingredient():
    assert findings("Dish", ["1 pinch nutmeg"])["nuts"].look_alike
    assert not findings("Dish", ["1 pinch nutmeg", "1 cup walnuts"])["nuts"].look_alike
    assert "nuts" not in findings("Dish", ["1 cup flour"])


def test_every_phrase_of_the_table_is_one_that_its_word_finds():
    for ingredient in ingredients().values():
        for phrase in ingredient.verdicts:
            assert any(each.text == phrase for each in phrases(phrase, ingredient.word)), (ingredient.name, phrase)


def test_segments_drop_amounts_and_states():
    assert list(segments("2 (8 ounce) cups Crème fraîche, chopped")) == ["creme fraiche"]

"""Which dish a title names."""

import pytest

from boolattn_lab.catalogs.recipes.dishes import dishes


@pytest.mark.parametrize(
    ("title", "dish", "verdict"),
    [
        ("Potato and Leek Soup", "soup", "contains"),
        ("Chicken Soup with Dumplings", "soup", "contains"),
        ("Sugar Cookies II", "cookies", "contains"),
        ("Grandma's Meat Loaf", "meatloaf", "contains"),
        ("Steak with Tomato Salad", "salad", "open"),
        ("Soup Mix in a Jar", "soup", "open"),
        ("Snickerdoodles", "cookies", "open"),
        ("Crab Cakes", "cake", "open"),
        ("Grilled Trout", "soup", "lacks"),
        ("Pancakes", "cake", "lacks"),
    ],
)
def test_verdicts(title, dish, verdict):
    assert dishes()[dish].verdict(title) == verdict

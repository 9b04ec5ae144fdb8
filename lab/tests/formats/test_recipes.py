from lab.tests.formats.fixture_files import FIXTURES

from boolattn_lab.formats import Recipe, read_recipes


def test_recipes():
    soup, bread = read_recipes(FIXTURES / "recipes.jsonl")
    assert soup == Recipe("harbour-soup", "Harbour Soup", ("2 onions, chopped", "1 cup milk"), "example.org")
    assert soup.text == "Harbour Soup. 2 onions, chopped; 1 cup milk"
    assert bread.text == "Plain Bread. 3 cups flour"

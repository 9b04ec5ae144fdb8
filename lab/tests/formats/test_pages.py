from lab.tests.formats.fixture_files import FIXTURES

from boolattn_lab.formats import Document, read_pages


def test_a_title_is_the_id_that_queries_name():
    first, second, third = read_pages(FIXTURES / "pages.jsonl")
    assert first == Document(doc_id="Blue boat", title="Blue boat", text="A boat of blue paper .")
    assert second == Document("Café Zephyr", "Café Zephyr", "")
    assert third.text == "A swan\nin two lines"

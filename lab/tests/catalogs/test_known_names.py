from hypothesis import given
from hypothesis import strategies as st

from boolattn_lab.catalogs.known_names import KnownNames


def pieces(text: str, names: KnownNames) -> list[str]:
    return [span.of(text) for span in names.spans(text)]


def test_known_names_are_found_in_any_case_and_only_as_whole_words():
    names = KnownNames(["Saint Kitts and Nevis", "Cats"])
    assert pieces("Mammals of saint kitts AND Nevis", names) == ["saint kitts AND Nevis"]
    assert pieces("Mammals of Saint Kitts and Nevisland, scats and cats.", names) == ["cats"]


def test_names_within_names_are_found_too():
    names = KnownNames(["War", "War and Peace"])
    assert sorted(pieces("films of War and Peace", names)) == ["War", "War and Peace"]


def test_offsets_are_right_where_lowercasing_would_lengthen_the_text():
    assert pieces("İİ Oil and Water", KnownNames(["oil and water"])) == ["Oil and Water"]


def test_curly_and_straight_apostrophes_are_one():
    assert pieces("the Winter\u2019s Tale", KnownNames(["Winter's Tale"])) == ["Winter\u2019s Tale"]


def test_blank_names_are_passed_over():
    assert pieces("any text", KnownNames(["", " "])) == []


def test_fifty_thousand_names_are_searched_in_one_pass():
    names = KnownNames(f"Title {number} and Sequel" for number in range(50_000))
    assert pieces("films like Title 49999 and Sequel", names) == ["Title 49999 and Sequel"]


@given(st.text(), st.lists(st.text(min_size=1)))
def test_every_span_is_inside_the_text(text: str, names: list[str]):
    assert all(0 <= span.start < span.end <= len(text) for span in KnownNames(names).spans(text))

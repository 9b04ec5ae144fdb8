import pytest

from boolattn.reading.rules.scope_rules import scope_after, sides_of, strip_dangling_clause
from boolattn.reading.spans import Span, SpanIndex


def place(text: str, piece: str) -> Span:
    start = text.index(piece)
    return Span(start, start + len(piece))


@pytest.mark.parametrize(
    ("text", "cue", "scope"),
    [
        ("films not set in Rome", "not", "Rome"),
        ("Aaron's profile without any mention of Moses.", "without", "Moses"),
        ("puberty, but not coming-of-age, films", "but not", "coming-of-age"),
        ("painters (excluding Mona Lisa) of Italy", "excluding", "Mona Lisa"),
        ("birds excluding those of Hidalgo (state) in winter, please", "excluding", "Hidalgo (state) in winter"),
        ("cakes without eggs or milk", "without", "eggs or milk"),
        ("cakes without eggs, butter or milk, please", "without", "eggs, butter or milk"),
        ("towns except Cache, Oklahoma, in the south", "except", "Cache, Oklahoma"),
        ("Apart from the 1982 film, which others are there?", "Apart from", "the 1982 film"),
        ("films not about war that are set in 1917", "not", "war"),
        ("films except the one that was shot in Rome", "except", "the one that was shot in Rome"),
        ("plants not of the desert that is also bird food", "not", "the desert"),
        ("books without dragons but with elves", "without", "dragons"),
        ("his music besides Rush and what came after", "besides", "Rush"),
        ("novels excluding On Liberty", "excluding", "On Liberty"),
        ("novels besides those of Robert B. Parker. Thanks", "besides", "Robert B. Parker"),
        ("Non-social-psychological books", "Non", "social-psychological"),
        ("films without war...", "without", "war"),
        ("films except that are long", "except", "that are long"),
        ("towns without 1,000 people", "without", "1,000 people"),
    ],
)
def test_a_negation_applies_to_the_rest_of_its_clause(text: str, cue: str, scope: str):
    assert scope_after(text, place(text, cue), len(text)).of(text) == scope


def test_a_scope_ends_at_the_limit():
    text = "neither cats nor dogs"
    assert scope_after(text, place(text, "neither"), text.index("nor")).of(text) == "cats"


def test_a_scope_with_nothing_in_it_is_empty():
    text = "better not."
    scope = scope_after(text, place(text, "not"), len(text))
    assert scope.start == scope.end


def test_no_clause_ends_inside_a_name():
    text = "films besides Crouching Tiger, Hidden dragon"
    name = place(text, "Crouching Tiger, Hidden dragon")
    assert (
        scope_after(text, place(text, "besides"), len(text), SpanIndex([name])).of(text)
        == "Crouching Tiger, Hidden dragon"
    )
    assert scope_after(text, place(text, "besides"), len(text)).of(text) == "Crouching Tiger"


def test_both_sides_of_a_cue_and_no_further_than_the_next():
    text = "birds of Peru or fish of Chile or frogs"
    first, second = place(text, "or"), Span(text.rindex("or"), text.rindex("or") + 2)
    assert [side.of(text) for side in sides_of(text, first, SpanIndex([first, second]))] == [
        "birds of Peru",
        "fish of Chile",
    ]
    assert [side.of(text) for side in sides_of(text, second, SpanIndex([first, second]))] == ["fish of Chile", "frogs"]


def test_a_list_has_several_pieces_before_the_cue():
    text = "trees of Manitoba, Alaska, or Ohio"
    cue = place(text, " or ")
    assert [side.of(text) for side in sides_of(text, cue, SpanIndex([cue]))] == ["trees of Manitoba", "Alaska", "Ohio"]


def test_the_rest_of_a_relative_clause_is_no_side():
    text = "birds of Peru that are also game birds"
    cue = place(text, "also")
    assert [side.of(text) for side in sides_of(text, cue, SpanIndex([cue]))] == ["birds of Peru", "game birds"]


@pytest.mark.parametrize("text", ["films that are ", "films, ", "films but", "films and are"])
def test_loose_ends_are_cut(text: str):
    assert strip_dangling_clause(text).rstrip() == "films"

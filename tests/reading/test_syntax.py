import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from boolattn.reading.plan import AllOf, AnyOf, QueryAtom, written
from boolattn.reading.spans import Span
from boolattn.reading.syntax import QuerySyntaxError, is_syntax, parse
from tests.reading.syntax_trees import answers, brute_force, condition_of_tree, everyone, meaning, trees, wording


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("films AND comedy NOT war", "films AND comedy NOT war"),
        ("A OR B", "A OR B"),
        ("A OR B AND NOT C", "A OR (B NOT C)"),
        ("(A OR B) AND C", "(A OR B) AND C"),
        ("A AND NOT B", "A NOT B"),
        ("A -B", "A NOT B"),
        ("A -science fiction", "A NOT science AND fiction"),
        ("A NOT science fiction", "A NOT science fiction"),
        ('A -"science fiction"', "A NOT science fiction"),
        ("A -(B OR C)", "A NOT B NOT C"),
        ("NOT (A AND B)", "NOT A OR NOT B"),
        ("NOT NOT A", "A"),
        ("NOT NOT NOT A", "NOT A"),
        ("NOT -war", "war"),
        ("A AND (B AND C)", "A AND B AND C"),
        ("((A))", "A"),
        ("films (comedy OR drama)", "films AND (comedy OR drama)"),
        ("science fiction AND comedy", "science fiction AND comedy"),
        ("non-fiction AND sci-fi", "non-fiction AND sci-fi"),
        ('"Star Wars"-inspired AND funny', '"Star Wars"-inspired AND funny'),
        ("films from 1990 -2000 AND war", "films from 1990 -2000 AND war"),
        ("Paris - Texas NOT war", "Paris - Texas NOT war"),
        ("movies but not war", "movies but not war"),
        ("this and that or other", "this and that or other"),
        ('books by "Stephen King" NOT horror', 'books by "Stephen King" NOT horror'),
        ('5" disks AND music', '5" disks AND music'),
        ('"rock AND roll" OR jazz', '"rock AND roll" OR jazz'),
        ("“science fiction” NOT war", "science fiction NOT war"),
        ("ANDROID NOTES ORDER", "ANDROID NOTES ORDER"),
    ],
)
def test_what_a_text_means(text, plan):
    assert str(parse(text)) == plan


def test_atoms_know_their_position():
    text = 'films  AND " science fiction " -war'
    plan = parse(text)
    assert [(atom.text, atom.span.of(text), atom.sign) for atom in plan.atoms] == [
        ("films", "films", 1),
        ("science fiction", "science fiction", 1),
        ("war", "war", -1),
    ]
    assert (plan.query, plan.confidence, plan.source, plan.reader) == (text, 1.0, "syntax", "syntax 1")


def test_quotation_marks_inside_a_phrase():
    assert [atom.text for atom in parse(r'"the \"big\" AND \\ one" NOT war').atoms] == ['the "big" AND \\ one', "war"]


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("", 0, "the query is empty"),
        ("  ", 0, "the query is empty"),
        ("films AND", 6, "AND has nothing after it"),
        ("(films OR ) war", 7, "OR has nothing after it"),
        ("AND films", 0, "AND has nothing before it"),
        ("a OR AND b", 5, "AND has nothing before it"),
        ("films NOT", 6, "NOT has nothing after it"),
        ("(films AND war", 0, "never closed"),
        ("films (", 6, "never closed"),
        ("films) AND war", 5, "unmatched closing"),
        (")", 0, "unmatched closing"),
        ("films AND ()", 10, "nothing between these parentheses"),
        ('films AND "war', 10, "quotation mark is never closed"),
        ('films AND " "', 10, "nothing between these quotation marks"),
        ("(" * 51 + "a" + ")" * 51, 50, "more than 50 nested parentheses"),
    ],
)
def test_bad_syntax_names_the_place_and_the_fix(text, position, problem):
    with pytest.raises(QuerySyntaxError, match=problem) as caught:
        parse(text)
    message, shown, pointer = str(caught.value).split("\n")
    assert caught.value.position == position
    assert f"(character {position + 1})" in message and ": " in message
    assert shown[pointer.index("^") :][:1].strip() == text[position : position + 1].strip()


def test_a_fault_far_into_a_long_text_with_line_breaks_is_still_shown():
    text = "films\n" * 100 + "AND"
    with pytest.raises(ValueError) as caught:
        parse(text)
    lines = str(caught.value).split("\n")
    assert len(lines) == 3
    assert lines[1][lines[2].index("^") :] == "AND"
    assert max(map(len, lines[1:])) < 90


def test_a_fault_can_be_sent_to_another_process():
    with pytest.raises(QuerySyntaxError) as caught:
        parse("films AND")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.position) == (str(caught.value), 6)


def test_fifty_parentheses_and_any_number_of_negations_are_read():
    assert str(parse("(" * 50 + "a" + ")" * 50)) == "a"
    assert str(parse("NOT " * 1001 + "a")) == "NOT a"


@given(trees(depth=3), everyone, st.data())
def test_a_text_means_what_brute_force_finds(tree, everyone, data):
    text = wording(tree, lambda *choices: data.draw(st.sampled_from(choices)))
    assert answers(parse(text).condition, everyone) == brute_force(tree, everyone), text


@given(trees(depth=3), st.data())
def test_parsing_printing_and_parsing_again_gives_the_same_plan(tree, data):
    plan = parse(wording(tree, lambda *choices: data.draw(st.sampled_from(choices))))
    again = parse(str(plan))
    assert meaning(again.condition) == meaning(plan.condition)
    assert str(again) == str(plan)
    assert [atom.text for atom in again.atoms] == [atom.text for atom in plan.atoms]


@given(trees(depth=3), everyone)
def test_any_condition_is_printed_as_what_it_means(tree, everyone):
    condition = condition_of_tree(tree)
    assert answers(parse(written(condition)).condition, everyone) == brute_force(tree, everyone)


@given(st.text(min_size=1).map(str.strip).filter(bool), st.sampled_from([1, -1]))
@example("NOT", 1)
@example('"one" phrase', -1)
@example('"one phrase"', 1)
@example("\u201cone phrase\u201d", 1)
@example("say \u201cAND\u201d (or)", 1)
@example("a\\", -1)
@example("-war", 1)
def test_any_text_can_be_printed_as_an_atom(text, sign):
    assert meaning(parse(written(QueryAtom(text, Span(0, 0), sign))).condition) == (text, sign)


words = st.lists(st.sampled_from(["films", "AND", "OR", "NOT", "-war", "(", ")", '"', '"a b"', "-", "x-y", "\\", "\n"]))


@given(st.one_of(st.text(), words.map(" ".join), words.map("".join)))
def test_every_text_is_a_plan_or_an_error_that_says_where(text):
    is_syntax(text)
    try:
        plan = parse(text)
    except QuerySyntaxError as error:
        assert 0 <= error.position <= len(text)
        return
    ends = [0]
    for atom in plan.atoms:
        assert ends[-1] <= atom.span.start < atom.span.end <= len(text)
        assert atom.text == atom.text.strip() != ""
        assert "\\" in text or atom.text == atom.span.of(text)
        ends.append(atom.span.end)
    assert meaning(parse(str(plan)).condition) == meaning(plan.condition)


@given(trees())
def test_plans_are_flat_without_single_part_nodes(tree):
    def check(condition):
        if not isinstance(condition, QueryAtom):
            assert len(condition.parts) > 1
            assert all(type(part) is not type(condition) for part in condition.parts)
            assert isinstance(condition, AllOf | AnyOf)
            for part in condition.parts:
                check(part)

    check(parse(wording(tree, lambda *choices: choices[0])).condition)

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from luqum.parser import parser
from luqum.tree import Group, OrOperation, Phrase, Plus, Prohibit, SearchField, UnknownOperation, Word

from boolattn.plans.engine_queries import to_lucene
from boolattn.reading.plan import BooleanPlan, QueryAtom
from boolattn.reading.spans import Span
from boolattn.reading.syntax import parse
from tests.reading.syntax_trees import brute_force, condition_of_tree, trees

WORDS = ("war", "sci-fi", "C++", "NOT", "a:b", '"q"', "(x)", "back\\slash", "<5", "and/or", "&&", "*", "+war", "[1")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("films", "films"),
        ("movies set in Vietnam NOT about war", '+(movies set in Vietnam) -"about war"'),
        ("A OR B AND C", "A OR (+B +C)"),
        ("(A OR science fiction) NOT B", '+(A OR (science fiction)) -"B"'),
        ("NOT war", '*:* -"war"'),
        ("A OR NOT B", 'A OR (*:* -"B")'),
        ("NOT (A AND B)", '(*:* -"A") OR (*:* -"B")'),
        ("sci-fi AND C++", r"+sci\-fi +C\+\+"),
        (r'"NOT" NOT "a \"b\""', r'+\NOT -"a \"b\""'),
    ],
)
def test_queries(text, query):
    assert to_lucene(parse(text)) == query


def said(node) -> str:
    assert not node.has_wildcard()
    inner = node.value[1:-1] if isinstance(node, Phrase) else node.value
    return re.sub(r"\\(.)", r"\1", inner, flags=re.DOTALL)


def found(node, everyone) -> set[int]:
    """What Lucene's BooleanQuery finds: + must match, - must not, and if nothing must, something else does."""
    everything = set(range(len(everyone)))
    match node:
        case Word() | Phrase():
            return {number for number, words in enumerate(everyone) if said(node) in words}
        case SearchField(name="*"):
            return everything
        case Group():
            return found(node.children[0], everyone)
        case OrOperation():
            return set.union(*(found(part, everyone) for part in node.children))
        case UnknownOperation():
            must = [found(part.a, everyone) for part in node.children if isinstance(part, Plus)]
            barred = [found(part.a, everyone) for part in node.children if isinstance(part, Prohibit)]
            may = [found(part, everyone) for part in node.children if not isinstance(part, Plus | Prohibit)]
            kept = set.intersection(*must) if must else set().union(*may)
            return kept.difference(*barred)
    raise AssertionError(f"unexpected {node!r}")


@given(trees(WORDS, depth=3), st.lists(st.sets(st.sampled_from(WORDS)), max_size=12))
def test_lucene_finds_what_the_plan_wants(tree, everyone):
    plan = BooleanPlan("", condition_of_tree(tree), 1.0, "caller", "caller")
    assert found(parser.parse(to_lucene(plan)), everyone) == brute_force(tree, everyone)


@given(st.text(min_size=1).map(str.strip).filter(bool))
@example('+ - && || ! ( ) { } [ ] ^ " ~ * ? : \\ / AND OR NOT TO < > =')
@example('[a TO b] x^2 y~3 /re/ z* fi?ld:w 5" *:*')
def test_every_text_is_read_as_its_words_and_no_syntax(text):
    def leaves(node):
        return [node] if isinstance(node, Word | Phrase) else [leaf for part in node.children for leaf in leaves(part)]

    wanted = parser.parse(to_lucene(BooleanPlan(text, QueryAtom(text, Span(0, 0), 1), 1.0, "caller", "caller")))
    assert isinstance(wanted, Word | UnknownOperation)
    assert [said(leaf) for leaf in leaves(wanted)] == text.split()

    unwanted = parser.parse(to_lucene(BooleanPlan(text, QueryAtom(text, Span(0, 0), -1), 1.0, "caller", "caller")))
    everything, barred = unwanted.children
    assert (str(everything).strip(), said(barred.a)) == ("*:*", text)

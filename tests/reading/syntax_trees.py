"""Random Boolean trees that know how to be written and what they mean, apart from the code under test.

A tree is an atom's text, ("not", tree), ("and", trees) or ("or", trees).
"""

from hypothesis import strategies as st

from boolattn.reading.plan import AllOf, AnyOf, PlanNode, QueryAtom
from boolattn.reading.spans import Span

TEXTS = ("war", "comedy", "sci-fi", "science fiction", "NOT", 'the "big" one', "a (b)", "-x", "and/or", "back\\slash")
PLAIN = ("war", "comedy", "sci-fi", "science fiction", "and/or", "back\\slash")


def trees(texts=TEXTS, depth=4):
    if depth == 0:
        return st.sampled_from(texts)
    parts = trees(texts, depth - 1)
    several = st.lists(parts, min_size=2, max_size=3)
    return st.one_of(
        st.sampled_from(texts),
        st.tuples(st.just("not"), parts),
        st.tuples(st.just("and"), several),
        st.tuples(st.just("or"), several),
    )


def wording(tree, choose) -> str:
    """Write a tree, choosing among equivalent notations."""
    if isinstance(tree, str):
        quoted = '"' + tree.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return choose(tree, quoted) if tree in PLAIN else quoted
    operator, parts = tree
    if operator == "not":
        part = wording(parts, choose)
        part = part if isinstance(parts, str) else f"({part})"
        return f"NOT {part}" if part == "science fiction" else choose("-", "NOT ") + part
    text = ""
    for part in parts:
        piece = wording(part, choose)
        needs_brackets = operator == "and" and part[0] == "or"
        piece = f"({piece})" if needs_brackets or choose(False, True) else piece
        goes_without = operator == "and" and piece.startswith(("(", "-", "NOT "))
        text += (choose(" ", " AND ") if goes_without else f" {operator.upper()} ") * bool(text) + piece
    return text


def brute_force(tree, everyone) -> set[int]:
    if isinstance(tree, str):
        return {number for number, has in enumerate(everyone) if tree in has}
    operator, parts = tree
    if operator == "not":
        return set(range(len(everyone))) - brute_force(parts, everyone)
    found = [brute_force(part, everyone) for part in parts]
    return set.intersection(*found) if operator == "and" else set.union(*found)


everyone = st.lists(st.sets(st.sampled_from(TEXTS)), max_size=20)


def answers(condition: PlanNode, everyone) -> set[int]:
    """Evaluate a condition."""
    if isinstance(condition, QueryAtom):
        return {number for number, has in enumerate(everyone) if (condition.text in has) == (condition.sign == 1)}
    found = [answers(part, everyone) for part in condition.parts]
    return set.intersection(*found) if isinstance(condition, AllOf) else set.union(*found)


def condition_of_tree(tree, sign=1) -> PlanNode:
    """Build a condition by hand, with spans of nothing."""
    if isinstance(tree, str):
        return QueryAtom(tree, Span(0, 0), sign)
    operator, parts = tree
    if operator == "not":
        return condition_of_tree(parts, -sign)
    kind = AllOf if (operator == "and") == (sign == 1) else AnyOf
    return kind(tuple(condition_of_tree(part, sign) for part in parts))


def meaning(condition: PlanNode):
    """Return a condition without its spans."""
    if isinstance(condition, QueryAtom):
        return condition.text, condition.sign
    return type(condition).__name__, tuple(meaning(part) for part in condition.parts)

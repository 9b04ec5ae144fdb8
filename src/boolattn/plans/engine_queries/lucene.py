"""A plan as a query of Lucene."""

import re

from boolattn.reading.plan import AnyOf, BooleanPlan, PlanNode, QueryAtom

# Lucene's own special characters, and those of its dialects; an unnecessary escape does no harm.
_SPECIAL = re.compile(r"""[-+&|!(){}\[\]^"~*?:\\/<>=']""")
_OPERATOR = re.compile(r"^(?:AND|OR|NOT|TO)$")
_ESCAPE = r"\\\g<0>"


def to_lucene(plan: BooleanPlan) -> str:
    r"""Return the plan as a Lucene query: ``+(movies set in Vietnam) -"war"``.

    Limitations: matching is lexical. A wanted atom of several words is a group, matched by any or all of
    them depending on the parser's default operator; an unwanted one is a phrase, so that no document is excluded
    for sharing a single word. Exclusions are hard: Lucene drops such documents. Confidence is ignored.
    """
    return _lucene(plan.condition)


def _lucene(condition: PlanNode) -> str:
    """Write a condition with ``+`` and ``-``, since the precedence of Lucene's AND and OR is unusual."""
    if isinstance(condition, QueryAtom):
        return _lucene_words(condition.text) if condition.sign == 1 else f"*:* {_unwanted(condition)}"
    if isinstance(condition, AnyOf):
        return " OR ".join(_grouped(part) for part in condition.parts)
    wanted, unwanted = [], []
    for part in condition.parts:
        if isinstance(part, QueryAtom) and part.sign == -1:
            unwanted.append(_unwanted(part))
        else:
            wanted.append(f"+{_grouped(part)}")
    # Exclusions alone match nothing in Lucene: they need a query that matches everything.
    return " ".join([*(wanted or ["*:*"]), *unwanted])


def _grouped(condition: PlanNode) -> str:
    query = _lucene(condition)
    return f"({query})" if " " in query else query


def _unwanted(atom: QueryAtom) -> str:
    return f'-"{_SPECIAL.sub(_ESCAPE, atom.text)}"'


def _lucene_words(text: str) -> str:
    words = (_OPERATOR.sub(_ESCAPE, _SPECIAL.sub(_ESCAPE, word)) for word in text.split())
    return " ".join(words) or '""'

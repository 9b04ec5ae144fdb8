"""A plan as a query string of Lucene's classic query parser, which Solr and Elasticsearch's ``query_string`` share."""

import re

from boolattn.reading.plan import BooleanPlan
from boolattn.reading.plan_tree import AnyOf, PlanNode, QueryAtom

# Lucene's own, and what dialects of it read as more than a letter; an escape too many does no harm.
_SPECIAL = re.compile(r"""[-+&|!(){}\[\]^"~*?:\\/<>=']""")
_OPERATOR = re.compile(r"^(?:AND|OR|NOT|TO)$")
_ESCAPE = r"\\\g<0>"


def to_lucene(plan: BooleanPlan) -> str:
    r"""Return the plan as a Lucene query: ``+(movies set in Vietnam) -"war"``.

    What is lost: meaning; words must occur as they are. A wanted atom of several words is a group, found by any of
    them or by all as the parser's default operator says; an unwanted one is a phrase, so that no document is left out
    for one word it shares with it. Exclusions are hard: Lucene drops such documents. Confidence does not count.
    """
    return _query(plan.condition)


def _query(condition: PlanNode) -> str:
    """Write a condition with ``+`` and ``-``, since the precedence of Lucene's AND and OR is not the usual one."""
    if isinstance(condition, QueryAtom):
        return _words(condition.text) if condition.sign == 1 else f"*:* {_unwanted(condition)}"
    if isinstance(condition, AnyOf):
        return " OR ".join(_grouped(part) for part in condition.parts)
    wanted, unwanted = [], []
    for part in condition.parts:
        if isinstance(part, QueryAtom) and part.sign == -1:
            unwanted.append(_unwanted(part))
        else:
            wanted.append(f"+{_grouped(part)}")
    # Exclusions alone find nothing in Lucene: they need everything to be taken from.
    return " ".join([*(wanted or ["*:*"]), *unwanted])


def _grouped(condition: PlanNode) -> str:
    query = _query(condition)
    return f"({query})" if " " in query else query


def _unwanted(atom: QueryAtom) -> str:
    return f'-"{_SPECIAL.sub(_ESCAPE, atom.text)}"'


def _words(text: str) -> str:
    words = (_OPERATOR.sub(_ESCAPE, _SPECIAL.sub(_ESCAPE, word)) for word in text.split())
    return " ".join(words) or '""'

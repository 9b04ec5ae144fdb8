"""A plan as a full-text query, and as a filter, of PostgreSQL."""

from typing import assert_never

from boolattn.plans.engine_queries.exclusions import singular_and_plural, to_sql, unwanted_part
from boolattn.reading.plan import AllOf, AnyOf, BooleanPlan, PlanNode, QueryAtom


def to_postgres(plan: BooleanPlan) -> str:
    """Return the plan as the text of a query of PostgreSQL's full-text search: ``'soup' & !'blue cheese'``.

    Pass it as a parameter: ``to_tsvector('english', text) @@ to_tsquery('english', %s)``. Each text is quoted, so that
    PostgreSQL splits it into words itself, stems them and drops stop words.

    Limitations: every word of what is wanted must match; an unwanted atom matches as a phrase. Exclusions are hard.
    For a filter beside pgvector, which should leave what is wanted to the vector, use ``to_postgres_where``.
    """
    return _tsquery(plan.condition)


def _tsquery(condition: PlanNode) -> str:
    match condition:
        case QueryAtom(text, sign=1):
            words = [_lexeme(word) for word in text.split()]
            return words[0] if len(words) == 1 else f"({' & '.join(words)})"
        case QueryAtom(text):
            return f"!{_lexeme(text)}"
        case AllOf(parts) | AnyOf(parts):
            operator = " & " if isinstance(condition, AllOf) else " | "
            return f"({operator.join(_tsquery(part) for part in parts)})"
    assert_never(condition)


def _lexeme(text: str) -> str:
    return "'" + _words(text).replace("\\", "\\\\").replace("'", "''") + "'"


def _words(text: str) -> str:
    """Return a text as PostgreSQL takes it: of "soy-sauce", a phrase would also require the whole as one word."""
    return text.replace("-", " ").replace("\0", " ")


def to_postgres_where(plan: BooleanPlan, field: str) -> tuple[str, list[str]]:
    """Return what the plan excludes as a condition for ``WHERE``, and its parameters, as psycopg takes them.

    Only exclusions: what is wanted is left to the vector. A plan that excludes nothing becomes ``true``.

    Limitations: exclusions are hard, and match as phrases, so that a document with "no onions" is dropped too.

    Args:
        plan: What to find.
        field: The text column.
    """
    condition = unwanted_part(plan.condition)
    if condition is None:
        return "true", []
    parameters: list[str] = []
    column = '"' + field.replace('"', '""').replace("%", "%%") + '"'

    def contains(atom: QueryAtom) -> str:
        forms = list(map(_words, singular_and_plural(atom.text)))  # PostgreSQL's stemmer knows no "leaves" of "leaf"
        parameters.extend(forms)
        phrases = " || ".join(["phraseto_tsquery('english', %s)"] * len(forms))
        return f"to_tsvector('english', coalesce({column}, '')) @@ ({phrases})"

    return to_sql(condition, contains), parameters

"""A plan as a filter of LanceDB."""

import re

from boolattn.plans.engine_queries.exclusions import singular_and_plural, to_sql, unwanted_part
from boolattn.reading.plan import BooleanPlan, QueryAtom

_GAP = re.compile(r"\s+|(?<=\w)-(?=\w)")


def to_lancedb(plan: BooleanPlan, field: str, wanted: bool = False) -> str:
    r"""Return the plan as SQL for LanceDB's ``where``: ``NOT coalesce(regexp_like(`text`, '(?i)\bwar\b...'), false)``.

    Nothing in a query becomes SQL or a pattern. Words match whole, whatever their case.

    Limitations: exclusions are hard, and match as phrases in the singular and the plural, so that a document with "no
    onions" is dropped too. A plan that excludes nothing becomes ``true``, which every document passes.

    Args:
        plan: What to find.
        field: The text column.
        wanted: Whether documents must also contain every word of what is wanted; False leaves that to the vector.
    """
    condition = plan.condition if wanted else unwanted_part(plan.condition)
    column = "`" + field.replace("`", "``") + "`"
    return "true" if condition is None else to_sql(condition, lambda atom: _contains(atom, column))


def _contains(atom: QueryAtom, column: str) -> str:
    texts = [atom.text] if atom.sign == -1 else atom.text.split()
    patterns = ("|".join(map(_pattern, singular_and_plural(text))) for text in texts)
    quoted = (f"(?i){pattern}".replace("'", "''") for pattern in patterns)
    return " AND ".join(f"coalesce(regexp_like({column}, '{each}'), false)" for each in quoted)


def _pattern(text: str) -> str:
    """Return a pattern that Rust's regular expressions read: whole words, with spaces or hyphens between them."""
    words = r"[\s-]+".join(re.escape(word) for word in _GAP.split(text))
    return (r"\b" if re.match(r"\w", text) else "") + words + (r"\b" if re.search(r"\w$", text) else "")

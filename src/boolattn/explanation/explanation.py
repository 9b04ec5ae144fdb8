"""The public class of an explained query."""

from dataclasses import dataclass

from boolattn.explanation.explained_query import ExplainedQuery
from boolattn.explanation.html import fragment


@dataclass(frozen=True, eq=False)
class Explanation(ExplainedQuery):
    """An explained query that displays itself in a notebook."""

    def _repr_html_(self) -> str:
        return fragment(self)

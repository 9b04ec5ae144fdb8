from boolattn.query_vectors.rewriting import Rewritten, rewritten
from boolattn.reading.options import ReadingOptions


def rewrite(query, exclude=None, **changes) -> Rewritten:
    """Read a query, and split it into what it wants and what it excludes."""
    options = ReadingOptions(**changes)
    [reading] = options.read([query], exclude, screen="exclusions")
    return rewritten(options.applied(reading))

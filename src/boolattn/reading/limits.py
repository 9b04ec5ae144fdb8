"""How much of a query is read, so that no query takes long or needs much memory."""

LONGEST_QUERY = 4096  # characters
MOST_ATOMS = 32
"""More than people write by hand; every atom costs an encoding and a pass over the candidates of a search."""
MOST_EXCLUDED, LONGEST_EXCLUDED = 32, 200
"""Texts that a caller may exclude from one query, and the characters of each; each is looked for in the query."""
HIGHEST_WEIGHT = 10.0
"""Of a text that a caller excludes; even 10 leaves little of what is wanted."""


def too_many_atoms() -> str:
    """Return why a query with too many atoms is not read."""
    return f"it has more than {MOST_ATOMS} parts; at most {MOST_ATOMS} are acted on"


def is_too_long(query: str) -> bool:
    """Whether a query is longer than what is read."""
    return len(query) > LONGEST_QUERY


def require_unicode(text: str, name: str = "the query") -> None:
    """Raise if a text contains half of a surrogate pair, which tokenizers, engines and terminals refuse."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        shown = text[max(0, error.start - 20) : error.end + 20]
        raise ValueError(
            f"{name} is not valid Unicode, as if decoded with the wrong encoding: {shown!a}. Decode it as UTF-8"
        ) from error

"""What the engines' tables have in common.

A metadata field has a name of ours, ``field_0`` and so on by the order of the alphabet, so that the user's names never
stand in a query and may hold any character. Title and text stand in one column, ``content``, for full-text search to
read; the text is what follows the title.
"""

from boolattn.retrieval.index.protocol import IndexDescription

_BETWEEN = "\n"


def field_columns(description: IndexDescription) -> dict[str, str]:
    """Return the column of each metadata field."""
    return {name: f"field_{place}" for place, name in enumerate(sorted(description.metadata))}


def content_of(title: str, text: str) -> str:
    """Join title and text."""
    return f"{title}{_BETWEEN}{text}"


def text_of(title: str, content: str) -> str:
    """Return the text of what ``content_of`` joined."""
    return content[len(title) + len(_BETWEEN) :]

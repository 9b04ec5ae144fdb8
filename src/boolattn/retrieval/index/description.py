"""The description that is stored in an index, the columns that follow from it, and the refusal of another index.

A metadata field has a column name of ours, ``field_0`` and so on in alphabetical order, so that the user's names never
appear in a query and may hold any character. Title and text share one column, ``content``, for full-text search to
read; the text is what follows the title.
"""

import msgspec

from boolattn.retrieval.index.protocol import IndexDescription, WrongIndexError

_BETWEEN = "\n"


class MissingIndexError(WrongIndexError):
    """There is no index of this name."""

    def __init__(self, name: str, made_by: str | None = None) -> None:
        """Say how to make it."""
        made_by = made_by or f"`boolattn index DIR --index {name}`"
        super().__init__(f"there is no index {name}: {made_by} makes it")


def written(description: IndexDescription) -> str:
    """Return a description as JSON, to be stored with the rows."""
    return msgspec.json.encode(description).decode()


def read(stored: str | bytes | None, name: str) -> IndexDescription:
    """Read what ``written`` wrote for the index of this name."""
    try:
        return msgspec.json.decode(stored or b"", type=IndexDescription)
    except msgspec.DecodeError as error:
        raise WrongIndexError(
            f"{name} was not made by boolattn, for it does not say which model's vectors it holds: use another name"
        ) from error


def unchanged(now: IndexDescription, before: IndexDescription | None, name: str) -> IndexDescription:
    """Return the description of an index; raise if, since it was opened, another one was put in its place."""
    if before not in (None, now):
        raise WrongIndexError(
            f"{name} was dropped and made anew, of other vectors or fields, since it was opened: open it again, with "
            f"the model that it was made with now"
        )
    return now


def refuse_another(existing: IndexDescription, wanted: IndexDescription, name: str) -> None:
    """Raise if the existing index is not of the description wanted; what the model is called may differ."""
    for part in ("fingerprint", "dimension", "similarity", "metadata", "documents"):
        there, asked = getattr(existing, part), getattr(wanted, part)
        if there != asked:
            raise WrongIndexError(
                f"{name} holds vectors of {existing.model} with {part} {there!r}; asked for was {wanted.model} with "
                f"{part} {asked!r}: use another name, or drop the existing index (`boolattn drop --index {name}`)"
            )


def field_columns(description: IndexDescription) -> dict[str, str]:
    """Return the column of each metadata field."""
    return {name: f"field_{place}" for place, name in enumerate(sorted(description.metadata))}


def content_of(title: str, text: str) -> str:
    """Join title and text."""
    return f"{title}{_BETWEEN}{text}"


def text_of(title: str, content: str) -> str:
    """Return the text of what ``content_of`` joined."""
    return content[len(title) + len(_BETWEEN) :]

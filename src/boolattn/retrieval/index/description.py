"""The description stored in an index, the columns derived from it, and the check for a different index.

Metadata fields are stored in columns ``field_0``, ``field_1`` and so on, in alphabetical order, so that users' names
never appear in a query and may contain any character. Title and text share one column, ``content``, for full-text
search; the text follows the title.
"""

import hashlib
from dataclasses import asdict, dataclass, replace

import msgspec

from boolattn.reading.reading import Documents
from boolattn.retrieval.index.protocol import IndexDescription, WrongIndexError

FORMAT = 1
"""The format of an index: its columns and its description."""
_BETWEEN = "\n"


@dataclass(frozen=True, slots=True)
class _Versioned:
    """The part of a description that every version can read."""

    format: int
    checksum: str


class MissingIndexError(WrongIndexError):
    """There is no index with this name."""

    def __init__(self, name: str, made_by: str | None = None) -> None:
        """Create the message, which says how to create the index."""
        made_by = made_by or f"`boolattn index DIR --index {name}`"
        super().__init__(f"there is no index {name}: create it with {made_by}")


def written(description: IndexDescription) -> str:
    """Return a description as JSON, to be stored with the rows."""
    return msgspec.json.encode({"format": FORMAT, "checksum": _digest(description), **asdict(description)}).decode()


def read(stored: str | bytes | None, name: str, declared: str | bytes | None = None) -> IndexDescription:
    """Parse the stored description of an index.

    Args:
        stored: The output of ``written``.
        name: The index's name, for messages.
        declared: What its documents are, if declared later.
    """
    try:
        versioned = msgspec.json.decode(stored or b"", type=_Versioned)
        if versioned.format != FORMAT:
            raise WrongIndexError(
                f"{name} is of format {versioned.format}, and this boolattn reads format {FORMAT}: use the boolattn "
                f"that made it, or index the vectors under another name"
            )
        found = msgspec.json.decode(stored or b"", type=IndexDescription)
        if versioned.checksum != _digest(found):
            raise WrongIndexError(
                f"{name} has a damaged description: restore it from a backup, or index the vectors under another name"
            )
        return replace(found, documents=msgspec.convert(_text(declared), Documents)) if declared else found
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise WrongIndexError(
            f"{name} was not created by boolattn (it does not record the model of its vectors): use another name"
        ) from error


def unchanged(now: IndexDescription, before: IndexDescription | None, name: str) -> IndexDescription:
    """Return the current description of an index; raise if the index was replaced since it was opened."""
    if before is not None and replace(before, documents=now.documents) != now:
        raise WrongIndexError(
            f"{name} was dropped and recreated with other vectors or fields since it was opened: open it again, with "
            f"the model that it now uses"
        )
    return now


def refuse_another(existing: IndexDescription, wanted: IndexDescription, name: str) -> None:
    """Raise if the existing index differs from the wanted one in anything but names and what its documents are."""
    for part in ("fingerprint", "dimension", "similarity", "metadata"):
        there, asked = getattr(existing, part), getattr(wanted, part)
        if there != asked:
            raise WrongIndexError(
                f"{name} contains vectors of {existing.model} with {part} {there!r}, not of {wanted.model} with "
                f"{part} {asked!r}: use another name, or drop the existing index (`boolattn drop --index {name}`)"
            )


def _digest(description: IndexDescription) -> str:
    return hashlib.sha256(msgspec.json.encode(asdict(description), order="sorted")).hexdigest()


def _text(declared: str | bytes) -> str:
    return declared.decode() if isinstance(declared, bytes) else declared


def field_columns(description: IndexDescription) -> dict[str, str]:
    """Return the column of each metadata field."""
    return {name: f"field_{place}" for place, name in enumerate(sorted(description.metadata))}


def content_of(title: str, text: str) -> str:
    """Join title and text."""
    return f"{title}{_BETWEEN}{text}"


def text_of(title: str, content: str) -> str:
    """Return the text part of ``content_of``'s result."""
    return content[len(title) + len(_BETWEEN) :]

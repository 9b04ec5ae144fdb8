"""An index's description as engines keep it, and the refusal of an index that is not the one meant."""

import msgspec

from boolattn.retrieval.index.protocol import IndexDescription, WrongIndexError


class MissingIndexError(WrongIndexError):
    """There is no index of this name."""

    def __init__(self, name: str) -> None:
        """Say how to make it."""
        super().__init__(f"there is no index {name}: `boolattn index DIR --index {name}` makes it")


def written(description: IndexDescription) -> str:
    """Return a description as JSON, for the engine to keep beside the rows."""
    return msgspec.json.encode(description).decode()


def read(kept: str | bytes | None, name: str) -> IndexDescription:
    """Read what ``written`` wrote for the index of this name."""
    try:
        return msgspec.json.decode(kept or b"", type=IndexDescription)
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
    """Raise if the index that is there is not of the description wanted; what the model is called may differ."""
    for part in ("fingerprint", "dimension", "similarity", "metadata", "documents"):
        there, asked = getattr(existing, part), getattr(wanted, part)
        if there != asked:
            raise WrongIndexError(
                f"{name} holds vectors of {existing.model} with {part} {there!r}; asked for was {wanted.model} with "
                f"{part} {asked!r}: use another name, or drop the index that is there (`boolattn drop --index {name}`)"
            )

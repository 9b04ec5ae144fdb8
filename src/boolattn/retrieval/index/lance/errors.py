"""Explain LanceDB's errors: the cause, and what to do about it."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

CAUSES = {
    "conflict": "another process is writing to it. Run this again when that process is done",
    "no space left": "the disk is full. Free some space and run this again, which resumes",
    "permission denied": "its files cannot be accessed. Check the permissions of the folder",
    "not found": "a file of it is missing. Restore it from a backup, or index the same vectors under another name",
}
"""Text in a LanceDB error -> what it means, and what to do about it."""


class LanceFilesError(OSError):
    """The files of an index cannot be read or written."""


class _Named(Protocol):
    uri: str


Owner = TypeVar("Owner", bound=_Named)
Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def explained(method: Callable[Concatenate[Owner, Given], Returned]) -> Callable[Concatenate[Owner, Given], Returned]:
    """Make a method explain what the user can do about a LanceDB error."""

    @wraps(method)
    def call(self: Owner, /, *given: Given.args, **settings: Given.kwargs) -> Returned:
        try:
            return method(self, *given, **settings)
        except RuntimeError as error:
            message = str(error).partition(", /")[0].partition("Traceback")[0]  # the rest is a line of LanceDB's source
            raise LanceFilesError(f"{self.uri}: {_advice(message)} (LanceDB says: {message})") from error

    return call


def _advice(message: str) -> str:
    """Return what an error means and what to do; for an unknown error, never advise removing anything."""
    known = [advice for sign, advice in CAUSES.items() if sign in message.lower()]
    return known[0] if known else "LanceDB failed. Nothing was removed; its message may say what to do"

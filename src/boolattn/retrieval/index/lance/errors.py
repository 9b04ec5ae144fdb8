"""LanceDB's errors, which become ours."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

Given = ParamSpec("Given")
Returned = TypeVar("Returned")


class LanceFilesError(OSError):
    """The files of an index cannot be read or written."""


class Named(Protocol):
    """What has an address, for messages."""

    uri: str


Engine = TypeVar("Engine", bound=Named)


def explained(method: Callable[Concatenate[Engine, Given], Returned]) -> Callable[Concatenate[Engine, Given], Returned]:
    """Let a method of an engine say what its user can do about an error of LanceDB, which raises plain ones."""

    @wraps(method)
    def call(self: Engine, /, *given: Given.args, **settings: Given.kwargs) -> Returned:
        try:
            return method(self, *given, **settings)
        except RuntimeError as error:
            if "conflict" in str(error):
                mend = "somebody else writes to it at the same time. Run this again when they are done"
            else:
                mend = "its files cannot be read or written. If they are damaged, remove them and index anew"
            said = str(error).partition(", /")[0]  # what follows is a line of its source
            raise LanceFilesError(f"{self.uri}: {mend} (LanceDB says: {said})") from error

    return call

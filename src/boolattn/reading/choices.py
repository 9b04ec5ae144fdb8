"""What a caller chooses by name: in a module of its own, so that the command line prints its help at once."""

from typing import Literal, TypeAlias

Documents: TypeAlias = Literal["things", "pages"]
Strictness: TypeAlias = Literal["safe", "balanced", "sensitive"]

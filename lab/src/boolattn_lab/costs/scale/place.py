"""Where an index of this benchmark is, and how to get rid of it. Imports no torch."""

import os
from dataclasses import dataclass
from pathlib import Path

from boolattn.retrieval.index.description import MissingIndexError
from boolattn.retrieval.index.open_index import open_index, parse_address
from boolattn_lab.costs.resources import Server

FINGERPRINT = "boolattn-lab scale"
"""Marks an index as one of this benchmark's."""


@dataclass(frozen=True)
class Place:
    """Where an index of this measurement is."""

    uri: str
    server: Server | None

    @property
    def backend(self) -> str:
        """``lance`` or ``milvus``."""
        return parse_address(self.uri).backend

    @property
    def folder(self) -> Path:
        """The folder of its files."""
        return self.server.folder if self.server else Path(parse_address(self.uri).where)

    @property
    def process(self) -> int:
        """The process that holds it in memory."""
        return self.server.process if self.server else os.getpid()


def drop_leftover(place: Place) -> None:
    """Drop the index of an interrupted measurement; any other index of this name is refused."""
    index = open_index(place.uri)
    try:
        if index.describe().fingerprint != FINGERPRINT:
            raise ValueError(f"{place.uri} exists already, and this benchmark would drop it: use another place")
        index.drop()
    except MissingIndexError:
        pass
    finally:
        index.close()

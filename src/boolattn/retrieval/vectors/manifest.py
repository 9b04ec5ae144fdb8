"""What lies in a folder of encoded documents: ``manifest.json``, written last, so that a folder with it is complete."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Self, TypeAlias

import msgspec

from boolattn.retrieval.index.protocol import IndexDescription, Kind

MANIFEST_FILE = "manifest.json"
FORMAT = 1

Precision: TypeAlias = Literal["float32", "float16", "int8"]


class BadManifestError(ValueError):
    """A folder that is not a finished folder of encoded documents."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of encoded documents, how many it holds, and its checksum."""

    file: str
    documents: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What ``boolattn encode`` made.

    Attributes:
        format: Of the folder; other numbers than ``FORMAT`` are refused.
        model: What the model is called, for people.
        fingerprint: Of the model, as ``document_fingerprint`` gives it.
        dimension: Of the vectors.
        similarity: How they compare; vectors for "cosine" have unit length.
        precision: How they are stored.
        documents: How many there are in all shards.
        metadata: The documents' further fields, and what they hold.
        shards: The files, in the order of the corpus.
    """

    format: int = FORMAT
    model: str
    fingerprint: str
    dimension: int
    similarity: Literal["cosine", "dot"]
    precision: Precision
    documents: int
    metadata: Mapping[str, Kind] = field(default_factory=dict)
    shards: tuple[Shard, ...] = ()

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read what a folder holds."""
        path = Path(folder) / MANIFEST_FILE
        try:
            manifest = msgspec.json.decode(path.read_bytes(), type=cls)
        except FileNotFoundError as error:
            raise BadManifestError(
                f"{folder} has no {MANIFEST_FILE}: it is not, or not yet, a whole folder of encoded documents. "
                f"`boolattn encode CORPUS --out {folder}` makes it, or resumes where it was stopped"
            ) from error
        except msgspec.DecodeError as error:
            raise BadManifestError(f"{path} is damaged: remove it and run boolattn encode again ({error})") from error
        if manifest.format != FORMAT:
            raise BadManifestError(
                f"{path} is of format {manifest.format}; this boolattn reads format {FORMAT}: encode the corpus anew, "
                f"or use the boolattn that wrote it"
            )
        return manifest

    def write(self, folder: str | Path) -> None:
        """Write it aside, then rename it."""
        path = Path(folder) / MANIFEST_FILE
        aside = path.with_suffix(".json.part")
        aside.write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n")
        aside.replace(path)

    def description(self) -> IndexDescription:
        """Return the index that these documents make."""
        return IndexDescription(self.fingerprint, self.model, self.dimension, self.similarity, self.metadata)

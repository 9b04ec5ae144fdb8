"""The contents of a folder of encoded documents: ``manifest.json``, written last, so that it marks completion."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Literal, Self, TypeAlias

import msgspec

from boolattn.reading.reading import Documents
from boolattn.retrieval.index.protocol import IndexDescription, Kind
from boolattn.retrieval.shards.durable import atomic_write

MANIFEST_FILE = "manifest.json"
DECLARED_FILE = "documents.declared"
"""Stores what the documents are until the folder is complete and has a manifest."""
FORMAT = 1

Precision: TypeAlias = Literal["float32", "float16", "int8"]


class BadManifestError(ValueError):
    """A folder that is not a complete folder of encoded documents."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of encoded documents, its number of documents, and its checksum."""

    file: str
    documents: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Output of ``boolattn encode``.

    Attributes:
        format: The folder's format; other numbers than ``FORMAT`` are refused.
        model: The model's name, for display.
        fingerprint: The model's ``document_fingerprint``.
        dimension: Size of the vectors.
        similarity: How vectors compare; for "cosine", they have unit length.
        precision: How vectors are stored.
        documents: Number of documents in all shards.
        documents_are: What they are, ``"things"`` or ``"pages"`` about them; None if undeclared.
        metadata: The metadata fields and their types.
        shards: The files, in the order of the corpus.
        checksum: Of all the above.
    """

    format: int = FORMAT
    model: str
    fingerprint: str
    dimension: int
    similarity: Literal["cosine", "dot"]
    precision: Precision
    documents: int
    documents_are: Documents | None = None
    metadata: Mapping[str, Kind] = field(default_factory=dict)
    shards: tuple[Shard, ...] = ()
    checksum: str = field(default="", compare=False)

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a folder's manifest."""
        path = Path(folder) / MANIFEST_FILE
        try:
            manifest = msgspec.json.decode(path.read_bytes(), type=cls)
        except FileNotFoundError as error:
            raise BadManifestError(
                f"{folder} has no {MANIFEST_FILE}: it is not a complete folder of encoded documents. "
                f"Run `boolattn encode CORPUS --out {folder}` to create or resume it"
            ) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadManifestError(
                f"{path} is damaged: run boolattn encode again with the same corpus, model and settings, which writes "
                f"it again ({error})"
            ) from error
        if manifest.format != FORMAT:
            raise BadManifestError(
                f"{path} has format {manifest.format}, but this version reads {FORMAT}: encode the corpus again, "
                f"or use the boolattn version that wrote it"
            )
        manifest._require_consistent(path)
        return manifest

    def write(self, folder: str | Path) -> None:
        """Write the manifest atomically."""
        with atomic_write(Path(folder) / MANIFEST_FILE) as aside:
            signed = replace(self, checksum=self._digest())
            aside.write_bytes(msgspec.json.format(msgspec.json.encode(signed), indent=2) + b"\n")

    def _digest(self) -> str:
        content = msgspec.json.encode(replace(self, checksum=""), order="sorted")
        return hashlib.sha256(content).hexdigest()

    def _require_consistent(self, path: Path) -> None:
        """Raise if shards are not files of the folder, or if their numbers of documents do not add up."""
        names = [shard.file for shard in self.shards]
        if foreign := [name for name in names if name != PurePath(name).name or "\\" in name or name in ("", "..")]:
            problem = f"it names {foreign[0]!r}, which is not a file of the folder"
        elif len(set(names)) < len(names):
            problem = "it names a file twice"
        elif self.dimension < 1 or any(shard.documents < 0 for shard in self.shards):
            problem = "its numbers are invalid"
        elif (total := sum(shard.documents for shard in self.shards)) != self.documents:
            problem = f"its shards have {total} documents, not {self.documents}"
        elif self.checksum != self._digest():
            problem = "its checksum is not that of its contents"
        else:
            return
        raise BadManifestError(
            f"{path} is damaged or was changed: {problem}. Run boolattn encode again with the same corpus, model and "
            f"settings, which rewrites it"
        )

    def description(self) -> IndexDescription:
        """Return the description of an index of these documents."""
        return IndexDescription(
            self.fingerprint, self.model, self.dimension, self.similarity, self.metadata, self.documents_are
        )

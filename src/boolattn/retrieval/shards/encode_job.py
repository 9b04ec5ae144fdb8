"""Encode one corpus into one folder, shard by shard; existing shards are kept, or refused."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from sentence_transformers import SentenceTransformer

from boolattn.backbones.document_encoder import BATCH, document_vectors
from boolattn.retrieval.corpus.documents import Corpus, CorpusDocument, CorpusReader
from boolattn.retrieval.index.protocol import Rows, Vectors
from boolattn.retrieval.shards.manifest import DECLARED_FILE, MANIFEST_FILE, Precision, Shard
from boolattn.retrieval.shards.shard_files import BadShardError, read_origin, read_shard, write_shard

STEP = 8 * BATCH  # documents between progress updates; a multiple of the batch size


class WrongFolderError(ValueError):
    """A folder that was started with other settings."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The documents and settings of a shard; stored in the shard.

    Attributes:
        fingerprint: The model's fingerprint.
        arithmetic: "bf16" or "full".
        precision: Precision of the stored vectors.
        documents: A digest of the documents.
    """

    fingerprint: str
    arithmetic: Literal["bf16", "full"]
    precision: Precision
    documents: str = ""


def noted_origin(path: Path) -> Origin | None:
    """Return the origin stored in a shard; None if the shard is damaged."""
    try:
        return msgspec.json.decode(read_origin(path), type=Origin)
    except (BadShardError, msgspec.DecodeError):
        return None


@dataclass(frozen=True, slots=True)
class EncodeJob:
    """What to encode, how and where; can be sent to other machines with the same files.

    Attributes:
        corpus: The documents.
        folder: The output folder.
        origin: The origin of every shard, without its documents.
        similarity: How the model compares vectors.
        shard_documents: Number of documents per shard.
    """

    corpus: Corpus
    folder: Path
    origin: Origin
    similarity: Literal["cosine", "dot"]
    shard_documents: int

    @property
    def shards(self) -> int:
        """Total number of shards."""
        return -(-self.corpus.documents // self.shard_documents)

    def path(self, number: int) -> Path:
        """Return the path of a shard."""
        return self.folder / f"shard-{number:05d}.parquet"

    def leftovers(self) -> Iterator[Path]:
        """Yield the temporary files of killed runs; other files in the folder are not touched."""
        for pattern in ("shard-*.parquet.*.part", f"{MANIFEST_FILE}.*.part", f"{DECLARED_FILE}.*.part"):
            yield from self.folder.glob(pattern)

    def settled(self) -> dict[int, Shard]:
        """Return the complete shards; a folder with shards that this job would not write is refused."""
        there = [number for number in range(self.shards) if self.path(number).exists()]
        known = {self.path(number).name for number in there}
        if beyond := sorted(path.name for path in self.folder.glob("shard-*.parquet") if path.name not in known):
            raise WrongFolderError(
                f"{self.folder} contains {beyond[0]}, but {self.corpus.path} has only {self.shards} shards: use the "
                f"corpus that the folder was started with, or another --out"
            )
        reader = CorpusReader(self.corpus)
        found = {number: self._kept(number, self._documents(reader, number)) for number in there}
        return {number: shard for number, shard in found.items() if shard is not None}

    def encode(
        self,
        model: SentenceTransformer,
        reader: CorpusReader,
        number: int,
        advance: Callable[[int], None] = lambda documents: None,
    ) -> Shard:
        """Encode and write one shard; the same documents give the same bytes."""
        documents = self._documents(reader, number)
        rows = Rows(
            [document.doc_id for document in documents],
            [document.title for document in documents],
            [document.text for document in documents],
            self._vectors(model, [document.to_encode() for document in documents], advance),
            [document.metadata for document in documents],
        )
        origin = msgspec.json.encode(self._origin_of(documents)).decode()
        return write_shard(self.path(number), rows, self.origin.precision, origin)

    def _documents(self, reader: CorpusReader, number: int) -> list[CorpusDocument]:
        return reader.read(number * self.shard_documents, self.shard_documents)

    def _vectors(self, model: SentenceTransformer, texts: Sequence[str], advance: Callable[[int], None]) -> Vectors:
        # Sorted by length over the whole shard, so that batches have little padding; longest first, so that
        # running out of memory happens early.
        order = np.argsort([-len(text) for text in texts], kind="stable")
        parts = []
        for start in range(0, len(order), STEP):
            part = order[start : start + STEP]
            parts.append(document_vectors(model, [texts[place] for place in part]))
            advance(len(part))
        found = np.concatenate(parts)
        if self.similarity == "cosine":  # a half-precision model normalises only to about 1e-3
            found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        vectors = np.empty_like(found)
        vectors[order] = found
        return vectors

    def _kept(self, number: int, documents: Sequence[CorpusDocument]) -> Shard | None:
        """Return an existing shard; None if it is damaged, so that it is encoded again."""
        path = self.path(number)
        noted = noted_origin(path)
        try:
            rows = read_shard(path)
        except BadShardError:
            return None
        if noted is None:
            return None
        wanted = self._origin_of(documents)
        differing = [
            f"{name} {getattr(noted, name)}, not {getattr(wanted, name)}"
            for name in Origin.__dataclass_fields__
            if getattr(noted, name) != getattr(wanted, name)
        ]
        if differing:
            raise WrongFolderError(
                f"{path} was started with another model, precision or corpus ({'; '.join(differing)}): resume with "
                f"the original settings, or use another --out"
            )
        return Shard(path.name, len(rows), rows.shard)

    def _origin_of(self, documents: Sequence[CorpusDocument]) -> Origin:
        digest = hashlib.blake2b(digest_size=16)
        for each in documents:
            digest.update(msgspec.json.encode((each.doc_id, each.title, each.text, each.metadata), order="sorted"))
        return Origin(self.origin.fingerprint, self.origin.arithmetic, self.origin.precision, digest.hexdigest())

"""What a version of the corpus must become, made without disturbances."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import cast

import numpy as np

from boolattn.backbones.storage.model_names import load_encoder, title_of
from boolattn.retrieval.corpus.documents import survey
from boolattn.retrieval.index.protocol import Rows, Vectors
from boolattn.retrieval.shards.encoding import encode_corpus
from boolattn.retrieval.shards.shard_files import read_shard
from boolattn_lab.costs.failure_drills.documents import SHARD_DOCUMENTS, Version


@dataclass(frozen=True, slots=True)
class Reference:
    """A corpus, the folder that it is encoded into, and its documents with their vectors."""

    corpus: Path
    folder: Path
    rows: Rows

    def differing(self, folder: Path) -> list[str]:
        """Return the names of files in another folder that are not the same, byte for byte."""
        expected, found = _contents(self.folder), _contents(folder)
        return sorted(name for name in {*expected, *found} if expected.get(name) != found.get(name))


class ReferenceMaker:
    """Encodes corpora and queries in this process."""

    def __init__(self, folder: Path, model: Path) -> None:
        """Take where to write, and the model's folder."""
        self._folder, self._name, self._model = folder, title_of(str(model)), load_encoder(str(model))
        self._made = 0

    def make(self, version: Version) -> Reference:
        """Write a corpus and encode it."""
        self._made += 1
        corpus, folder = self._folder / f"corpus-{self._made}.jsonl", self._folder / f"reference-{self._made}"
        version.write(corpus)
        done = encode_corpus(
            survey(corpus), self._model, folder, name=self._name, shard_documents=SHARD_DOCUMENTS, progress=False
        )
        return Reference(corpus, folder, _joined([read_shard(folder / each.file) for each in done.manifest.shards]))

    def encode(self, queries: Sequence[str]) -> Vectors:
        """Return the vectors (Q, D) of queries."""
        found = self._model.encode_query(list(queries), normalize_embeddings=True, show_progress_bar=False)
        return cast(Vectors, found)


def _joined(shards: Sequence[Rows]) -> Rows:
    return Rows(
        list(chain.from_iterable(each.ids for each in shards)),
        list(chain.from_iterable(each.titles for each in shards)),
        list(chain.from_iterable(each.texts for each in shards)),
        np.concatenate([each.vectors for each in shards]),
        list(chain.from_iterable(each.metadata for each in shards)),
    )


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}

"""What ``boolattn encode`` costs beside the bare model: files, checksums and the rest, in one process."""

import json
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from sentence_transformers import SentenceTransformer

from boolattn.encoders.document_encoder import BATCH, arithmetic_of
from boolattn.retrieval.corpus.documents import survey
from boolattn.retrieval.vectors.encoding import SHARD_DOCUMENTS, encode_corpus

ROUNDS = 3


def encode_ratio(model: SentenceTransformer, documents: Sequence[str]) -> float:
    """Return the rate of encoding into a folder over that of a bare ``SentenceTransformer.encode`` loop.

    Both take the same texts in batches of one size and one arithmetic, by turns; it is the median of three pairs. Ours
    reads the corpus, twice, and writes the shards; a model's start-up, of which its fingerprint is part, is in neither.
    """
    with TemporaryDirectory() as name:
        corpus = Path(name) / "corpus.jsonl"
        rows = ({"id": str(number), "text": text} for number, text in enumerate(documents))
        corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        _bare(model, documents[:BATCH])  # the first call of all is slower
        times = [(_bare(model, documents), _ours(model, corpus, Path(name) / str(number))) for number in range(ROUNDS)]
    return statistics.median(bare / ours for bare, ours in times)


def _bare(model: SentenceTransformer, documents: Sequence[str]) -> float:
    begun = time.perf_counter()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=arithmetic_of(model) == "bf16"):
        for start in range(0, len(documents), SHARD_DOCUMENTS):
            texts = list(documents[start : start + SHARD_DOCUMENTS])
            model.encode(texts, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False)
    return time.perf_counter() - begun


def _ours(model: SentenceTransformer, corpus: Path, folder: Path) -> float:
    begun = time.perf_counter()
    found = survey(corpus)
    surveyed = time.perf_counter() - begun
    return surveyed + encode_corpus(found, model, folder, name="measured", progress=False).seconds

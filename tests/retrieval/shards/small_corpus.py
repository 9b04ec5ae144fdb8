"""A small corpus, and a way to encode it with a small model in small shards."""

import json
from pathlib import Path
from random import Random

from boolattn.backbones.storage.model_names import load_encoder
from boolattn.retrieval.corpus.documents import survey
from boolattn.retrieval.shards.encoding import Encoded, encode_corpus

SHARD = 60
WORDS = ["kites", "boats", "trains", "drums", "wolves", "lamps", "roses", "from", "over", "Peru", "Chad", "Nepal"]


def write_corpus(path: Path, documents: int = 400, seed: int = 0) -> Path:
    """Write documents of very different lengths, with a last shard that is not full."""
    rng = Random(seed)
    rows = [
        {"id": f"doc {n}", "title": rng.choice(WORDS), "text": " ".join(rng.choices(WORDS, k=rng.randint(0, 90))),
         "year": 1900 + n % 100}
        for n in range(documents)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def encode(corpus: Path, model: str, folder: Path, **settings) -> Encoded:
    """Encode in shards of ``SHARD`` documents."""
    found = survey(corpus)
    return encode_corpus(
        found, load_encoder(model), folder, name="small", shard_documents=SHARD, progress=False, **settings
    )


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}

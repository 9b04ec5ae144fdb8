"""Documents encoded per second on one core, by backend, precision and length."""

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import SentenceTransformer

from boolattn_lab.costs.backends import backends
from boolattn_lab.costs.scale.texts import sample_texts
from boolattn_lab.formats.folder import DataFolder

TOKENS = (32, 128, 256)
DOCUMENTS, ROUNDS = 16, 3
POOL = 4000


def measure_encoding(
    model: SentenceTransformer, name: str, data: DataFolder, folder: Path, seed: int
) -> dict[str, Any]:
    """Encode the same documents in all backends in turn, with one thread; time is CPU time, of one core.

    Args:
        model: A plain model.
        name: Its name.
        data: Where the documents come from.
        folder: For the exported encoders.
        seed: Chooses the documents.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        found, rows = backends(model, folder, name, 1), []
        texts = sample_texts(data, POOL, seed, characters=None)
        for tokens in TOKENS:
            cut = _of_length(model, texts, tokens)
            calls = {each.name: each.document for each in found}
            calls["torch bf16"] = _in_bf16(calls["torch fp32"])
            for each, seconds in _in_turn(calls, cut).items():
                rows.append({"backend": each, "tokens": tokens, "documents_per_second": len(cut) / seconds})
        return {"model": name, "documents": DOCUMENTS, "threads": 1, "rows": rows}
    finally:
        torch.set_num_threads(threads)


def _of_length(model: SentenceTransformer, texts: list[str], tokens: int) -> list[str]:
    """Return texts cut to a number of tokens; shorter ones are left out."""
    cut = []
    for text in texts:
        places = model.tokenizer(text, return_offsets_mapping=True, truncation=True)["offset_mapping"]
        if len(places) >= tokens:
            cut.append(text[: places[tokens - 2][1]])  # and two special tokens
        if len(cut) == DOCUMENTS:
            break
    return cut


def _in_bf16(encode: Callable[[list[str]], Any]) -> Callable[[list[str]], Any]:
    def encoded(texts: list[str]) -> Any:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return encode(texts)

    return encoded


def _in_turn(calls: dict[str, Callable[[list[str]], Any]], texts: list[str]) -> dict[str, float]:
    """Return the median CPU seconds of each; the first round warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS + 1):
        for name, call in calls.items():
            begun = time.process_time()
            call(texts)
            seconds[name].append(time.process_time() - begun)
    return {name: statistics.median(times[1:]) for name, times in seconds.items()}

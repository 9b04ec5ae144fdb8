"""The learned reader: a small encoder of its own, run by onnxruntime, for any embedding model. Needs no torch."""

import dataclasses
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from boolattn.operators import AND, NOT, OPERATORS, OR
from boolattn.reading.reader_tokens import TokenBatch, prepare, token_batch
from boolattn.reading.reading import Exclusion, Kind, Reading
from boolattn.reading.screen import may_exclude
from boolattn.reading.spans import Span, marked_words

MODEL_FILE, TOKENIZER_FILE, CARD_FILE = "reader.onnx", "tokenizer.json", "reader.json"
SHIPPED = "english"
MARKED = 0.5  # a token belongs to a cue or a scope from this probability on
REPORTED = 0.1  # an exclusion less likely than this is not even reported

_PACKAGE = Path(__file__).parents[1]
# In an installed package; in a checkout, whose package lies in src/.
_HOMES = (_PACKAGE / "readers", _PACKAGE.parents[1] / "readers")
READERS = next((home for home in _HOMES if home.is_dir()), _HOMES[0])

# The model's outputs, in order: of a query (the first three are a softmax), and of each token (likewise).
QUERY_OUTPUTS = ("none", "topic", "property", AND.name, OR.name)
TOKEN_OUTPUTS = ("outside", "topic", "property", "cue and", "cue or", "cue not", "scope and", "scope or")

Logits = NDArray[np.float32]


class ReaderFileError(ValueError):
    """A reader's folder is damaged or incomplete."""


@dataclass(frozen=True)
class ReaderCard:
    """What ``reader.json`` says of a reader.

    Attributes:
        name: What it is called.
        version: Of its weights.
        calibration: ``(scale, shift)`` of the logit of an exclusion of a topic, so that the confidence is the share of
            such readings that are right among real queries.
        sha256: Of the model's file and the tokenizer's.
        training: What it was trained on, with licences.
    """

    name: str
    version: str
    calibration: tuple[float, float] = (1.0, 0.0)
    sha256: Mapping[str, str] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)


class LearnedReader:
    """Reads all three operators, their cues and scopes, and the kind of each exclusion.

    Example:
        >>> load_reader().read(["movies set in Vietnam but not about war"])  # doctest: +SKIP
    """

    def __init__(self, folder: Path, card: ReaderCard, threads: int | None = None) -> None:
        """Open the model of a folder; ``LearnedReader.load`` also checks its files."""
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or int(os.environ.get("OMP_NUM_THREADS", 0))
        self.folder, self.card = folder, card
        self._session = onnxruntime.InferenceSession(
            str(folder / MODEL_FILE), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = prepare(Tokenizer.from_file(str(folder / TOKENIZER_FILE)))

    @classmethod
    def load(cls, folder: str | Path, threads: int | None = None) -> "LearnedReader":
        """Load a reader that ``boolattn train reader`` wrote, after checking that its files are whole.

        Args:
            folder: Where it lies.
            threads: For onnxruntime; by default ``OMP_NUM_THREADS``, or all cores.
        """
        folder = Path(folder)
        try:
            card = msgspec.json.decode((folder / CARD_FILE).read_bytes(), type=ReaderCard)
        except FileNotFoundError as error:
            raise ReaderFileError(
                f"{folder} holds no reader: {CARD_FILE} is missing. Name a folder that `boolattn train reader` wrote"
            ) from error
        except msgspec.DecodeError as error:
            raise ReaderFileError(f"{folder / CARD_FILE} is damaged: get the reader again ({error})") from error
        found = checksums(folder)
        for name in (MODEL_FILE, TOKENIZER_FILE):
            if name not in found or found[name] != card.sha256.get(name):
                raise ReaderFileError(f"{folder / name} is missing or damaged: get the reader again")
        return cls(folder, card, threads)

    @property
    def name(self) -> str:
        """Name and version."""
        return f"{self.card.name} {self.card.version}"

    def calibrated(self, scale: float, shift: float) -> "LearnedReader":
        """Return the same reader with another calibration."""
        return LearnedReader(self.folder, dataclasses.replace(self.card, calibration=(scale, shift)))

    def __reduce__(self) -> tuple[Any, ...]:
        return LearnedReader, (self.folder, self.card)

    def read(self, queries: Sequence[str]) -> list[Reading]:
        """Read queries. One that holds no word of the screen excludes nothing, whatever the model says.

        Each is read by itself: eight-bit arithmetic scales a batch as a whole, so that company would change a reading.
        """
        return [self._read(query) for query in queries]

    def _read(self, query: str) -> Reading:
        if not query.strip():
            return Reading.plain(query, "learned", self.name)
        batch = token_batch(self._tokenizer, [query])
        of_query, of_tokens = self.logits(batch)
        return self._decode(query, of_query[0], of_tokens[0], batch.offsets[0])

    def logits(self, batch: TokenBatch) -> tuple[Logits, Logits]:
        """Return what the model says of queries, (B, 5), and of their tokens, (B, L, 8)."""
        found = self._session.run(None, {"ids": batch.ids, "types": batch.types, "mask": batch.mask})
        return found[0], found[1]

    def _decode(self, query: str, of_query: Logits, of_tokens: Logits, offsets: list[tuple[int, int]]) -> Reading:
        of_tokens = of_tokens[: len(offsets)]
        kinds, excluded = _softmax(of_query[:3]), 1 - _softmax(of_tokens[:, :3])[:, 0]
        cues: dict[str, tuple[Span, ...]] = dict.fromkeys(OPERATORS, ())
        scopes = dict(cues)
        operators = {name for name, logit in zip((AND.name, OR.name), of_query[3:], strict=True) if logit > 0}
        for column, name in enumerate((AND.name, OR.name)):
            if name in operators:
                cues[name] = _words(query, offsets, of_tokens[:, 3 + column] > 0)
                scopes[name] = _words(query, offsets, of_tokens[:, 6 + column] > 0)
        exclusions: tuple[Exclusion, ...] = ()
        if kinds[0] <= 1 - REPORTED and may_exclude(query):
            spans = _words(query, offsets, excluded > MARKED)
            kind: Kind = "topic" if kinds[1] >= kinds[2] else "property"
            exclusions = tuple(Exclusion(span, kind, float(1 - kinds[0]), self._calibrated(kinds[1])) for span in spans)
        if exclusions:
            operators.add(NOT.name)
            cues[NOT.name] = _words(query, offsets, of_tokens[:, 5] > 0)
            scopes[NOT.name] = tuple(each.span for each in exclusions)
        return Reading(query, frozenset(operators), cues, scopes, exclusions, float(max(kinds)), "learned", self.name)

    def _calibrated(self, topic: float) -> float:
        """Return the share of real queries that exclude a topic among those of which the model says this."""
        scale, shift = self.card.calibration
        odds = np.log(max(topic, 1e-9)) - np.log(max(1 - topic, 1e-9))
        return float(1 / (1 + np.exp(-(scale * odds + shift))))


def checksums(folder: Path) -> dict[str, str]:
    """Return the sha256 of the model's file and the tokenizer's, where they exist."""
    paths = [path for name in (MODEL_FILE, TOKENIZER_FILE) if (path := folder / name).is_file()]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


@cache
def load_reader(name_or_folder: str | Path = SHIPPED) -> LearnedReader:
    """Load a reader that comes with boolattn, by name, or one of a folder; no network is needed.

    Example:
        >>> load_reader().read(["movies set in Vietnam but not about war"])[0].exclusions  # doctest: +SKIP
    """
    shipped = READERS / str(name_or_folder)
    return LearnedReader.load(shipped if (shipped / CARD_FILE).is_file() else name_or_folder)


def _words(query: str, offsets: list[tuple[int, int]], marks: NDArray[np.bool_]) -> tuple[Span, ...]:
    return marked_words(query, offsets, marks.tolist())


def _softmax(logits: Logits) -> NDArray[np.float64]:
    """Return probabilities over the last axis."""
    powers = np.exp(logits.astype(np.float64) - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))

"""The learned reader: a small separate encoder, run by onnxruntime, for any embedding model. Needs no torch."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from boolattn.operators import AND, NOT, OPERATORS, OR
from boolattn.reading.model_files import file_digests, onnx_session, settings_digest
from boolattn.reading.reading import Exclusion, Kind, Reading
from boolattn.reading.screen import may_exclude
from boolattn.reading.spans import Span, marked_words

MOST_TOKENS = 96
GLUED, CAPITALS = 1, 2  # bits of a token's type: no space before it ("-word"); all in capitals ("NOT")


class TokenBatch(NamedTuple):
    """Queries as arrays, padded to the longest."""

    ids: NDArray[np.int64]  # (B, L)
    types: NDArray[np.int64]  # (B, L)
    mask: NDArray[np.int64]  # (B, L), 1 for real tokens
    offsets: list[list[tuple[int, int]]]  # the characters of each token; (0, 0) for special tokens


def prepare(tokenizer: Tokenizer) -> Tokenizer:
    """Configure a tokenizer for the reader."""
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    return tokenizer


def token_batch(tokenizer: Tokenizer, queries: Sequence[str], multiple: int = 1) -> TokenBatch:
    """Tokenise queries.

    Args:
        tokenizer: From ``prepare``.
        queries: The texts.
        multiple: The length is rounded up to a multiple of this.
    """
    encodings = tokenizer.encode_batch(list(queries))
    longest = max(len(each.ids) for each in encodings)
    shape = (len(queries), -(-longest // multiple) * multiple)
    ids, types, mask = (np.zeros(shape, np.int64) for _ in range(3))
    for row, (query, each) in enumerate(zip(queries, encodings, strict=True)):
        length = len(each.ids)
        ids[row, :length], types[row, :length], mask[row, :length] = each.ids, _types(query, each), 1
    return TokenBatch(ids, types, mask, [each.offsets for each in encodings])


def _types(query: str, encoding: Encoding) -> list[int]:
    found = []
    for (start, end), token in zip(encoding.offsets, encoding.tokens, strict=True):
        glued = 0 < start < end and not query[start - 1].isspace() and not token.startswith("##")
        word = query[start:end]
        found.append(GLUED * glued + CAPITALS * (len(word) > 1 and word.isupper()))
    return found


MODEL_FILE, TOKENIZER_FILE, CARD_FILE = "reader.onnx", "tokenizer.json", "reader.json"
FILES = (MODEL_FILE, TOKENIZER_FILE)
SHIPPED = "english"
MARKED = 0.5  # a token belongs to a cue or scope at or above this probability
REPORTED = 0.1  # less likely exclusions are not even reported

_PACKAGE = Path(__file__).parents[1]
# In an installed package; in a checkout, whose package is in src/.
_HOMES = (_PACKAGE / "weights", _PACKAGE.parents[1] / "weights")
READERS = next((home for home in _HOMES if home.is_dir()), _HOMES[0])

# The model's outputs, in order: for the query (the first three are a softmax), and for each token (likewise).
QUERY_OUTPUTS = ("none", "topic", "property", AND.name, OR.name)
TOKEN_OUTPUTS = ("outside", "topic", "property", "cue and", "cue or", "cue not", "scope and", "scope or")

Logits = NDArray[np.float32]


class ReaderFileError(ValueError):
    """A reader's folder is damaged or incomplete."""


@dataclass(frozen=True)
class ReaderCard:
    """The contents of ``reader.json``.

    Attributes:
        name: The reader's name.
        version: The version of its weights.
        calibration: ``(scale, shift)`` for the logit of a topic exclusion, so that the confidence is the share of
            such readings that are right among real queries.
        sha256: Checksums of the model file and the tokenizer file.
        training: What it was trained on, with licences.
        checksum: The sha256 of all the above.
    """

    name: str
    version: str
    calibration: tuple[float, float] = (1.0, 0.0)
    sha256: Mapping[str, str] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    checksum: str = ""

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, self.calibration)):
            raise ValueError(f"the calibration of the reader {self.name} is not finite: {self.calibration}")

    def digest(self) -> str:
        """Return the sha256 of everything but the checksum."""
        return settings_digest(dataclasses.asdict(self))


class LearnedReader:
    """Reads all three operators, their cues and scopes, and the kind of each exclusion.

    Examples:
        >>> load_reader().read(["movies set in Vietnam but not about war"])  # doctest: +SKIP
    """

    def __init__(self, folder: Path, card: ReaderCard, threads: int | None = None) -> None:
        """Open the model in a folder; ``LearnedReader.load`` also verifies its files."""
        self.folder, self.card = folder, card
        self._session = onnx_session(folder / MODEL_FILE, threads)
        self._tokenizer = prepare(Tokenizer.from_file(str(folder / TOKENIZER_FILE)))

    @classmethod
    def load(cls, folder: str | Path, threads: int | None = None) -> "LearnedReader":
        """Load a reader written by ``boolattn-lab train reader``, after verifying its files.

        Args:
            folder: The reader's folder.
            threads: For onnxruntime; by default ``OMP_NUM_THREADS``, or all cores.
        """
        folder = Path(folder)
        try:
            card = msgspec.json.decode((folder / CARD_FILE).read_bytes(), type=ReaderCard)
        except FileNotFoundError as error:
            raise ReaderFileError(
                f"{folder} contains no reader: {CARD_FILE} is missing. Use a folder from `boolattn-lab train reader`"
            ) from error
        except (msgspec.DecodeError, ValueError) as error:
            raise ReaderFileError(f"{folder / CARD_FILE} is damaged: get the reader again ({error})") from error
        if card.checksum != card.digest():
            raise ReaderFileError(f"{folder / CARD_FILE} is not the file that was saved: get the reader again")
        found = file_digests(folder, FILES)
        for name in FILES:
            if name not in found or found[name] != card.sha256.get(name):
                raise ReaderFileError(f"{folder / name} is missing or damaged: download the reader again")
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
        """Read queries. A query without any of the screen's words excludes nothing, whatever the model says.

        Queries are read one at a time: 8-bit arithmetic scales a batch as a whole, so batching would change readings.
        """
        return [self._read(query) for query in queries]

    def _read(self, query: str) -> Reading:
        if not query.strip():
            return Reading.plain(query, "learned", self.name)
        batch = token_batch(self._tokenizer, [query])
        of_query, of_tokens = self.logits(batch)
        return self._decode(query, of_query[0], of_tokens[0], batch.offsets[0])

    def logits(self, batch: TokenBatch) -> tuple[Logits, Logits]:
        """Return the model's outputs for queries, (B, 5), and for their tokens, (B, L, 8)."""
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
            scopes[NOT.name] = tuple(each.span for each in exclusions if each.span)
        return Reading(query, frozenset(operators), cues, scopes, exclusions, float(max(kinds)), "learned", self.name)

    def _calibrated(self, topic: float) -> float:
        """Return the calibrated probability: the share of real queries with such a score that exclude a topic."""
        scale, shift = self.card.calibration
        odds = np.log(max(topic, 1e-9)) - np.log(max(1 - topic, 1e-9))
        return float(1 / (1 + np.exp(-(scale * odds + shift))))


@cache
def load_reader(name_or_folder: str | Path = SHIPPED) -> LearnedReader:
    """Load a shipped reader by name, or a reader from a folder; needs no network.

    Examples:
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

"""The learned reader: a small separate encoder, run by onnxruntime, for any embedding model. Needs no torch."""

import dataclasses
import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from boolattn.operators import AND, NOT, OPERATORS, OR
from boolattn.reading.model_files import file_digests, onnx_session, settings_digest
from boolattn.reading.reading import Documents, Exclusion, Kind, Reading, Source, Strictness
from boolattn.reading.rules.negations import negations
from boolattn.reading.screen import may_exclude
from boolattn.reading.spans import Span, marked_words

MOST_TOKENS, SHARED_TOKENS, MOST_WINDOWS = 96, 24, 12
"""A longer query is read in windows, each of which shares tokens with the next. 12 are enough for about 3,500
characters of English; what follows is not read, so that no query takes long."""
GLUED, CAPITALS = 1, 2  # bits of a token's type: no space before it ("-word"); all in capitals ("NOT")


class TokenBatch(NamedTuple):
    """Queries as arrays, padded to the longest."""

    ids: NDArray[np.int64]  # (B, L)
    types: NDArray[np.int64]  # (B, L)
    mask: NDArray[np.int64]  # (B, L), 1 for real tokens
    offsets: "list[Offsets]"  # the characters of each token; (0, 0) for special tokens


def prepare(tokenizer: Tokenizer) -> Tokenizer:
    """Configure a tokenizer for the reader."""
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS, stride=SHARED_TOKENS)
    return tokenizer


def token_batch(tokenizer: Tokenizer, queries: Sequence[str], multiple: int = 1) -> TokenBatch:
    """Tokenise queries; of a long one, the first window.

    Args:
        tokenizer: From ``prepare``.
        queries: The texts.
        multiple: The length is rounded up to a multiple of this.
    """
    return _batch(queries, tokenizer.encode_batch(list(queries)), multiple)


def windows_of(tokenizer: Tokenizer, query: str) -> list[TokenBatch]:
    """Return a query's windows in order; nearly always one."""
    encoding = tokenizer.encode(query)
    return [_batch([query], [each]) for each in (encoding, *encoding.overflowing)[:MOST_WINDOWS]]


def _batch(queries: Sequence[str], encodings: Sequence[Encoding], multiple: int = 1) -> TokenBatch:
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
Offsets = list[tuple[int, int]]


@dataclass(frozen=True)
class Calibration:
    """What a reader's outputs mean over things or over pages: confidence = sigma(scale * logit + shift).

    Attributes:
        scale: For the logit of an exclusion (things), or of a topic (pages).
        shift: Added to it.
        thresholds: For each strictness, the least confidence that is acted on.
    """

    scale: float = 1.0
    shift: float = 0.0
    thresholds: Mapping[Strictness, float] = field(
        default_factory=lambda: {"safe": 0.9, "balanced": 0.5, "sensitive": 0.1}
    )

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.scale, self.shift))):
            raise ValueError(f"a calibration must be finite: scale {self.scale}, shift {self.shift}")
        if set(self.thresholds) != set(get_args(Strictness)):
            raise ValueError(f"a calibration needs a threshold for each of {', '.join(get_args(Strictness))}")

    def confidence(self, probability: float) -> float:
        """Return how likely an exclusion with such an output is right."""
        odds = math.log(max(probability, 1e-9)) - math.log(max(1 - probability, 1e-9))
        return 1 / (1 + math.exp(-(self.scale * odds + self.shift)))


Calibrations = Mapping[Documents, Calibration]


class ReaderFileError(ValueError):
    """A reader's folder is damaged or incomplete."""


@dataclass(frozen=True)
class ReaderCard:
    """The contents of ``reader.json``.

    Attributes:
        name: The reader's name.
        version: The version of its weights.
        calibrations: Over things and over pages, fitted to real queries of each.
        sha256: Checksums of the model file and the tokenizer file.
        training: What it was trained on, with licences.
        checksum: The sha256 of all the above.
    """

    name: str
    version: str
    calibrations: Calibrations
    sha256: Mapping[str, str] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    checksum: str = ""

    def __post_init__(self) -> None:
        if set(self.calibrations) != set(get_args(Documents)):
            raise ValueError(f"the reader {self.name} needs a calibration for each of {', '.join(get_args(Documents))}")

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
        self._thresholds = {documents: each.thresholds for documents, each in card.calibrations.items()}

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
            raise ReaderFileError(
                f"{folder / CARD_FILE} is damaged, or of an older version: get the reader again ({error})"
            ) from error
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

    def calibrated(self, calibrations: Calibrations) -> "LearnedReader":
        """Return the same reader with other calibrations."""
        return LearnedReader(self.folder, dataclasses.replace(self.card, calibrations=calibrations))

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
        windows = windows_of(self._tokenizer, query)
        outputs = [(*(each[0] for each in self.logits(window)), window.offsets[0]) for window in windows]
        return self._decode(query, outputs)

    def logits(self, batch: TokenBatch) -> tuple[Logits, Logits]:
        """Return the model's outputs for queries, (B, 5), and for their tokens, (B, L, 8)."""
        found = self._session.run(None, {"ids": batch.ids, "types": batch.types, "mask": batch.mask})
        return found[0], found[1]

    def _decode(self, query: str, outputs: Sequence[tuple[Logits, Logits, Offsets]]) -> Reading:
        of_windows = np.stack([of_query for of_query, _, _ in outputs])  # (W, 5)
        window_of, of_tokens, offsets = _joined(outputs)
        kinds, excluded = _softmax(of_windows[:, :3]), 1 - _softmax(of_tokens[:, :3])[:, 0]
        cues: dict[str, tuple[Span, ...]] = dict.fromkeys(OPERATORS, ())
        scopes = dict(cues)
        joining = of_windows[:, 3:].max(axis=0)
        operators = {name for name, logit in zip((AND.name, OR.name), joining, strict=True) if logit > 0}
        for column, name in enumerate((AND.name, OR.name)):
            if name in operators:
                cues[name] = _words(query, offsets, of_tokens[:, 3 + column] > 0)
                scopes[name] = _words(query, offsets, of_tokens[:, 6 + column] > 0)
        exclusions: tuple[Exclusion, ...] = ()
        seen = kinds[:, 0] <= 1 - REPORTED  # (W,)
        if seen.any() and may_exclude(query):
            spans = _words(query, offsets, (excluded > MARKED) & seen[window_of])
            starts = [start for start, _ in offsets]
            exclusions = tuple(
                self._exclusion(span, kinds[window_of[max(0, bisect_right(starts, span.start) - 1)]]) for span in spans
            )
        if exclusions:
            operators.add(NOT.name)
            cues[NOT.name] = _words(query, offsets, of_tokens[:, 5] > 0) or _cues_by_rules(query, exclusions)
            scopes[NOT.name] = tuple(each.span for each in exclusions if each.span)
        sure = float(kinds.max(axis=1).min())
        source: Source = "learned"
        return Reading(
            query, frozenset(operators), cues, scopes, exclusions, sure, source, self.name, thresholds=self._thresholds
        )

    def _exclusion(self, span: Span, kinds: NDArray[np.float64]) -> Exclusion:
        none, topic, as_property = map(float, kinds)
        kind: Kind = "topic" if topic >= as_property else "property"
        over = self.card.calibrations
        return Exclusion(span, kind, over["things"].confidence(1 - none), over["pages"].confidence(topic))


def _joined(outputs: Sequence[tuple[Logits, Logits, Offsets]]) -> tuple[NDArray[np.int64], Logits, Offsets]:
    """Return each token of a query once: the number of its window, its logits, and its characters.

    Of the tokens that two windows share, each takes those with more context: the half that is further from its edge.
    """
    windows, logits, offsets = [], [], []
    for number, (_, of_tokens, places) in enumerate(outputs):
        first = 1 + (SHARED_TOKENS // 2 if number else 0)  # after the special token
        last = len(places) - 1 - (SHARED_TOKENS // 2 if number < len(outputs) - 1 else 0)
        windows += [number] * (last - first)
        logits.append(of_tokens[first:last])
        offsets += places[first:last]
    return np.array(windows, np.int64), np.concatenate(logits), offsets


@cache
def load_reader(name_or_folder: str | Path = SHIPPED) -> LearnedReader:
    """Load a shipped reader by name, or a reader from a folder; needs no network.

    Examples:
        >>> load_reader().read(["movies set in Vietnam but not about war"])[0].exclusions  # doctest: +SKIP
    """
    shipped = READERS / str(name_or_folder)
    return LearnedReader.load(shipped if (shipped / CARD_FILE).is_file() else name_or_folder)


def _cues_by_rules(query: str, exclusions: Sequence[Exclusion]) -> tuple[Span, ...]:
    """Return the words that express exclusions, where the model marks none, so that no plan asks for "without"."""
    spans = [each.span for each in exclusions if each.span]
    return tuple(each.cue for each in negations(query) if any(map(each.scope.overlaps, spans)))


def _words(query: str, offsets: Offsets, marks: NDArray[np.bool_]) -> tuple[Span, ...]:
    return marked_words(query, offsets, marks.tolist())


def _softmax(logits: Logits) -> NDArray[np.float64]:
    """Return probabilities over the last axis."""
    powers = np.exp(logits.astype(np.float64) - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))

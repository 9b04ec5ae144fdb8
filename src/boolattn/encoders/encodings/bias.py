"""Encodings that are told what a query excludes: less attention for its words, alone or beside their own vector."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self, cast

from sentence_transformers.base.modules import Transformer
from torch import Tensor
from transformers import PreTrainedModel

from boolattn.attention import BoolAttnConfig
from boolattn.encoders.attach.plugin import attach
from boolattn.encoders.encodings.encoding import Encoding, encoder_inputs
from boolattn.encoders.readers.labelled_query import LabelledQuery
from boolattn.encoders.readers.reading_features import CUES, GATES, SCOPES
from boolattn.encoders.readers.token_reading import TokenReading, exclusions_on_tokens, with_offsets
from boolattn.encoders.vectors.two_sided import Sides, encode_both_sides, encode_excluding, encode_sentence
from boolattn.operators import NOT
from boolattn.reading.caller import caller_reading
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Reading, Source

STRENGTH = 4.0
"""Chosen on generated validation queries by `boolattn dev bench training-free`."""
LONGEST_TOKEN, LONGEST_QUERY = 16, 512  # characters; tokens, where a model sets no limit
# Where scopes are given, only *not* acts (joining *and* and *or* gained nothing) and its predictors are never asked.
GIVEN_SCOPES_CONFIG = BoolAttnConfig.light(operators=(NOT.name,))


class BiasEncoding(Encoding):
    """The words of an exclusion get less attention, and their states are the unwanted ones. Nothing is learned.

    Attributes:
        strength: What *not* takes from attention scores.
    """

    name: ClassVar[str] = "bias"
    reads: ClassVar[bool] = False
    trainable: ClassVar[bool] = False
    needs_signed_pooling: ClassVar[bool] = False

    def __init__(self, strength: float = STRENGTH) -> None:
        """Note the strength."""
        if strength < 0:
            raise ValueError(f"strength is a size, never negative: 'not' subtracts it. Got {strength}")
        self.strength = strength

    @classmethod
    def untrained(cls, config: BoolAttnConfig) -> Self:
        """Return one of the usual strength."""
        return cls()

    @classmethod
    def load(cls, settings: Mapping[str, Any], folder: str | None) -> Self:
        """Return a saved one."""
        return cls(settings.get("strength", STRENGTH))

    def settings(self) -> dict[str, Any]:
        """Return the strength."""
        return {"strength": self.strength}

    def attach(self, encoder: PreTrainedModel) -> None:
        """Attach a mechanism that is told everything."""
        attach(encoder, GIVEN_SCOPES_CONFIG)

    def preprocess(
        self,
        transformer: Transformer,
        queries: Sequence[Any],
        options: ReadingOptions,
        prompt: str | None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Tokenise, and mark the tokens of cue and scope; without any exclusion, as the plain model does."""
        readings = readings_to_apply(queries, options, transformer.max_seq_length)
        if not any(reading.exclusions for reading in readings):
            return transformer.preprocess(queries, prompt=prompt, **kwargs)
        features, offsets = with_offsets(transformer, queries, prompt or "", **kwargs)
        found = exclusions_on_tokens(readings, offsets)
        if found.gates.any():
            features |= {GATES: found.gates, CUES: found.cues, SCOPES: found.scopes}
        return features

    def forward(self, transformer: Transformer, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Encode under the bias."""
        found = _token_reading(features)
        if found is None:
            return cast(dict[str, Any], transformer(features, **kwargs))
        inputs, sides = encoder_inputs(transformer, features), partial(self.sides, transformer)
        return features | encode_excluding(transformer.auto_model, inputs, found, sides)

    def sides(self, transformer: Transformer, inputs: dict[str, Tensor], found: TokenReading) -> Sides:
        """Encode R queries, each of which excludes something."""
        return encode_sentence(transformer.auto_model, inputs, found, self.strength)

    def overrides(self, encoder: PreTrainedModel, features: dict[str, Any]) -> dict[str, Any]:
        """Return the reading on tokens and the bias; closed gates where nothing is excluded."""
        found = _token_reading(features)
        if found is None:
            return {"operators": [[]]}
        return {
            "operators": found.gates,
            "cues": found.cues,
            "scopes": found.covered(),
            "strength": self.strength,
        }

    def source(self, query: str, reading: Reading) -> Source:
        """Return where the reading comes from: nothing else decides."""
        return reading.source


class TwoSidedEncoding(BiasEncoding):
    """As ``BiasEncoding``, but the unwanted words are also encoded on their own, and the pooling can learn."""

    name: ClassVar[str] = "two-sided"
    trainable: ClassVar[bool] = True
    needs_signed_pooling: ClassVar[bool] = True

    def sides(self, transformer: Transformer, inputs: dict[str, Tensor], found: TokenReading) -> Sides:
        """Encode R queries, each of which excludes something, and what they exclude."""
        tokenizer: Any = transformer.tokenizer
        special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}  # an unknown word is a word all the same
        return encode_both_sides(transformer.auto_model, inputs, found, self.strength, special)


def readings_to_apply(queries: Sequence[Any], options: ReadingOptions, tokens: int | None) -> list[Reading]:
    """Return what to act on for each query: what its caller says, or else what is read.

    Args:
        queries: Texts, labelled or not; what is no text excludes nothing.
        options: How texts are read.
        tokens: How many tokens of a query the encoder reads; None if it sets no limit.
    """
    longest = LONGEST_TOKEN * (tokens or LONGEST_QUERY)  # what lies beyond, the encoder does not read
    known = [_known(query) for query in queries]
    unread = [query[:longest] for query, reading in zip(queries, known, strict=True) if reading is None]
    read = iter(options.read(unread, only_exclusions=True) if unread else ())
    return [options.applied(next(read)) if reading is None else reading for reading in known]


def _known(query: Any) -> Reading | None:
    """Return what to act on where there is nothing to read: the caller said so, or it is no text."""
    if not isinstance(query, str):
        return caller_reading("", [])
    if isinstance(query, LabelledQuery):
        if query.reading is not None:
            return query.reading
        if NOT.name not in query.operators:
            return caller_reading(query, [])
    return None


def _token_reading(features: Mapping[str, Any]) -> TokenReading | None:
    """Return what ``preprocess`` put onto tokens; None where nothing is excluded."""
    return TokenReading(features[GATES], features[CUES], features[SCOPES]) if GATES in features else None

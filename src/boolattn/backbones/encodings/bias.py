"""Encodings for given exclusions: less attention to their words, with or without a separate vector for them."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self, cast

from sentence_transformers.base.modules import Transformer
from torch import Tensor
from transformers import PreTrainedModel

from boolattn.attention import BoolAttnConfig
from boolattn.backbones.added_exclusions import added_inputs, weights_in_query
from boolattn.backbones.attach.plugin import attach
from boolattn.backbones.encodings.encoding import Encoding, encoder_inputs
from boolattn.backbones.labelled_query import LabelledQuery
from boolattn.backbones.token_reading import CUES, GATES, SCOPES, TokenReading, exclusions_on_tokens, with_offsets
from boolattn.backbones.two_sided import Sides, encode_both_sides, encode_excluding, encode_sentence
from boolattn.operators import NOT
from boolattn.reading.caller import caller_reading
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Reading, Source

STRENGTH = 4.0
"""Chosen on generated validation queries by `boolattn-lab bench training-free`."""
# With given scopes, only *not* acts (adding *and* and *or* gained nothing), and predictors are not used.
GIVEN_SCOPES_CONFIG = BoolAttnConfig.light(operators=(NOT.name,))


class BiasEncoding(Encoding):
    """Reduces attention to the words of an exclusion, and treats their states as unwanted. Nothing is learned.

    Attributes:
        strength: What *not* subtracts from attention scores.
    """

    name: ClassVar[str] = "bias"
    reads: ClassVar[bool] = False
    trainable: ClassVar[bool] = False
    needs_signed_pooling: ClassVar[bool] = False

    def __init__(self, strength: float = STRENGTH) -> None:
        """Store the strength."""
        if not 0 <= strength < math.inf:
            raise ValueError(f"strength must not be negative or infinite, because 'not' subtracts it: got {strength}")
        self.strength = strength

    @classmethod
    def load(cls, settings: Mapping[str, Any], folder: str | None) -> Self:
        """Restore a saved encoding."""
        return cls(settings.get("strength", STRENGTH))

    def settings(self) -> dict[str, Any]:
        """Return the strength."""
        return {"strength": self.strength}

    def attach(self, encoder: PreTrainedModel) -> None:
        """Attach a mechanism whose inputs are all given."""
        attach(encoder, GIVEN_SCOPES_CONFIG)

    def preprocess(
        self,
        transformer: Transformer,
        queries: Sequence[Any],
        options: ReadingOptions,
        prompt: str | None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Tokenise, and mark the tokens of cue and scope; without exclusions, like the plain model."""
        readings = readings_to_apply(queries, options)
        if not any(reading.exclusions for reading in readings):
            return transformer.preprocess(queries, prompt=prompt, **kwargs)
        features, offsets = with_offsets(transformer, queries, prompt or "", **kwargs)
        found = exclusions_on_tokens(readings, offsets)
        if found.gates.any():
            features |= {GATES: found.gates, CUES: found.cues, SCOPES: found.scopes}
        return features | weights_in_query(readings, offsets) | added_inputs(transformer, readings)

    def forward(self, transformer: Transformer, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Encode with the bias."""
        found = _token_reading(features)
        if found is None:
            return cast(dict[str, Any], transformer(features, **kwargs))
        inputs, sides = encoder_inputs(transformer, features), partial(self.sides, transformer)
        return features | encode_excluding(transformer.auto_model, inputs, found, sides)

    def sides(self, transformer: Transformer, inputs: dict[str, Tensor], found: TokenReading) -> Sides:
        """Encode R queries, each with an exclusion."""
        return encode_sentence(transformer.auto_model, inputs, found, self.strength)

    def overrides(self, encoder: PreTrainedModel, features: dict[str, Any]) -> dict[str, Any]:
        """Return the reading by tokens and the bias; gates are closed if nothing is excluded."""
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
        """Return the source of the reading."""
        return reading.source


class TwoSidedEncoding(BiasEncoding):
    """Like ``BiasEncoding``, but also encodes the unwanted words separately, with trainable pooling."""

    name: ClassVar[str] = "two-sided"
    trainable: ClassVar[bool] = True
    needs_signed_pooling: ClassVar[bool] = True

    def sides(self, transformer: Transformer, inputs: dict[str, Tensor], found: TokenReading) -> Sides:
        """Encode R queries, each with an exclusion, and separately the excluded words."""
        tokenizer: Any = transformer.tokenizer
        special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}  # an unknown word is still a word
        return encode_both_sides(transformer.auto_model, inputs, found, self.strength, special)


def readings_to_apply(queries: Sequence[Any], options: ReadingOptions) -> list[Reading]:
    """Return what to act on for each query: the caller's labels, or else the reading.

    Args:
        queries: Texts, labelled or not; inputs that are not text exclude nothing.
        options: How to read texts.
    """
    known = [_known(query) for query in queries]
    unread = [query for query, reading in zip(queries, known, strict=True) if reading is None]
    read = iter(options.read(unread, screen="exclusions") if unread else ())
    return [options.applied(next(read)) if reading is None else reading for reading in known]


def _known(query: Any) -> Reading | None:
    """Return the caller's reading, or an empty one for an input that is not text; None if the query must be read."""
    if not isinstance(query, str):
        return caller_reading("", [])
    if isinstance(query, LabelledQuery):
        if query.reading is not None:
            return query.reading
        if NOT.name not in query.operators:
            return caller_reading(query, [])
    return None


def _token_reading(features: Mapping[str, Any]) -> TokenReading | None:
    """Return the reading by tokens from ``preprocess``; None if nothing is excluded."""
    return TokenReading(features[GATES], features[CUES], features[SCOPES]) if GATES in features else None

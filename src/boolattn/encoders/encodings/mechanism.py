"""The paper's encoding: the mechanism reads and acts in one pass."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import torch
from sentence_transformers.base.modules import Transformer
from torch import Tensor, nn
from transformers import PreTrainedModel

from boolattn.attention import BoolAttnConfig
from boolattn.encoders.attach.plugin import attach, load_adapter, mechanism_of, save_adapter
from boolattn.encoders.encodings.encoding import Encoding, encoder_inputs
from boolattn.encoders.readers.labelled_query import LabelledQuery
from boolattn.encoders.readers.reading_features import GATES, TRACE, mechanism_reading, wanted_tokens
from boolattn.operators import NOT
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Reading, Source


class MechanismEncoding(Encoding):
    """BoolAttn as in the paper: cues, scopes and biases are predicted, gates are given or learned."""

    name: ClassVar[str] = "mechanism"
    reads: ClassVar[bool] = True
    trainable: ClassVar[bool] = True
    needs_signed_pooling: ClassVar[bool] = False

    def __init__(self, config: BoolAttnConfig | None = None, folder: str | None = None) -> None:
        """Note how to build it.

        Args:
            config: The settings of a new mechanism; the paper's by default.
            folder: Where a saved one lies.
        """
        self._config, self._folder = config, folder

    @classmethod
    def untrained(cls, config: BoolAttnConfig) -> Self:
        """Return a new one."""
        return cls(config)

    @classmethod
    def load(cls, settings: Mapping[str, Any], folder: str | None) -> Self:
        """Return a saved one; its settings lie with its weights."""
        return cls(folder=folder)

    def settings(self) -> dict[str, Any]:
        """Return nothing: ``save_weights`` writes the settings too."""
        return {}

    def attach(self, encoder: PreTrainedModel) -> None:
        """Attach the mechanism, with its weights if it was saved."""
        if self._folder is not None:
            load_adapter(encoder, self._folder)
        else:
            attach(encoder, self._config)

    def preprocess(
        self,
        transformer: Transformer,
        queries: Sequence[Any],
        options: ReadingOptions,
        prompt: str | None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Tokenise, and add the gates that the caller gives, if any."""
        operators = mechanism_of(transformer.auto_model).config.operators
        return transformer.preprocess(queries, prompt=prompt, **kwargs) | _given_gates(queries, operators)

    def forward(self, transformer: Transformer, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Let the mechanism read, or take the gates that are given, and act in one pass."""
        encoder, gates = transformer.auto_model, features.get(GATES)
        if gates is None and not self.has_learned_gate(encoder):
            return cast(dict[str, Any], transformer(features, **kwargs))
        output = encoder(**encoder_inputs(transformer, features), operators=gates, trace=True)
        features |= {"token_embeddings": output.last_hidden_state, TRACE: output.boolattn}
        operators = mechanism_of(encoder).config.operators
        if NOT.name in operators:
            found, column = mechanism_reading(output.boolattn), operators.index(NOT.name)
            features |= wanted_tokens(found, column, features["attention_mask"])
        return features

    def overrides(self, encoder: PreTrainedModel, features: dict[str, Any]) -> dict[str, Any]:
        """Return the gates that are given; none where the learned gate decides."""
        if GATES in features:
            return {"operators": features[GATES]}
        return {} if self.has_learned_gate(encoder) else {"operators": [[]]}

    def source(self, query: str, reading: Reading) -> Source:
        """Return the mechanism, unless every gate is closed by what the query is labelled with."""
        closed = isinstance(query, LabelledQuery) and not query.operators
        return reading.source if closed else "mechanism"

    def has_learned_gate(self, encoder: PreTrainedModel) -> bool:
        """Whether the mechanism finds out by itself which operators a query holds."""
        return mechanism_of(encoder).gate is not None

    def learned_modules(self, encoder: PreTrainedModel) -> list[nn.Module]:
        """Return the mechanism."""
        return [mechanism_of(encoder)]

    def save_weights(self, encoder: PreTrainedModel, folder: str | Path) -> None:
        """Write the mechanism, with its settings."""
        save_adapter(encoder, folder)


def _given_gates(queries: Sequence[Any], operators: tuple[str, ...]) -> dict[str, Tensor]:
    """Return the gates that the caller gives, if any; where there are none, the learned gate is asked."""
    labelled = [query for query in queries if isinstance(query, LabelledQuery)]
    if not labelled:
        return {}
    if len(labelled) < len(queries):
        raise ValueError("give the operators of all queries of a call, or of none")
    return {GATES: torch.tensor([[float(name in each.operators) for name in operators] for each in labelled])}

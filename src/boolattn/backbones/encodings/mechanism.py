"""The paper's encoding: the mechanism reads and acts in one pass."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, cast

import torch
from sentence_transformers.base.modules import Transformer
from torch import Tensor, nn
from transformers import PreTrainedModel

from boolattn.attention import BoolAttnConfig
from boolattn.backbones.added_exclusions import added_inputs
from boolattn.backbones.attach.hooks import LEARNED
from boolattn.backbones.attach.plugin import adapter_of, attach, load_adapter, mechanism_of
from boolattn.backbones.encodings.encoding import Encoding, encoder_inputs
from boolattn.backbones.labelled_query import LabelledQuery
from boolattn.backbones.storage.adapter_format import Adapter
from boolattn.backbones.token_reading import (
    GATES,
    SCOPES,
    TRACE,
    Offsets,
    mechanism_reading,
    wanted_tokens,
    with_offsets,
)
from boolattn.operators import NOT
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Reading, Source
from boolattn.reading.spans import token_labels


class MechanismEncoding(Encoding):
    """BoolAttn as in the paper: predicts cues, scopes and biases; gates are given or learned."""

    name: ClassVar[str] = "mechanism"
    reads: ClassVar[bool] = True
    trainable: ClassVar[bool] = True
    needs_signed_pooling: ClassVar[bool] = False

    def __init__(self, config: BoolAttnConfig | None = None, folder: str | None = None) -> None:
        """Store how to build the mechanism.

        Args:
            config: The settings of a new mechanism; the paper's by default.
            folder: The folder of a saved mechanism.
        """
        self._config, self._folder = config, folder

    @classmethod
    def load(cls, settings: Mapping[str, Any], folder: str | None) -> Self:
        """Return a saved encoding; the mechanism's settings are stored with its weights."""
        encoding = cls(folder=folder)
        encoding.trained_gates = settings.get("trained_gates")
        encoding.given_scopes = settings.get("given_scopes", False)
        return encoding

    def settings(self) -> dict[str, Any]:
        """Return how it was trained; the mechanism's own settings are saved with its weights."""
        return {"trained_gates": self.trained_gates, "given_scopes": self.given_scopes}

    def attach(self, encoder: PreTrainedModel) -> None:
        """Attach the mechanism, with its weights if it was saved. Its gates stay closed for documents."""
        if self._folder is not None:
            load_adapter(encoder, self._folder, on_request=True)
        else:
            attach(encoder, self._config, on_request=True)

    def preprocess(
        self,
        transformer: Transformer,
        queries: Sequence[Any],
        options: ReadingOptions,
        prompt: str | None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Tokenise, and add the caller's gates and scopes, if any."""
        operators = mechanism_of(transformer.auto_model).config.operators
        readings = [query.reading if isinstance(query, LabelledQuery) else None for query in queries]
        added = added_inputs(transformer, readings)
        if not self.given_scopes:
            return transformer.preprocess(queries, prompt=prompt, **kwargs) | _given_gates(queries, operators) | added
        features, offsets = with_offsets(transformer, queries, prompt or "", **kwargs)
        return features | _given_scopes(readings, offsets, operators) | added

    def forward(self, transformer: Transformer, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Read and act in one pass, with the caller's gates if given."""
        encoder, gates = transformer.auto_model, features.get(GATES)
        if gates is None and not self.has_learned_gate(encoder):
            return cast(dict[str, Any], transformer(features, **kwargs))
        operators = LEARNED if gates is None else gates
        scopes = features.get(SCOPES)
        output = encoder(**encoder_inputs(transformer, features), operators=operators, scopes=scopes, trace=True)
        features |= {"token_embeddings": output.last_hidden_state, TRACE: output.boolattn}
        names = mechanism_of(encoder).config.operators
        if NOT.name in names:
            found, column = mechanism_reading(output.boolattn), names.index(NOT.name)
            features |= wanted_tokens(found, column, features["attention_mask"])
        return features

    def overrides(self, encoder: PreTrainedModel, features: dict[str, Any]) -> dict[str, Any]:
        """Return the given gates and scopes; otherwise, let the learned gate decide."""
        if GATES in features:
            return {"operators": features[GATES], "scopes": features.get(SCOPES)}
        return {"operators": LEARNED if self.has_learned_gate(encoder) else [[]]}

    def source(self, query: str, reading: Reading) -> Source:
        """Return "mechanism", unless the query's label closes every gate."""
        closed = isinstance(query, LabelledQuery) and not query.operators
        return reading.source if closed else "mechanism"

    def has_learned_gate(self, encoder: PreTrainedModel) -> bool:
        """Whether the mechanism finds a query's operators itself."""
        return mechanism_of(encoder).gate is not None

    def learned_modules(self, encoder: PreTrainedModel) -> list[nn.Module]:
        """Return the mechanism."""
        return [mechanism_of(encoder)]

    def adapter(self, encoder: PreTrainedModel) -> Adapter:
        """Return the mechanism, with its settings."""
        return adapter_of(encoder)


def _given_scopes(
    readings: Sequence[Reading | None], offsets: Offsets, operators: tuple[str, ...]
) -> dict[str, Tensor]:
    """Return the gates and scopes of readings; a query without a reading has no open gate."""
    gates = [[float(each is not None and name in each.operators) for name in operators] for each in readings]
    scopes = [
        [token_labels(row, each.scopes.get(name, ()) if each is not None else ()) for name in operators]
        for each, row in zip(readings, offsets, strict=True)
    ]
    return {GATES: torch.tensor(gates), SCOPES: torch.tensor(scopes, dtype=torch.float).mT}  # (B, K), (B, L, K)


def _given_gates(queries: Sequence[Any], operators: tuple[str, ...]) -> dict[str, Tensor]:
    """Return the caller's gates; empty if there are none, and the learned gate decides."""
    labelled = [query for query in queries if isinstance(query, LabelledQuery)]
    if not labelled:
        return {}
    if len(labelled) < len(queries):
        raise ValueError("give operators for all queries of a call, or for none")
    return {GATES: torch.tensor([[float(name in each.operators) for name in operators] for each in labelled])}

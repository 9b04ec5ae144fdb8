"""Encoding: how a query tower acts on exclusions."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from sentence_transformers.base.modules import Transformer
from torch import Tensor, nn
from transformers import PreTrainedModel

from boolattn.backbones.storage.adapter_format import Adapter
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Reading, Source


class Encoding(ABC):
    """Attaches to a backbone, prepares a batch of queries, and encodes it.

    One object belongs to one tower and keeps no state between calls; learned weights are in the backbone.

    Attributes:
        name: Its name in saved models and recipes.
        reads: Whether it finds scopes itself, so that callers can give it only the operators.
        trainable: Whether a model can be trained with it.
        needs_signed_pooling: Whether it produces unwanted states, which other pooling would ignore.
        given_scopes: For a mechanism, whether queries carry their scopes; those without get the plain vector.
        trained_gates: For a trained mechanism, whether its gates were "given" or "learned" in the last training.
    """

    name: ClassVar[str]
    reads: ClassVar[bool]
    trainable: ClassVar[bool]
    needs_signed_pooling: ClassVar[bool]
    trained_gates: str | None = None
    given_scopes: bool = False

    @classmethod
    @abstractmethod
    def load(cls, settings: Mapping[str, Any], folder: str | None) -> Self:
        """Restore a saved encoding.

        Args:
            settings: The output of ``settings``.
            folder: The adapter's folder; None if there is none.
        """

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Return the settings to save as JSON, without the name."""

    @abstractmethod
    def attach(self, encoder: PreTrainedModel) -> None:
        """Attach this encoding to an encoder, in place."""

    @abstractmethod
    def preprocess(
        self,
        transformer: Transformer,
        queries: Sequence[Any],
        options: ReadingOptions,
        prompt: str | None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Tokenise queries, and mark the tokens to act on.

        Args:
            transformer: The backbone, with its tokenizer.
            queries: Texts; a ``LabelledQuery`` carries what to act on, and inputs that are not text are not read.
            options: How to read texts, if this encoding does not read them itself.
            prompt: Text to put before each query.
            **kwargs: As in ``Transformer.preprocess``.
        """

    @abstractmethod
    def forward(self, transformer: Transformer, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Encode the output of ``preprocess``; without anything to act on, like the plain encoder."""

    @abstractmethod
    def overrides(self, encoder: PreTrainedModel, features: dict[str, Any]) -> dict[str, Any]:
        """Return the keywords with which one call of the encoder reproduces the attention of ``forward``."""

    @abstractmethod
    def source(self, query: str, reading: Reading) -> Source:
        """Return the source of a query's operators, cues and scopes.

        Args:
            query: The query, labelled or not.
            reading: Its reading.
        """

    def has_learned_gate(self, encoder: PreTrainedModel) -> bool:
        """Whether it finds a query's operators itself."""
        return False

    def learned_modules(self, encoder: PreTrainedModel) -> list[nn.Module]:
        """Return the modules in an encoder that it trains."""
        return []

    def adapter(self, encoder: PreTrainedModel) -> Adapter:
        """Return the weights it learned inside an encoder; an empty adapter if none."""
        return Adapter()


def encoder_inputs(transformer: Transformer, features: Mapping[str, Any]) -> dict[str, Tensor]:
    """Return the features that the encoder accepts."""
    tokenizer: Any = transformer.tokenizer
    return {name: features[name] for name in tokenizer.model_input_names if name in features}

"""Encoding: how a query tower acts on what a query excludes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from sentence_transformers.base.modules import Transformer
from torch import Tensor, nn
from transformers import PreTrainedModel

from boolattn.attention import BoolAttnConfig
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Reading, Source


class Encoding(ABC):
    """Attaches to a backbone, prepares a batch of queries, and encodes it.

    One object serves one tower and keeps no state between calls; learned weights live in the backbone it attaches to.

    Attributes:
        name: As in saved models and recipes.
        reads: Whether it finds by itself what an operator applies to, and can only be told which operators there are.
        trainable: Whether a model can be trained with it.
        needs_signed_pooling: Whether it leaves something to subtract that other pooling would ignore.
    """

    name: ClassVar[str]
    reads: ClassVar[bool]
    trainable: ClassVar[bool]
    needs_signed_pooling: ClassVar[bool]

    @classmethod
    @abstractmethod
    def untrained(cls, config: BoolAttnConfig) -> Self:
        """Return a new one, to be trained.

        Args:
            config: The mechanism's settings, where it has one.
        """

    @classmethod
    @abstractmethod
    def load(cls, settings: Mapping[str, Any], folder: str | None) -> Self:
        """Return a saved one.

        Args:
            settings: What ``settings`` returned.
            folder: What ``save_weights`` wrote to; None where there is no such folder.
        """

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Return what is saved as JSON beside the name."""

    @abstractmethod
    def attach(self, encoder: PreTrainedModel) -> None:
        """Put into an encoder, in place, what this needs there."""

    @abstractmethod
    def preprocess(
        self,
        transformer: Transformer,
        queries: Sequence[Any],
        options: ReadingOptions,
        prompt: str | None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Tokenise queries, and put onto their tokens what is to be acted on.

        Args:
            transformer: The backbone, with its tokenizer.
            queries: Texts; a ``LabelledQuery`` says itself what is to be acted on, and what is no text is not read.
            options: How texts are read, where this does not read by itself.
            prompt: What is put before each query.
            **kwargs: As ``Transformer.preprocess`` takes them.
        """

    @abstractmethod
    def forward(self, transformer: Transformer, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Encode what ``preprocess`` returned; where nothing is acted on, as the plain encoder does."""

    @abstractmethod
    def overrides(self, encoder: PreTrainedModel, features: dict[str, Any]) -> dict[str, Any]:
        """Return the keywords that let one call of the encoder show what ``forward`` does to attention."""

    @abstractmethod
    def source(self, query: str, reading: Reading) -> Source:
        """Return who decides on the operators, cues and scopes of a query that is handed to ``preprocess``.

        Args:
            query: The query, labelled or not.
            reading: What was read of it.
        """

    def has_learned_gate(self, encoder: PreTrainedModel) -> bool:
        """Whether it finds out by itself which operators a query holds."""
        return False

    def learned_modules(self, encoder: PreTrainedModel) -> list[nn.Module]:
        """Return what it learns inside an encoder."""
        return []

    def save_weights(self, encoder: PreTrainedModel, folder: str | Path) -> None:
        """Write what it learned inside an encoder, if anything."""
        return None


def encoder_inputs(transformer: Transformer, features: Mapping[str, Any]) -> dict[str, Tensor]:
    """Return those features that the encoder takes."""
    tokenizer: Any = transformer.tokenizer
    return {name: features[name] for name in tokenizer.model_input_names if name in features}

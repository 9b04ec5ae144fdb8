"""The query tower: the first module of the query route, which acts on a query's reading."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import msgspec
from sentence_transformers.base.model import BaseModel
from sentence_transformers.base.modules import InputModule, Transformer
from transformers import PreTrainedModel

from boolattn.backbones.added_exclusions import ADDED_WEIGHTS, with_added_states
from boolattn.backbones.attach.hooks import KEYWORD
from boolattn.backbones.attach.plugin import mechanism_of
from boolattn.backbones.encodings.bias import BiasEncoding
from boolattn.backbones.encodings.encoding import Encoding
from boolattn.backbones.encodings.registry import load_encoding, settings_of
from boolattn.backbones.signed_pooling import WEIGHTS, SignedPooling
from boolattn.backbones.storage.adapter_format import write_adapter
from boolattn.backbones.storage.checksums import forget_checksums, verify_checksums
from boolattn.backbones.storage.plain_models import QUERY_ENCODER, routes_of
from boolattn.backbones.token_reading import Offsets, with_offsets
from boolattn.reading.limits import require_unicode
from boolattn.reading.options import ReadingOptions
from boolattn.reading.readers import READERS, ReaderOrName


@dataclass(frozen=True)
class _TowerSettings:
    """Types of the saved settings."""

    encoding: str
    reader: str | None = None
    strength: float = 0.0


class BooleanTower(InputModule):
    """The first module of the query route. It runs the document route's Hugging Face encoder, or a separate one.

    Attributes:
        encoding: How to act on exclusions.
        options: How queries are read. Only the reader's name is saved with a model.
        subtracts: Whether the model's readout subtracts exclusions.
    """

    config_file_name = "boolean_tower.json"
    save_in_root = False
    transformer: Transformer
    subtracts: bool

    def __init__(self, encoding: Encoding | None = None, reader: ReaderOrName | None = None) -> None:
        """Store the settings; the encoder is attached in ``on_model_ready``, when the whole model exists.

        Args:
            encoding: How to act on exclusions; ``BiasEncoding()`` by default.
            reader: A reader or its name; None uses the default reader.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        self.encoding = encoding or BiasEncoding()
        self.options = ReadingOptions(reader)

    def on_model_ready(self, model: BaseModel) -> None:
        """Attach the encoding to the query encoder or, if there is none, to the document route's encoder."""
        routes = routes_of(model)
        self.__dict__["subtracts"] = any(isinstance(each, SignedPooling) for each in routes["query"])
        transformer = routes.get(QUERY_ENCODER, routes["document"])[0]
        if self.__dict__.get("transformer") is transformer:
            return
        # Not registered as a submodule: it is saved, moved and trained once, as part of its own route.
        self.__dict__["transformer"] = transformer
        if hasattr(self.encoder.base_model, KEYWORD):
            raise ValueError(
                "this backbone already has a mechanism, from another Boolean model or from attach(): load the backbone "
                "again, or remove it with detach(backbone[0].auto_model)"
            )
        self.encoding.attach(self.encoder)

    def get_config_dict(self) -> dict[str, Any]:
        """Return the settings to save; of the options, only the reader's name, if it has one."""
        reader = self.options.reader if isinstance(self.options.reader, str) else None
        return settings_of(self.encoding) | {"reader": reader}

    @property
    def encoder(self) -> PreTrainedModel:
        """The Hugging Face encoder."""
        encoder: PreTrainedModel = self.transformer.auto_model
        return encoder

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators that act, in the order of the K axis."""
        return mechanism_of(self.encoder).config.operators

    @property
    def has_learned_gate(self) -> bool:
        """Whether it finds a query's operators itself."""
        return self.encoding.has_learned_gate(self.encoder)

    def preprocess(self, inputs: Sequence[Any], prompt: str | None = None, **kwargs: Any) -> dict[str, Any]:
        """Tokenise and read the queries; inputs that are not text are not read."""
        for query in inputs:
            if isinstance(query, str):
                require_unicode(query)
        features = self.encoding.preprocess(self.transformer, inputs, self.options, prompt, **kwargs)
        if not self.subtracts and {WEIGHTS, ADDED_WEIGHTS} & features.keys():
            raise ValueError(
                "exclude= has words that are not in the query, or weights, but this model subtracts nothing from a "
                "query's vector: exclude words of the query, without weights, or use the plain model"
            )
        return features

    def with_offsets(self, queries: Sequence[Any], prompt: str = "", **kwargs: Any) -> tuple[dict[str, Any], Offsets]:
        """Tokenise, and also return the character span of each token; (0, 0) for tokens outside the query."""
        return with_offsets(self.transformer, queries, prompt, **kwargs)

    def forward(self, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Encode the tokens and act on the reading; without exclusions, like the plain encoder."""
        return with_added_states(self.transformer, self.encoding.forward(self.transformer, features, **kwargs))

    def get_embedding_dimension(self) -> int:
        """Return the size of a token's state."""
        return self.transformer.get_embedding_dimension()

    @property
    def tokenizer(self) -> Any:  # type: ignore[override]
        """The encoder's tokenizer."""
        return self.transformer.tokenizer

    @property
    def max_seq_length(self) -> int | None:
        """Maximum number of tokens that the encoder reads."""
        return self.transformer.max_seq_length

    @max_seq_length.setter
    def max_seq_length(self, value: int | None) -> None:
        self.transformer.max_seq_length = value

    def save(self, output_path: str, *args: Any, safe_serialization: bool = True, **kwargs: Any) -> None:
        """Write the settings and the encoding's learned weights, without the encoder."""
        forget_checksums(Path(output_path).parent)  # sentence-transformers would keep the old ones
        self.warn_of_unsaved_reader()
        self.save_config(output_path)
        adapter = self.encoding.adapter(self.encoder)
        if adapter.weights:
            write_adapter(adapter, output_path)

    def warn_of_unsaved_reader(self) -> None:
        """Warn if the reader is an object, which cannot be saved."""
        if not isinstance(self.options.reader, str | None):
            warnings.warn(
                f"the reader {self.options.reader.name!r} is not saved with the model, which will load the "
                f"default one: set model.options after loading, or use one of {', '.join(READERS)}",
                stacklevel=3,
            )

    @classmethod
    def load(cls, model_name_or_path: str, subfolder: str = "", *args: Any, **kwargs: Any) -> Self:
        """Load a saved tower, after verifying the model's weight files."""
        where = {name: kwargs[name] for name in ("token", "cache_folder", "revision", "local_files_only")}
        verify_checksums(model_name_or_path, **where)
        folder = cls.load_dir_path(model_name_or_path, subfolder=subfolder, **where)
        settings = cls.load_config(model_name_or_path, subfolder=subfolder, **where)
        return cls.from_settings(settings, folder)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], folder: str | None) -> Self:
        """Return a saved tower.

        Args:
            settings: The output of ``get_config_dict``.
            folder: The folder of its adapter, if any.
        """
        try:
            msgspec.convert(settings, _TowerSettings)
        except msgspec.ValidationError as error:
            raise ValueError(
                f"the settings of the query tower in {folder} are damaged: get the model again ({error})"
            ) from error
        return cls(load_encoding(settings, folder), settings.get("reader"))

"""The query tower: the first module of the query route, which acts on a query's reading."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from sentence_transformers.base.model import BaseModel
from sentence_transformers.base.modules import InputModule, Transformer
from transformers import PreTrainedModel

from boolattn.encoders.attach.hooks import KEYWORD
from boolattn.encoders.attach.plugin import mechanism_of
from boolattn.encoders.encodings.bias import BiasEncoding
from boolattn.encoders.encodings.encoding import Encoding
from boolattn.encoders.encodings.registry import load_encoding, settings_of
from boolattn.encoders.readers.token_reading import Offsets, with_offsets
from boolattn.encoders.routes import routes_of
from boolattn.encoders.storage.checksums import forget_checksums, verify_checksums
from boolattn.reading.options import ReadingOptions
from boolattn.reading.readers import READERS, ReaderOrName

# Of models saved before readers were separate: the weights of their own.
FORMER_READER_FILE = "reader.safetensors"


class BooleanTower(InputModule):
    """The first module of the query route. The Hugging Face encoder it drives is that of the document route.

    Attributes:
        encoding: What is done about what a query excludes.
        options: How queries are read. Of these, only the reader's name is saved with a model.
    """

    config_file_name = "boolean_tower.json"
    save_in_root = False
    transformer: Transformer

    def __init__(self, encoding: Encoding | None = None, reader: ReaderOrName | None = None) -> None:
        """Note the settings; the encoder is known when the whole model is, in ``on_model_ready``.

        Args:
            encoding: What is done about what a query excludes; ``BiasEncoding()`` by default.
            reader: Who reads queries: a name or a reader; None is the default reader.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        self.encoding = encoding or BiasEncoding()
        self.options = ReadingOptions(reader)

    def on_model_ready(self, model: BaseModel) -> None:
        """Attach the encoding to the encoder of the document route."""
        transformer = routes_of(model)["document"][0]
        if self.__dict__.get("transformer") is transformer:
            return
        # Kept out of the list of submodules: saved, moved and trained once, as part of the document route.
        self.__dict__["transformer"] = transformer
        if hasattr(self.encoder.base_model, KEYWORD):
            raise ValueError(
                "this backbone has a mechanism already, of another Boolean model or of attach(): load the backbone "
                "again, or take it out with detach(backbone[0].auto_model)"
            )
        self.encoding.attach(self.encoder)

    def get_config_dict(self) -> dict[str, Any]:
        """Return what is saved: of the options only the reader's name, if it has one."""
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
        """Whether it finds out by itself which operators a query holds."""
        return self.encoding.has_learned_gate(self.encoder)

    def preprocess(self, inputs: Sequence[Any], prompt: str | None = None, **kwargs: Any) -> dict[str, Any]:
        """Tokenise, and read what can be read from the text; inputs that are no text are not read."""
        return self.encoding.preprocess(self.transformer, inputs, self.options, prompt, **kwargs)

    def with_offsets(self, queries: Sequence[Any], prompt: str = "", **kwargs: Any) -> tuple[dict[str, Any], Offsets]:
        """Tokenise, and return also the characters of each token in its query; (0, 0) for tokens that are not of it."""
        return with_offsets(self.transformer, queries, prompt, **kwargs)

    def forward(self, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Encode the tokens and act on what is read; where there is nothing, as the plain encoder does."""
        return self.encoding.forward(self.transformer, features, **kwargs)

    def get_embedding_dimension(self) -> int:
        """Return the size of a token's state."""
        return self.transformer.get_embedding_dimension()

    @property
    def tokenizer(self) -> Any:  # type: ignore[override]
        """The encoder's tokenizer."""
        return self.transformer.tokenizer

    @property
    def max_seq_length(self) -> int | None:
        """How many tokens the encoder reads."""
        return self.transformer.max_seq_length

    @max_seq_length.setter
    def max_seq_length(self, value: int | None) -> None:
        self.transformer.max_seq_length = value

    def save(self, output_path: str, *args: Any, safe_serialization: bool = True, **kwargs: Any) -> None:
        """Write the settings and what the encoding learned; never the encoder."""
        forget_checksums(Path(output_path).parent)  # sentence-transformers alone would keep the old ones
        Path(output_path, FORMER_READER_FILE).unlink(missing_ok=True)
        if not isinstance(self.options.reader, str | None):
            warnings.warn(
                f"the reader {self.options.reader.name!r} is not saved with the model, which will load with the "
                f"default one: set model.options after loading, or use one of {', '.join(READERS)}",
                stacklevel=2,
            )
        self.save_config(output_path)
        self.encoding.save_weights(self.encoder, output_path)

    @classmethod
    def load(cls, model_name_or_path: str, subfolder: str = "", *args: Any, **kwargs: Any) -> Self:
        """Read what ``save`` wrote, after checking that no weight file of the model has changed."""
        where = {name: kwargs[name] for name in ("token", "cache_folder", "revision", "local_files_only")}
        verify_checksums(model_name_or_path, **where)
        folder = cls.load_dir_path(model_name_or_path, subfolder=subfolder, **where)
        settings = cls.load_config(model_name_or_path, subfolder=subfolder, **where)
        if folder is not None and Path(folder, FORMER_READER_FILE).exists():
            warnings.warn(
                f"the reader in {model_name_or_path} is ignored: boolattn now reads queries with one reader for all "
                "models, and no longer with one that was trained with an adapter. Save the model again to drop it",
                stacklevel=2,
            )
        return cls(load_encoding(settings, folder), settings.get("reader"))

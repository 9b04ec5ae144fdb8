"""The query tower: puts a query's reading onto its tokens, and leaves for the readout which of them are wanted."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self, cast, get_args

import torch
from sentence_transformers.base.model import BaseModel
from sentence_transformers.base.modules import InputModule, Transformer
from torch import Tensor
from transformers import PreTrainedModel

from boolattn.attention import BoolAttnConfig
from boolattn.encoders.attach.hooks import KEYWORD
from boolattn.encoders.attach.plugin import attach, load_adapter, mechanism_of, save_adapter
from boolattn.encoders.readers.labelled_query import LabelledQuery
from boolattn.encoders.readers.reading_features import CUES, GATES, SCOPES, TRACE, mechanism_reading, wanted_tokens
from boolattn.encoders.readers.token_reading import Offsets, TokenReading, exclusions_on_tokens, in_text
from boolattn.encoders.routes import routes_of
from boolattn.encoders.storage.checksums import forget_checksums, verify_checksums
from boolattn.encoders.vectors.two_sided import encode_excluding
from boolattn.operators import NOT
from boolattn.reading.caller import caller_reading
from boolattn.reading.options import ReadingOptions
from boolattn.reading.readers import READERS
from boolattn.reading.reading import Reading

Encoding = Literal["bias", "two-sided", "mechanism"]

LONGEST_TOKEN, LONGEST_QUERY = 16, 512  # characters; tokens, where a model sets no limit
# Where scopes are given, only *not* acts (joining *and* and *or* gained nothing) and its predictors are never asked.
GIVEN_SCOPES_CONFIG = BoolAttnConfig.light(operators=(NOT.name,))
# Of models saved before readers were separate: what each kind of reading did with what it read, and its weights.
FORMER_ENCODINGS: dict[str, Encoding] = {"lexicon": "bias", "learned": "two-sided", "mechanism": "mechanism"}
FORMER_READER_FILE = "reader.safetensors"


class BooleanTower(InputModule):
    """The first module of the query route. The Hugging Face encoder it drives is that of the document route.

    Attributes:
        encoding: What is done about what a query excludes. ``"bias"``: its words get less attention, and their states
            are the unwanted ones. ``"two-sided"``: likewise, but the unwanted words are also encoded on their own.
            ``"mechanism"``: the paper's, which reads and acts in one pass.
        strength: The fixed bias that *not* takes from attention scores; the mechanism finds its own.
        options: How queries are read. Of these, only the reader's name is saved with a model.
    """

    config_file_name = "boolean_tower.json"
    save_in_root = False
    transformer: Transformer

    def __init__(
        self,
        encoding: Encoding = "bias",
        strength: float = 4.0,
        reader: str | None = None,
        config: BoolAttnConfig | None = None,
        folder: str | None = None,
    ) -> None:
        """Note the settings; the encoder is known when the whole model is, in ``on_model_ready``.

        Args:
            encoding: See above.
            strength: See above.
            reader: The reader's name; None is the default reader.
            config: For a new ``"mechanism"``, how to build it.
            folder: For a saved tower, where it lies.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        if encoding not in get_args(Encoding):
            raise ValueError(f"encoding={encoding!r} is not one of {get_args(Encoding)}")
        if strength < 0:
            raise ValueError(f"strength is a size, never negative: 'not' subtracts it. Got {strength}")
        self.encoding, self.strength, self.options = encoding, strength, ReadingOptions(reader)
        self._config, self._folder = config, folder

    def on_model_ready(self, model: BaseModel) -> None:
        """Attach the mechanism to the encoder of the document route."""
        transformer = routes_of(model)["document"][0]
        if self.__dict__.get("transformer") is transformer:
            return
        # Kept out of the list of submodules: saved, moved and trained once, as part of the document route.
        self.__dict__["transformer"] = transformer
        encoder: PreTrainedModel = transformer.auto_model
        if hasattr(encoder.base_model, KEYWORD):
            raise ValueError(
                "this backbone has a mechanism already, of another Boolean model or of attach(): load the backbone "
                "again, or take it out with detach(backbone[0].auto_model)"
            )
        if self.encoding != "mechanism":
            attach(encoder, GIVEN_SCOPES_CONFIG)
        elif self._folder is not None:
            load_adapter(encoder, self._folder)
        else:
            attach(encoder, self._config)

    def get_config_dict(self) -> dict[str, Any]:
        """Return what is saved: of the options only the reader's name, if it has one."""
        reader = self.options.reader if isinstance(self.options.reader, str) else None
        return {"encoding": self.encoding, "strength": self.strength, "reader": reader}

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators that act, in the order of the K axis."""
        return mechanism_of(self.transformer.auto_model).config.operators

    @property
    def has_learned_gate(self) -> bool:
        """Whether its mechanism finds out by itself which operators a query holds."""
        return self.encoding == "mechanism" and mechanism_of(self.transformer.auto_model).gate is not None

    def preprocess(self, inputs: Sequence[Any], prompt: str | None = None, **kwargs: Any) -> dict[str, Any]:
        """Tokenise, and read what can be read from the text; inputs that are no text are left unread."""
        if self.encoding == "mechanism":
            return self.transformer.preprocess(inputs, prompt=prompt, **kwargs) | self._labels(inputs)
        readings = self._readings(inputs)
        if not any(reading.exclusions for reading in readings):
            return self.transformer.preprocess(inputs, prompt=prompt, **kwargs)
        features, offsets = self.with_offsets(inputs, prompt or "", **kwargs)
        found = exclusions_on_tokens(readings, offsets)
        if found.gates.any():
            features |= {GATES: found.gates, CUES: found.cues, SCOPES: found.scopes}
        return features

    def _readings(self, inputs: Sequence[Any]) -> list[Reading]:
        """Return what to act on for each query: as its caller says, or else as it is read."""
        longest = LONGEST_TOKEN * (self.max_seq_length or LONGEST_QUERY)  # what lies beyond, the encoder does not read
        known = [_known(query) for query in inputs]
        unread = [query[:longest] for query, reading in zip(inputs, known, strict=True) if reading is None]
        read = iter(self.options.read(unread, only_exclusions=True) if unread else ())
        return [self.options.applied(next(read)) if reading is None else reading for reading in known]

    def with_offsets(self, queries: Sequence[Any], prompt: str = "", **kwargs: Any) -> tuple[dict[str, Any], Offsets]:
        """Tokenise, and tell the characters of each token in its query; none for what is not of it."""
        if not self.tokenizer.is_fast:
            raise ValueError(
                "a reading is put onto tokens by their place in the text: load the model with a fast tokenizer"
            )
        settings = dict(kwargs.pop("processing_kwargs", None) or {})
        settings["text"] = dict(settings.get("text") or {}) | {"return_offsets_mapping": True}
        features = self.transformer.preprocess(queries, prompt=prompt, processing_kwargs=cast(Any, settings), **kwargs)
        rows = features.pop("offset_mapping").tolist()
        texts = [prompt + query if isinstance(query, str) else "" for query in queries]
        return features, [in_text(text, row, len(prompt)) for text, row in zip(texts, rows, strict=True)]

    def _labels(self, queries: Sequence[str]) -> dict[str, Tensor]:
        """Return the gates the caller gave, if it gave any; the learned gate is asked where it did not."""
        labelled = [query for query in queries if isinstance(query, LabelledQuery)]
        if not labelled:
            return {}
        if len(labelled) < len(queries):
            raise ValueError("give the operators of all queries of a call, or of none")
        return {GATES: torch.tensor([[float(name in each.operators) for name in self.operators] for each in labelled])}

    def forward(self, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Encode the tokens under the bias of what is read; without any, as the plain encoder does."""
        if self.encoding == "mechanism":
            return self._through_mechanism(features, **kwargs)
        if GATES not in features:
            return cast(dict[str, Any], self.transformer(features, **kwargs))
        found = TokenReading(features[GATES], features[CUES], features[SCOPES])
        special = None
        if self.encoding == "two-sided":  # an unknown word is a word of the query all the same
            special = set(self.tokenizer.all_special_ids) - {self.tokenizer.unk_token_id}
        encoder = self.transformer.auto_model
        return features | encode_excluding(encoder, self._inputs(features), found, self.strength, special)

    def _inputs(self, features: dict[str, Any]) -> dict[str, Tensor]:
        """Return what the encoder takes."""
        return {name: features[name] for name in self.tokenizer.model_input_names if name in features}

    def _through_mechanism(self, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Let the mechanism read, or take the gates that are given, and act in one pass: the paper's way."""
        gates = features.get(GATES)
        if gates is None and not self.has_learned_gate:
            return cast(dict[str, Any], self.transformer(features, **kwargs))
        output = self.transformer.auto_model(**self._inputs(features), operators=gates, trace=True)
        features |= {"token_embeddings": output.last_hidden_state, TRACE: output.boolattn}
        if NOT.name in self.operators:
            features |= wanted_tokens(
                mechanism_reading(output.boolattn), self.operators.index(NOT.name), features["attention_mask"]
            )
        return features

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
        """Write the settings and a mechanism's weights; never the encoder."""
        forget_checksums(Path(output_path).parent)  # sentence-transformers alone would leave the old ones
        Path(output_path, FORMER_READER_FILE).unlink(missing_ok=True)
        if not isinstance(self.options.reader, str | None):
            warnings.warn(
                f"the reader {self.options.reader.name!r} is not saved with the model, which will load with the "
                f"default one: set model.options after loading, or use one of {', '.join(READERS)}",
                stacklevel=2,
            )
        self.save_config(output_path)
        if self.encoding == "mechanism":
            save_adapter(self.transformer.auto_model, output_path)

    @classmethod
    def load(cls, model_name_or_path: str, subfolder: str = "", *args: Any, **kwargs: Any) -> Self:
        """Read what ``save`` wrote, after checking that no weight file of the model has changed."""
        where = {name: kwargs[name] for name in ("token", "cache_folder", "revision", "local_files_only")}
        verify_checksums(model_name_or_path, **where)
        folder = cls.load_dir_path(model_name_or_path, subfolder=subfolder, **where)
        config = cls.load_config(model_name_or_path, subfolder=subfolder, **where)
        if "reading" in config:
            config = {"encoding": FORMER_ENCODINGS[config["reading"]], "strength": config["strength"]}
        if folder is not None and Path(folder, FORMER_READER_FILE).exists():
            warnings.warn(
                f"the reader in {model_name_or_path} is ignored: boolattn now reads queries with one reader for all "
                "models, and no longer with one that was trained with an adapter. Save the model again to drop it",
                stacklevel=2,
            )
        return cls(**config, folder=folder)


def _known(query: Any) -> Reading | None:
    """Return what to act on where nobody need read: the caller said so, or it is no text."""
    if not isinstance(query, str):
        return caller_reading("", [])
    if isinstance(query, LabelledQuery):
        if query.reading is not None:
            return query.reading
        if NOT.name not in query.operators:
            return caller_reading(query, [])
    return None

"""The query tower: reads a query, tells the mechanism what it read, leaves for the readout which tokens are wanted."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self, cast, get_args

import torch
from safetensors.torch import load_file, save_file
from sentence_transformers.base.model import BaseModel
from sentence_transformers.base.modules import InputModule, Transformer
from torch import Tensor
from transformers import PreTrainedModel

from boolattn.attention import BoolAttnConfig
from boolattn.encoders.checksums import forget_checksums, verify_checksums
from boolattn.encoders.excluding import encode_excluding
from boolattn.encoders.hooks import KEYWORD
from boolattn.encoders.labelled_query import LabelledQuery
from boolattn.encoders.plugin import attach, halved, keep_states_below, load_adapter, mechanism_of, save_adapter
from boolattn.encoders.reader import QueryReader
from boolattn.encoders.reading_features import (
    CUES,
    GATES,
    HINTS,
    SCOPES,
    TRACE,
    exclusions_read,
    for_reader,
    mechanism_reading,
    settled,
    wanted_tokens,
)
from boolattn.encoders.routes import routes_of
from boolattn.encoders.token_reading import Offsets, TokenReading, exclusion_reading, in_text
from boolattn.operators import NOT, OPERATORS
from boolattn.reading.understanding import excluded_by_rules

ReadingKind = Literal["lexicon", "learned", "mechanism"]

LONGEST_TOKEN, LONGEST_QUERY = 16, 512  # characters; tokens, where a model sets no limit
READER_FILE = "reader.safetensors"
# Where scopes are given, only *not* acts (joining *and* and *or* gained nothing) and its predictors are never asked.
GIVEN_SCOPES_CONFIG = BoolAttnConfig.light(operators=(NOT.name,))


class BooleanTower(InputModule):
    """The first module of the query route. The Hugging Face encoder it drives is that of the document route.

    Attributes:
        reading: Who says which operators, cues and scopes a query has: the rules of the ``"lexicon"`` (training-free),
            the ``"learned"`` reader, or the ``"mechanism"`` itself (the paper: operators given with the query, or its
            learned gate).
        strength: The fixed bias that *not* takes from attention scores; the mechanism finds its own.
        reader_layers: How many layers the learned reader has.
        reads_settled: Whether the reader also reads what is settled without it, for losses to look at: while it learns.
    """

    config_file_name = "boolean_tower.json"
    config_keys: list[str] = ["reading", "strength", "reader_layers"]  # noqa: RUF012, as sentence-transformers declares it
    save_in_root = False
    transformer: Transformer
    reader: QueryReader

    def __init__(
        self,
        reading: ReadingKind = "lexicon",
        strength: float = 4.0,
        reader_layers: int = 3,
        config: BoolAttnConfig | None = None,
        folder: str | None = None,
    ) -> None:
        """Note the settings; the encoder is known when the whole model is, in ``on_model_ready``.

        Args:
            reading: See above.
            strength: See above.
            reader_layers: See above.
            config: For a new ``"mechanism"``, how to build it.
            folder: For a saved tower, where it lies.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        if reading not in get_args(ReadingKind):
            raise ValueError(f"reading={reading!r} is not one of {get_args(ReadingKind)}")
        if strength < 0:
            raise ValueError(f"strength is a size, never negative: 'not' subtracts it. Got {strength}")
        self.reading, self.strength, self.reader_layers = reading, strength, reader_layers
        self._config, self._folder, self.reads_settled = config, folder, False

    def on_model_ready(self, model: BaseModel) -> None:
        """Attach the mechanism to the encoder of the document route, and find a learned reader its size."""
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
        if self.reading != "mechanism":
            attach(encoder, GIVEN_SCOPES_CONFIG)
        elif self._folder is not None:
            load_adapter(encoder, self._folder)
        else:
            attach(encoder, self._config)
        if self.reading == "learned":
            self.reader = QueryReader.beginning_as(encoder, self.reader_layers).to(encoder.device, encoder.dtype)
            keep_states_below(encoder, self.reader_layers)
            if self._folder is not None:
                self.reader.load_state_dict(load_file(Path(self._folder, READER_FILE)))

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators it reads, in the order of the K axis."""
        if self.reading == "learned":
            return tuple(OPERATORS)
        return mechanism_of(self.transformer.auto_model).config.operators

    @property
    def has_learned_gate(self) -> bool:
        """Whether it finds out which operators a query holds by what was learned."""
        if self.reading == "mechanism":
            return mechanism_of(self.transformer.auto_model).gate is not None
        return self.reading == "learned"

    def preprocess(self, inputs: Sequence[Any], prompt: str | None = None, **kwargs: Any) -> dict[str, Any]:
        """Tokenise, and read what can be read from the text; inputs that are no text are left unread."""
        if self.reading == "mechanism":
            return self.transformer.preprocess(inputs, prompt=prompt, **kwargs) | self._labels(inputs)
        longest = LONGEST_TOKEN * (self.max_seq_length or LONGEST_QUERY)  # what lies beyond, the encoder does not read
        known = [settled(query, longest) for query in inputs]
        if self.reading == "learned" and (self.reads_settled or None in known):
            features, offsets = self.with_offsets(inputs, prompt or "", **kwargs)
            texts = [query if isinstance(query, LabelledQuery) else str(query)[:longest] for query in inputs]
            return features | for_reader(texts, known, offsets)
        excluded = [
            excluded_by_rules(query[:longest]) if each is None else each
            for query, each in zip(inputs, known, strict=True)
        ]
        if not any(each.scopes for each in excluded):
            return self.transformer.preprocess(inputs, prompt=prompt, **kwargs)
        features, offsets = self.with_offsets(inputs, prompt or "", **kwargs)
        found = exclusion_reading(excluded, offsets)
        if found.gates.any():
            features |= {GATES: found.gates, CUES: found.cues, SCOPES: found.scopes}
        return features

    def with_offsets(self, queries: Sequence[Any], prompt: str = "", **kwargs: Any) -> tuple[dict[str, Any], Offsets]:
        """Tokenise, and tell the characters of each token in its query; none for what is not of it."""
        if not self.tokenizer.is_fast:
            raise ValueError("the rules need to know where each token stands: load the model with a fast tokenizer")
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
        """Encode the tokens under the bias of what is read."""
        if self.reading == "mechanism":
            return self._through_mechanism(features, **kwargs)
        if HINTS in features:
            features = self.read(features)
            found = exclusions_read(features)
        elif GATES in features:
            found = TokenReading(features[GATES], features[CUES], features[SCOPES])
        else:
            return cast(dict[str, Any], self.transformer(features, **kwargs))
        encoder, inputs = self.transformer.auto_model, self._inputs(features)
        if self.reading == "learned":
            states = features["token_embeddings"] if TRACE in features else None
            special = set(self.tokenizer.all_special_ids) - {self.tokenizer.unk_token_id}  # that is a word of the query
            return features | encode_excluding(encoder, inputs, states, found, self.strength, special)
        output = encoder(**inputs, operators=found.gates, scopes=found.covered(), strength=self.strength)
        features["token_embeddings"] = output.last_hidden_state
        return features | wanted_tokens(found, 0, features["attention_mask"])

    def read(self, features: dict[str, Any]) -> dict[str, Any]:
        """Encode the tokens plainly, and let the learned reader read."""
        output = self.transformer.auto_model(**self._inputs(features), keep_states=True)
        states = (output.kept_states, output.last_hidden_state)
        logits = self.reader(states, features["attention_mask"], features[HINTS])
        return features | {"token_embeddings": output.last_hidden_state, TRACE: logits.trace()}

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
        """Write the settings and, where something was learned, its weights; never the encoder."""
        forget_checksums(Path(output_path).parent)  # sentence-transformers alone would leave the old ones
        self.save_config(output_path)
        if self.reading == "mechanism":
            save_adapter(self.transformer.auto_model, output_path)
        if self.reading == "learned":
            save_file(halved(self.reader.state_dict()), Path(output_path, READER_FILE))

    @classmethod
    def load(cls, model_name_or_path: str, subfolder: str = "", *args: Any, **kwargs: Any) -> Self:
        """Read what ``save`` wrote, after checking that no weight file of the model has changed."""
        where = {name: kwargs[name] for name in ("token", "cache_folder", "revision", "local_files_only")}
        verify_checksums(model_name_or_path, **where)
        folder = cls.load_dir_path(model_name_or_path, subfolder=subfolder, **where)
        return cls(**cls.load_config(model_name_or_path, subfolder=subfolder, **where), folder=folder)

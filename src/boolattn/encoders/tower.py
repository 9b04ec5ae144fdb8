"""The query tower: reads a query, tells the mechanism what it read, leaves for the readout which tokens are wanted."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Literal, Self, cast, get_args

import torch
from sentence_transformers.base.model import BaseModel
from sentence_transformers.base.modules import InputModule, Module, Router, Transformer
from torch import Tensor
from transformers import PreTrainedModel

from boolattn.attention import BoolAttnConfig, Trace
from boolattn.encoders.checksums import forget_checksums, verify_checksums
from boolattn.encoders.hooks import KEYWORD
from boolattn.encoders.plugin import attach, load_adapter, mechanism_of, save_adapter
from boolattn.encoders.readout import UNWANTED, WANTED
from boolattn.encoders.token_reading import Offsets, TokenReading, exclusion_reading, in_text
from boolattn.operators import NOT, OPERATORS
from boolattn.queries.understanding import Excluded, excluded_by_rules

ReadingKind = Literal["lexicon", "mechanism"]

LONGEST_TOKEN, LONGEST_QUERY = 16, 512  # characters; tokens, where a model sets no limit
GATES, CUES, SCOPES = "boolean_gates", "boolean_cues", "boolean_scopes"
TRACE = "boolean_trace"  # what the mechanism did, for losses to look at
# Rules know what *not* speaks of; joining *and* and *or* by rule gained nothing. Its predictors are never asked.
LEXICON_CONFIG = BoolAttnConfig.light(operators=(NOT.name,))


class LabelledQuery(str):
    """A query that carries its operators, wherever batching and sorting may take it."""

    operators: frozenset[str]

    @classmethod
    def of(cls, text: str, operators: str | Collection[str]) -> Self:
        """Label a text; a lone name stands for a set of one."""
        query = cls(text)
        query.operators = frozenset([operators] if isinstance(operators, str) else operators)
        if unknown := query.operators - set(OPERATORS):
            raise ValueError(f"unknown operators {sorted(unknown)} for {text!r}; known are {list(OPERATORS)}")
        return query


class BooleanTower(InputModule):
    """The first module of the query route. The Hugging Face encoder it drives is that of the document route.

    Attributes:
        reading: Who says which operators, cues and scopes a query has: the rules of the ``"lexicon"`` (training-free)
            or the ``"mechanism"`` itself (the paper: operators given with the query, or its learned gate).
        strength: The fixed bias that the lexicon's *not* takes from attention scores; unused by the mechanism.
    """

    config_file_name = "boolean_tower.json"
    config_keys: list[str] = ["reading", "strength"]  # noqa: RUF012, as sentence-transformers declares it
    save_in_root = False
    transformer: Transformer

    def __init__(
        self,
        reading: ReadingKind = "lexicon",
        strength: float = 4.0,
        config: BoolAttnConfig | None = None,
        folder: str | None = None,
    ) -> None:
        """Note the settings; the encoder is known when the whole model is, in ``on_model_ready``.

        Args:
            reading: See above.
            strength: See above.
            config: For a new ``"mechanism"``, how to build it.
            folder: For a saved one, where it lies.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        if reading not in get_args(ReadingKind):
            raise ValueError(f"reading={reading!r} is not one of {get_args(ReadingKind)}")
        if strength < 0:
            raise ValueError(f"strength is a size, never negative: 'not' subtracts it. Got {strength}")
        self.reading, self.strength = reading, strength
        self._source = LEXICON_CONFIG if reading == "lexicon" else folder if folder is not None else config

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
        if isinstance(self._source, str):
            load_adapter(encoder, self._source)
        else:
            attach(encoder, self._source)

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators the mechanism knows, in the order of the K axis."""
        return mechanism_of(self.transformer.auto_model).config.operators

    @property
    def has_learned_gate(self) -> bool:
        """Whether the mechanism itself finds out which operators a query holds."""
        return self.reading == "mechanism" and mechanism_of(self.transformer.auto_model).gate is not None

    def preprocess(self, inputs: Sequence[Any], prompt: str | None = None, **kwargs: Any) -> dict[str, Any]:
        """Tokenise, and read what can be read from the text; inputs that are no text are left unread."""
        if self.reading == "mechanism":
            return self.transformer.preprocess(inputs, prompt=prompt, **kwargs) | self._labels(inputs)
        longest = LONGEST_TOKEN * (self.max_seq_length or LONGEST_QUERY)  # what lies beyond, the encoder does not read
        excluded = [_excluded(query, longest) for query in inputs]
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
        """Encode the tokens under the bias of what was read."""
        gates = features.get(GATES)
        if gates is None and not self.has_learned_gate:
            return cast(dict[str, Any], self.transformer(features, **kwargs))
        inputs = {name: features[name] for name in self.tokenizer.model_input_names if name in features}
        if self.reading == "lexicon":
            found = TokenReading(features[GATES], features[CUES], features[SCOPES])
            output = self.transformer.auto_model(
                **inputs, operators=found.gates, scopes=found.covered(), strength=self.strength
            )
        else:
            output = self.transformer.auto_model(**inputs, operators=gates, trace=True)
            features[TRACE] = output.boolattn
            found = _found(output.boolattn)
        features["token_embeddings"] = output.last_hidden_state
        if NOT.name in self.operators:
            features |= _wanted(found, self.operators.index(NOT.name), features["attention_mask"])
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
        """Write the settings and, where something was learned, the adapter; never the encoder."""
        forget_checksums(Path(output_path).parent)  # sentence-transformers alone would leave the old ones
        self.save_config(output_path)
        if self.reading == "mechanism":
            save_adapter(self.transformer.auto_model, output_path)

    @classmethod
    def load(cls, model_name_or_path: str, subfolder: str = "", *args: Any, **kwargs: Any) -> Self:
        """Read what ``save`` wrote, after checking that no weight file of the model has changed."""
        where = {name: kwargs[name] for name in ("token", "cache_folder", "revision", "local_files_only")}
        verify_checksums(model_name_or_path, **where)
        folder = cls.load_dir_path(model_name_or_path, subfolder=subfolder, **where)
        return cls(**cls.load_config(model_name_or_path, subfolder=subfolder, **where), folder=folder)


def routes_of(model: BaseModel) -> dict[str, list[Any]]:
    """Return the modules of each route of a model that begins with a router; nothing for any other."""
    router = next(iter(model.children()), None)
    if not isinstance(router, Router):
        return {}
    return {name: list(cast(Module, route)) for name, route in router.sub_modules.items()}


def _excluded(query: Any, longest: int) -> Excluded:
    """Return what the rules find, unless the caller, who labelled the query, knows that nothing is excluded."""
    closed = not isinstance(query, str) or (isinstance(query, LabelledQuery) and NOT.name not in query.operators)
    return Excluded() if closed else excluded_by_rules(query[:longest])


def _found(trace: Trace) -> TokenReading:
    """Return what the mechanism read: its cues, and the scopes of its last layer, which has read most, over heads."""
    scopes = trace.scopes[-1].mean(dim=2) if trace.scopes else torch.zeros_like(trace.cues)  # (B, L, K)
    return TokenReading(trace.gates, trace.cues, scopes)


def _wanted(found: TokenReading, column: int, mask: Tensor) -> dict[str, Tensor]:
    gate = found.gates[:, column, None]  # (B, 1)
    cue, scope = found.cues[..., column] * gate, found.scopes[..., column] * gate  # (B, L)
    return {WANTED: mask * (1 - cue) * (1 - scope), UNWANTED: mask * scope}

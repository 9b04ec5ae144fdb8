"""Recipes: everything a training run depends on except the data. Defaults are the paper's."""

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import msgspec

from boolattn.attention import BoolAttnConfig
from boolattn.backbones.encodings.registry import ENCODINGS
from boolattn_lab.paper.losses import LossWeights

Stage = Literal["pretrain", "finetune"]
Learns = Literal["embeddings", "adapter", "full"]
Gates = Literal["given", "learned", "words"]
Scopes = Literal["predicted", "given"]
Positive = Literal["drawn", "fixed"]
NegativesFrom = Literal["random", "bm25"]
Distance = Literal["euclidean", "cosine"]
Route = Literal["document", "query"]
Candidates = Literal["batch", "corpus"]
Measure = Literal["recall@20", "recall@100", "mrr@10", "ndcg@10"]
Precision = Literal["fp32", "bf16", "fp16"]
Section = TypeVar("Section")


class RecipeError(ValueError):
    """An invalid recipe."""


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """The model.

    Attributes:
        start: A Hugging Face or sentence-transformers model, by name or folder, or a saved Boolean model, whose
            pooling, similarity, encoding, signed and rank are fixed.
        boolean: Whether to add BoolAttn; without it, the same recipe trains the plain model for comparison.
        pooling: "cls" or "mean"; None keeps the model's own.
        similarity: "dot" or "cosine"; None keeps the model's own.
        encoding: "mechanism", the paper's; "two-sided", beyond the paper: scopes are given, exclusions are encoded
            separately, and only the readout is trained.
        signed: Whether to subtract exclusions from the query's vector, beyond the paper. "two-sided" always does.
        rank: Rank of the learned maps applied to the wanted and unwanted vectors before subtracting; 0 for no maps.
        towers: "shared", one encoder for queries and documents; "separate", two that start with the same weights.
        query_tokens: Maximum tokens per query; the rest is truncated.
        document_tokens: Maximum tokens per document.
    """

    start: str = "bert-base-uncased"
    boolean: bool = True
    pooling: Literal["cls", "mean"] | None = None
    similarity: Literal["dot", "cosine"] | None = None
    encoding: Literal["mechanism", "two-sided"] = "mechanism"
    signed: bool = False
    rank: int = 0
    towers: Literal["shared", "separate"] = "shared"
    query_tokens: int = 64
    document_tokens: int = 256


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """The training data.

    Attributes:
        source: A key of ``boolattn_lab.paper.sources.SOURCES``.
        queries: Maximum number of queries, or of triples per operator; None uses all.
        excluding: Whether to skip queries that exclude nothing; not supported by all sources.
        maximum_answers: Maximum number of answers of a generated query; None sets no limit.
        seed: Seed of the generated queries and the validation corpus; None uses the recipe's.
        validation_queries: Maximum number of queries for choosing the best epoch; 0 keeps the last epoch.
        validation_documents: Maximum number of random documents in the validation corpus, in addition to all answers;
            None uses the whole corpus.
    """

    source: str
    queries: int | None = None
    excluding: bool = False
    maximum_answers: int | None = None
    seed: int | None = None
    validation_queries: int | None = None
    validation_documents: int | None = None


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to train.

    Attributes:
        learns: What to train. "full", everything; "adapter", only BoolAttn and the readout, so that an existing index
            stays valid; "embeddings", BoolAttn and the backbone's embedding layer, as in the paper's pretraining.
        gates: "given", queries carry their gold operators; "learned", the learned gate predicts them; "words", the
            operators are written before the query, which gives a plain model the same information.
        scopes: "predicted" by the model, or "given": queries also carry their gold scopes, and the gates of
            queries without any stay closed.
        epochs: Number of epochs.
        batch_size: Queries per step, over all devices.
        learning_rate: Learning rate of AdamW.
        weight_decay: Weight decay of AdamW.
        schedule: Learning-rate schedule, by the trainer's name.
        positive: Whether a query's positive is "drawn" again in every epoch, or "fixed".
        negatives: Negatives per query.
        negatives_from: Whether negatives are "random" documents, or wrong answers that "bm25" ranks high.
        gather_negatives: Whether the documents of all other devices also serve as negatives.
        margin: Margin of the triplet loss.
        distance: Distance of the triplet loss.
        triplet_route: Which encoder encodes the positive and negative sentences of a triplet.
        scale: Factor for similarities in the contrastive loss.
        candidates: What a query's answers are compared with: the documents of its "batch", or the whole "corpus",
            whose vectors are computed once and then fixed.
        excluded_counts: With candidates = "corpus", the weight of an excluded document; any other has weight 1.
        keep_best_by: Validation measure for choosing the best epoch.
        precision: Numeric precision; "bf16" is fp32 on a CPU that would emulate it.
        log_steps: Steps between logged losses.
        checkpoint_steps: Steps between checkpoints if there is no validation; otherwise every epoch writes one.
    """

    learns: Learns = "full"
    gates: Gates = "given"
    scopes: Scopes = "predicted"
    epochs: int = 40
    batch_size: int = 32
    learning_rate: float = 5e-5
    weight_decay: float = 0.01
    schedule: str = "constant"
    positive: Positive = "drawn"
    negatives: int = 5
    negatives_from: NegativesFrom = "random"
    gather_negatives: bool = True
    margin: float = 1.0
    distance: Distance = "euclidean"
    triplet_route: Route = "document"
    scale: float = 1.0
    candidates: Candidates = "batch"
    excluded_counts: float = 1.0
    keep_best_by: Measure = "recall@100"
    precision: Precision = "fp32"
    log_steps: int = 10
    checkpoint_steps: int = 100


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One training run.

    Attributes:
        stage: "pretrain" on sentences, or "finetune" on retrieval.
        seed: For all randomness; the paper uses 0, 42 and 1234.
        model: The model.
        mechanism: Settings for adding BoolAttn to a plain model; a Boolean model keeps its own.
        data: The training data.
        losses: The weight of each loss.
        training: How to train.
    """

    stage: Stage
    seed: int = 0
    model: ModelSettings
    mechanism: BoolAttnConfig
    data: DataSettings
    losses: LossWeights
    training: Settings

    def __post_init__(self) -> None:
        """Reject settings that would fail later."""
        if type(self.seed) is not int or not 0 <= self.seed < 2**32:
            raise RecipeError(f"seed = {self.seed!r} must be a whole number from 0 to 2**32 - 1, such as seed = 42")
        if self.stage == "pretrain" and self.losses.ranking and self.training.negatives != 1:
            raise RecipeError(
                f"[training] negatives = {self.training.negatives}, but pretraining ranks triples, each with one "
                f"negative: negatives = 1"
            )
        if self.losses.gate and self.mechanism.gate == "given":
            raise RecipeError("[losses] gate has nothing to train: set [mechanism] gate = 'learned', or the loss to 0")
        if self.losses.understanding and not ENCODINGS[self.model.encoding].reads:
            raise RecipeError(
                f"[losses] cue, gate and scope train a mechanism to read, but [model] encoding = "
                f"{self.model.encoding!r} has none: set them to 0, or encoding = 'mechanism'"
            )
        self._require_fitting_labels()
        if self.training.excluded_counts <= 0:
            raise RecipeError(
                f"[training] excluded_counts = {self.training.excluded_counts} must be positive: with 1.0, an "
                f"excluded document counts like any other"
            )
        if self.training.candidates == "corpus" and (self.stage, self.training.learns) != ("finetune", "adapter"):
            raise RecipeError(
                "[training] candidates = 'corpus' needs fixed documents: use stage = 'finetune', learns = 'adapter'"
            )

    def _require_fitting_labels(self) -> None:
        """Reject query labels that the model cannot use."""
        training, mechanism = self.training, self.model.boolean and ENCODINGS[self.model.encoding].reads
        if training.gates == "words" and self.model.boolean:
            raise RecipeError(
                "[training] gates = 'words' writes operators into the text for a plain model: set [model] boolean = "
                "false, or gates = 'given'"
            )
        if training.scopes == "given" and not (mechanism and training.gates == "given" and not self.losses.scope):
            raise RecipeError(
                "[training] scopes = 'given' needs the mechanism, gates = 'given' and no [losses] scope: set these, or "
                "scopes = 'predicted'"
            )

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dataclasses.asdict(self) | {"mechanism": self.mechanism.to_dict()}


# Where the paper's pretraining (appendix B) differs from its fine-tuning (appendix D).
PRETRAINING: Mapping[str, Mapping[str, Any]] = {
    "losses": {"cue": 1.0, "gate": 1.0, "ranking": 0.2},
    "training": {"learns": "embeddings", "gates": "learned", "epochs": 1, "learning_rate": 1e-5, "negatives": 1},
}
_SECTIONS = {
    "model": ModelSettings,
    "mechanism": BoolAttnConfig,
    "data": DataSettings,
    "losses": LossWeights,
    "training": Settings,
}


def load_recipe(path: str | Path, changes: Mapping[str, Any] | None = None) -> Recipe:
    """Load a recipe.

    Args:
        path: A TOML file.
        changes: Values that override the file's, such as ``{"seed": 42, "model.boolean": False}``.
    """
    values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    for name, value in (changes or {}).items():
        section, _, key = name.rpartition(".")
        if not section and isinstance(value, Mapping):  # it would replace the file's whole section
            one = f"{name}.{next(iter(value), 'key')}"
            raise RecipeError(
                f"{name} is a table, but a change sets one key: write {one}=..., or in a study's set, quoted, "
                f'"{one}" = ...'
            )
        changed = values.setdefault(section, {}) if section else values
        if not isinstance(changed, dict):
            raise RecipeError(f"{name} changes nothing: {section} is not a section")
        changed[key] = value
    return recipe_of(values)


def change_of(text: str) -> tuple[str, Any]:
    """Parse a change on the command line: ``seed=42``, ``model.boolean=false``, ``model.start=folder/model``."""
    name, equals, value = text.partition("=")
    if not equals:
        raise RecipeError(f"{text!r} changes nothing: write key=value, such as seed=42 or model.boolean=false")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value  # a text, which TOML would require in quotation marks


def recipe_of(values: Mapping[str, Any]) -> Recipe:
    """Build a recipe from a TOML table; an unknown key is an error."""
    refuse_unknown("the recipe", values, ["stage", "seed", *_SECTIONS])
    if loose := [name for name in _SECTIONS if not isinstance(values.get(name, {}), Mapping)]:
        raise RecipeError(f"{loose[0]} is a section: write [{loose[0]}] with its keys below")
    stage: Any = values.get("stage")
    if stage not in get_args(Stage):
        raise RecipeError(f"stage = {stage!r} is not one of {get_args(Stage)}")
    defaults: dict[str, Mapping[str, Any]] = {"mechanism": {"gate": "learned"}}
    if stage == "pretrain":
        defaults |= PRETRAINING
    sections: dict[str, Any] = {
        name: _section(name, kind, {**defaults.get(name, {}), **values.get(name, {})})
        for name, kind in _SECTIONS.items()
    }
    return Recipe(stage=stage, seed=values.get("seed", 0), **sections)


def _section(name: str, kind: type[Section], values: Mapping[str, Any]) -> Section:
    refuse_unknown(f"[{name}]", values, [each.name for each in dataclasses.fields(kind)])  # type: ignore[arg-type]
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise RecipeError(f"[{name}]: {error}") from error


def refuse_unknown(where: str, values: Mapping[str, Any], known: list[str]) -> None:
    """Raise if a table has unknown keys."""
    if unknown := sorted(set(values) - set(known)):
        raise RecipeError(f"{where} has no {', '.join(map(repr, unknown))}; use {', '.join(known)}")

"""A recipe: everything a training run depends on but the data itself. What it leaves out is as in the paper."""

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import msgspec

from boolattn.attention import BoolAttnConfig
from boolattn.encoders.encodings.registry import ENCODINGS
from boolattn.training.losses import LossWeights

Stage = Literal["pretrain", "finetune"]
Learns = Literal["embeddings", "adapter", "full"]
Gates = Literal["given", "learned"]
Candidates = Literal["batch", "corpus"]
Measure = Literal["recall@20", "recall@100", "mrr@10", "ndcg@10"]
Precision = Literal["fp32", "bf16", "fp16"]
Section = TypeVar("Section")


class RecipeError(ValueError):
    """A recipe that cannot be meant."""


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """The model.

    Attributes:
        start: A Hugging Face or sentence-transformers model, by name or folder, or a Boolean model saved before, which
            brings its own pooling, similarity, encoding, signed and rank: none may ask for another.
        boolean: Whether it gets BoolAttn; without, the same recipe trains the plain model to compare with.
        pooling: "cls" or "mean"; None leaves the model's own.
        similarity: "dot" or "cosine"; None leaves the model's own.
        encoding: "mechanism", the paper's; "two-sided", beyond the paper: queries come with their scopes, what is
            excluded is encoded on its own, and only the readout learns.
        signed: Whether the query's vector subtracts what is excluded: beyond the paper. "two-sided" always does.
        rank: Of the learned maps of what is wanted and unwanted in that subtraction; 0 for none.
        query_tokens: How many tokens of a query are read.
        document_tokens: How many of a document.
    """

    start: str = "bert-base-uncased"
    boolean: bool = True
    pooling: Literal["cls", "mean"] | None = None
    similarity: Literal["dot", "cosine"] | None = None
    encoding: Literal["mechanism", "two-sided"] = "mechanism"
    signed: bool = False
    rank: int = 0
    query_tokens: int = 64
    document_tokens: int = 256


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """What to learn from.

    Attributes:
        source: A key of ``boolattn.training.sources.SOURCES``.
        queries: At most so many queries, or triples of each operator; None is all there are.
        excluding: Whether to leave out queries that exclude nothing; not all sources can.
        validation_queries: At most so many queries to choose the best epoch by; 0 keeps the last.
        validation_documents: They are looked for among all answers and at most so many random other documents.
    """

    source: str
    queries: int | None = None
    excluding: bool = False
    validation_queries: int | None = None
    validation_documents: int | None = None


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to learn.

    Attributes:
        learns: "full", everything; "adapter", BoolAttn and the readout alone, so that an index stays valid;
            "embeddings", BoolAttn and the backbone's embedding layer, as in the paper's pretraining.
        gates: Whether queries come with their operators, or the learned gate finds them.
        epochs: How many.
        batch_size: Queries per step, over all devices.
        learning_rate: Of AdamW.
        weight_decay: Of AdamW.
        schedule: The trainer's name of how the learning rate goes on.
        negatives: Negatives per query.
        margin: Of the triplet loss.
        scale: What similarities are multiplied by in the contrastive loss.
        candidates: What a query's answers are told from: the documents of its "batch", or the whole "corpus", whose
            vectors are computed once and stay as they are.
        excluded_counts: In the whole corpus, for how many documents each excluded one counts.
        keep_best_by: The measure on validation queries by which the best epoch is kept.
        precision: Of the arithmetic.
        log_steps: How often losses are logged.
        checkpoint_steps: How often a checkpoint is written where there is no validation; else it is every epoch.
    """

    learns: Learns = "full"
    gates: Gates = "given"
    epochs: int = 40
    batch_size: int = 32
    learning_rate: float = 5e-5
    weight_decay: float = 0.01
    schedule: str = "constant"
    negatives: int = 5
    margin: float = 1.0
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
        stage: Pretraining on sentences, or fine-tuning on retrieval.
        seed: Of everything drawn at random; the paper uses 0, 42 and 1234.
        model: The model.
        mechanism: BoolAttn, where a plain model gets it; a Boolean model brings its own.
        data: What to learn from.
        losses: What counts for how much.
        training: How to learn.
    """

    stage: Stage
    seed: int = 0
    model: ModelSettings
    mechanism: BoolAttnConfig
    data: DataSettings
    losses: LossWeights
    training: Settings

    def __post_init__(self) -> None:
        """Refuse what could only fail later."""
        if type(self.seed) is not int or not 0 <= self.seed < 2**32:
            raise RecipeError(f"seed = {self.seed!r} must be a whole number from 0 to 2**32 - 1, such as seed = 42")
        if self.stage == "pretrain" and self.losses.ranking and self.training.negatives != 1:
            raise RecipeError(
                f"[training] negatives = {self.training.negatives}, but pretraining ranks triples, each with one "
                f"negative: negatives = 1"
            )
        if self.losses.gate and self.training.gates == "given":
            raise RecipeError("[losses] gate has nothing to teach where gates are given: [training] gates = 'learned'")
        if self.losses.understanding and not ENCODINGS[self.model.encoding].reads:
            raise RecipeError(
                f"[losses] cue, gate and scope teach a mechanism to read, and [model] encoding = "
                f"{self.model.encoding!r} has none: set them to 0, or encoding = 'mechanism'"
            )
        if self.training.excluded_counts <= 0:
            raise RecipeError(
                f"[training] excluded_counts = {self.training.excluded_counts} must be positive: with 1.0, what is "
                f"excluded counts as any other document"
            )
        if self.training.candidates == "corpus" and (self.stage, self.training.learns) != ("finetune", "adapter"):
            raise RecipeError(
                "[training] candidates = 'corpus' takes documents as they are: stage = 'finetune', learns = 'adapter'"
            )

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dataclasses.asdict(self) | {"mechanism": self.mechanism.to_dict()}


# What the paper has otherwise in its pretraining (appendix B) than in its fine-tuning (appendix D).
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
    """Read a recipe.

    Args:
        path: A TOML file.
        changes: Values in place of the file's, such as ``{"seed": 42, "model.boolean": False}``.
    """
    values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    for name, value in (changes or {}).items():
        section, _, key = name.rpartition(".")
        if not section and isinstance(value, Mapping):  # it would replace all that the file has there
            one = f"{name}.{next(iter(value), 'key')}"
            raise RecipeError(
                f"{name} is a table, and a change is of one key: write {one}=..., or in a study's set, quoted, "
                f'"{one}" = ...'
            )
        changed = values.setdefault(section, {}) if section else values
        if not isinstance(changed, dict):
            raise RecipeError(f"{name} changes nothing: {section} is no section")
        changed[key] = value
    return recipe_of(values)


def change_of(text: str) -> tuple[str, Any]:
    """Read one change as a command line has it: ``seed=42``, ``model.boolean=false``, ``model.start=folder/model``."""
    name, equals, value = text.partition("=")
    if not equals:
        raise RecipeError(f"{text!r} changes nothing: write key=value, such as seed=42 or model.boolean=false")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value  # a text, which TOML would have in quotation marks


def recipe_of(values: Mapping[str, Any]) -> Recipe:
    """Build a recipe from a table as TOML gives it; a key nobody knows is an error, never ignored."""
    refuse_unknown("the recipe", values, ["stage", "seed", *_SECTIONS])
    if loose := [name for name in _SECTIONS if not isinstance(values.get(name, {}), Mapping)]:
        raise RecipeError(f"{loose[0]} is a section: write [{loose[0]}] and its keys below")
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
    """Raise where a table has keys that would be ignored."""
    if unknown := sorted(set(values) - set(known)):
        raise RecipeError(f"{where} has no {', '.join(map(repr, unknown))}; it knows {', '.join(known)}")

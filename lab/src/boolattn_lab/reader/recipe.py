"""A reader recipe: everything its training depends on except the data."""

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, get_args

import msgspec

from boolattn.reading.learned import Calibration
from boolattn.reading.reading import Documents, Strictness
from boolattn_lab.paper.recipes import RecipeError, refuse_unknown

Strictnesses: TypeAlias = Mapping[Strictness, float]


@dataclass(frozen=True, kw_only=True)
class ReaderRecipe:
    """How a reader is trained.

    Attributes:
        name: Its name, as reported in readings.
        version: The version of its weights; increase it whenever they change.
        start: A pretrained BERT-like encoder, by hub name or folder, with an uncased tokenizer.
        layers: How many of its first layers to keep.
        sources: For each source of ``boolattn_lab.reader.sources``, how often a row occurs per epoch; below 1,
            the share of its rows to use.
        epochs: Number of epochs.
        batch_size: Queries per step.
        learning_rate: For the encoder, decaying to 0 after a warm-up of 100 steps.
        head_learning_rate: For the two heads.
        seeds: For the order of rows and their noise. One network is trained per seed, from the same initial weights,
            and the reader is their mean: as stable as an ensemble, at the cost of one network.
        thresholds: Over things and over pages, the least calibrated confidence that each strictness acts on; placed on
            queries held out of training.
        licences: Of the sources, for the reader's card.
        encoder: A local copy of ``start``, for a machine without network access; not part of the recipe.
    """

    name: str
    version: str
    sources: dict[str, float]
    start: str = "sentence-transformers/all-MiniLM-L6-v2"
    layers: int = 6
    epochs: int = 3
    batch_size: int = 64
    learning_rate: float = 8e-5
    head_learning_rate: float = 4e-4
    seeds: list[int] = field(default_factory=lambda: [0])
    thresholds: dict[Documents, dict[Strictness, float]] = field(
        default_factory=lambda: {documents: dict(Calibration().thresholds) for documents in get_args(Documents)}
    )
    licences: dict[str, str] = field(default_factory=dict)
    encoder: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        settings = dataclasses.asdict(self)
        del settings["encoder"]
        return settings

    @property
    def encoder_path(self) -> str:
        """The path or name of the pretrained encoder."""
        return self.encoder or self.start


def load_reader_recipe(path: Path, changes: dict[str, Any] | None = None, encoder: Path | None = None) -> ReaderRecipe:
    """Load a recipe; ``changes`` override settings, ``encoder`` is a local copy of the pretrained encoder."""
    settings = tomllib.loads(path.read_text(encoding="utf-8")) | (changes or {})
    if encoder is not None:
        settings["encoder"] = str(encoder)
    refuse_unknown(str(path), settings, [each.name for each in dataclasses.fields(ReaderRecipe)])
    try:
        return msgspec.convert(settings, ReaderRecipe)
    except msgspec.ValidationError as error:
        raise RecipeError(f"{path}: {error}") from error

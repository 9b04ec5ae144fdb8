"""A study file -> its runs."""

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from boolattn.backbones.storage.model_names import title_of
from boolattn_lab.benchmarks.sets import BENCHMARKS
from boolattn_lab.benchmarks.systems import REWRITTEN, system_title
from boolattn_lab.paper.recipes import Recipe, load_recipe
from boolattn_lab.paper.train import MODEL

BACKBONE = "{backbone}"  # placeholder in a system's model


class StudyError(ValueError):
    """An invalid study, or one that conflicts with earlier results."""


class Stage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One training run of a system: a recipe, relative to the study's folder, and changes to it."""

    recipe: str
    set: dict[str, Any] = {}


class System(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the systems to compare.

    Attributes:
        name: Used in tables and file names.
        model: As in ``boolattn-lab evaluate --model``, for a system that is not trained.
        stages: The training stages of any other system; each starts from the previous stage's model.
        benchmarks: Replaces the study's benchmarks.
        seeds: Replaces the study's seeds.
        rewritten: Evaluate the trained plain model with rewritten queries, as ``--model rewritten:``.
    """

    name: str
    model: str | None = None
    stages: tuple[Stage, ...] = ()
    benchmarks: tuple[str, ...] | None = None
    seeds: tuple[int, ...] | None = None
    rewritten: bool = False


class Study(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A study file.

    Attributes:
        systems: The systems to compare, in table order.
        benchmarks: The benchmarks to evaluate on.
        seeds: Every trained system is trained once per seed.
        backbone: The start model of every first stage, unless its ``set`` has a ``model.start``; also replaces
            ``{backbone}`` in a system's ``model``. None keeps the recipes' own start models.
    """

    systems: tuple[System, ...]
    benchmarks: tuple[str, ...]
    seeds: tuple[int, ...] = (0,)
    backbone: str | None = None


@dataclass(frozen=True)
class Run:
    """One system with one seed.

    Attributes:
        system: Its name.
        seed: None if nothing is trained.
        benchmarks: The benchmarks to evaluate on.
        model: The model to evaluate: a name, or the folder of the last stage's model, possibly with a prefix.
        stages: The folder and the recipe of each stage.
        noted: The model and recipes as recorded in the results, without local paths.
    """

    system: str
    seed: int | None
    benchmarks: tuple[str, ...]
    model: str
    stages: tuple[tuple[Path, Recipe], ...]
    noted: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of its files."""
        return self.system if self.seed is None else f"{self.system}-seed-{self.seed}"


def load_study(path: str | Path) -> Study:
    """Read a study; an unknown key is an error."""
    try:
        study = msgspec.convert(tomllib.loads(Path(path).read_text(encoding="utf-8")), Study)
    except (msgspec.ValidationError, tomllib.TOMLDecodeError) as error:
        known = "; ".join(
            f"a {kind.__name__.lower()} has {', '.join(kind.__struct_fields__)}" for kind in (Study, System, Stage)
        )
        raise StudyError(f"{path}: {error}. {known}") from error
    for system in study.systems:
        _check(system, study)
    return study


def plan_study(
    path: str | Path,
    out: Path,
    backbone: str | None = None,
    seeds: Sequence[int] = (),
    only: Collection[str] = (),
) -> list[Run]:
    """Return the runs of a study, in order; all recipes are read first, to report mistakes before hours of training.

    Args:
        path: The study file.
        out: The output folder.
        backbone: Replaces the study's backbone, for example with a local folder on a machine without network access.
        seeds: Replaces the study's seeds.
        only: The systems to run; empty runs all.
    """
    study = load_study(path)
    names = [system.name for system in study.systems]
    if unknown := sorted(set(only) - set(names)):
        raise StudyError(f"{path} has no system {unknown[0]!r}; it has {', '.join(names)}")
    backbone = backbone or study.backbone
    runs = [
        _run(system, seed, study, Path(path).parent, out.resolve(), backbone)
        for system in study.systems
        if not only or system.name in only
        for seed in ((seeds or system.seeds or study.seeds) if system.stages else (None,))
    ]
    name, times = Counter(run.name for run in runs).most_common(1)[0]
    if times > 1:
        raise StudyError(f"{times} runs of {path} are called {name!r}: system name plus seed must be unique")
    return runs


def _check(system: System, study: Study) -> None:
    if (system.model is None) == (not system.stages):
        raise StudyError(f"system {system.name!r} needs either a model or stages to train one")
    if system.rewritten and not system.stages:
        raise StudyError(f"rewritten is for a system with stages: {system.name!r} needs model = '{REWRITTEN}NAME'")
    if system.name != Path(system.name).name or not system.name:
        raise StudyError(f"system {system.name!r} cannot be used as a folder name: remove the slashes")
    for benchmark in _benchmarks(system, study):
        if benchmark not in BENCHMARKS:
            raise StudyError(f"no benchmark {benchmark!r}; choose from {', '.join(BENCHMARKS)}")
    for (number, stage), key in product(enumerate(system.stages), ("seed", "model.start")):
        if key in stage.set and (key == "seed" or number):
            why = "seeds come from the study" if key == "seed" else "it starts from the previous stage's model"
            raise StudyError(f"stage {number + 1} of {system.name!r} must not set {key}: {why}")


def _benchmarks(system: System, study: Study) -> tuple[str, ...]:
    return study.benchmarks if system.benchmarks is None else system.benchmarks


def _run(system: System, seed: int | None, study: Study, folder: Path, out: Path, backbone: str | None) -> Run:
    benchmarks = _benchmarks(system, study)
    if seed is None:
        assert system.model is not None
        if BACKBONE in system.model and backbone is None:
            raise StudyError(f"{system.name!r} uses {BACKBONE}: set a backbone in the study, or pass --backbone")
        model = system.model.replace(BACKBONE, backbone or "")
        return Run(system.name, None, benchmarks, model, (), {"model": system_title(model), "recipes": []})
    stages: list[tuple[Path, Recipe]] = []
    noted = []
    start = {"model.start": backbone} if backbone else {}
    for number, stage in enumerate(system.stages, start=1):
        recipe = load_recipe(folder / stage.recipe, start | stage.set | {"seed": seed})
        as_dict = json.loads(json.dumps(recipe.as_dict()))  # as it will be read back
        before = stages[-1][0].relative_to(out) / MODEL if stages else title_of(recipe.model.start)
        noted.append(as_dict | {"model": as_dict["model"] | {"start": str(before)}})
        # Systems with the same first stages share them, so a stage's identity includes the stages before it.
        digest = hashlib.blake2b(json.dumps(noted[-1], sort_keys=True).encode(), digest_size=4).hexdigest()
        stages.append((out / "trained" / f"{number}-{Path(stage.recipe).stem}-seed-{seed}-{digest}", recipe))
        start = {"model.start": str(stages[-1][0] / MODEL)}
    model = start["model.start"]
    if system.rewritten:
        if any(recipe.model.boolean for _, recipe in stages):
            raise StudyError(f"{system.name!r} rewrites queries for a plain model: set model.boolean = false")
        if any(recipe.training.gates == "words" for _, recipe in stages):
            raise StudyError(f"{system.name!r} cannot rewrite queries that start with operator words: set other gates")
        model = REWRITTEN + model
    return Run(
        system.name,
        seed,
        benchmarks,
        model,
        tuple(stages),
        {"model": REWRITTEN if system.rewritten else None, "recipes": noted},
    )

"""The file of a study -> the runs it asks for."""

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

from boolattn.encoders.storage.model_names import title_of
from boolattn.evaluation.benchmarks import BENCHMARKS
from boolattn.training.recipes import Recipe, load_recipe
from boolattn.training.train import MODEL

BACKBONE = "{backbone}"  # in the model of a system: the study's backbone


class StudyError(ValueError):
    """A study that cannot be meant, or that is at odds with what was run before."""


class Stage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One training run of a system: a recipe, found from the study's folder, and changes to it."""

    recipe: str
    set: dict[str, Any] = {}


class System(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is compared.

    Attributes:
        name: In tables and in the names of files.
        model: What ``boolattn evaluate --model`` takes, where there is nothing to train.
        stages: Otherwise how it is trained: each stage starts from the model of the one before.
        benchmarks: In place of the study's.
        seeds: Likewise.
    """

    name: str
    model: str | None = None
    stages: tuple[Stage, ...] = ()
    benchmarks: tuple[str, ...] | None = None
    seeds: tuple[int, ...] | None = None


class Study(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file.

    Attributes:
        systems: What is compared, in the order of the tables.
        benchmarks: What each is measured on.
        seeds: Each system that is trained, is with each of these.
        backbone: Where every first stage starts, unless its ``set`` has a ``model.start``, and what ``{backbone}``
            stands for in a system's ``model``. None leaves the recipes' own starts.
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
        seed: None where nothing is trained.
        benchmarks: What it is measured on.
        model: What is measured: a name, or the folder of the last stage's model.
        stages: The folder and the recipe of each stage.
        noted: What the results say of model and recipes, free of where they lie on this machine.
    """

    system: str
    seed: int | None
    benchmarks: tuple[str, ...]
    model: str
    stages: tuple[tuple[Path, Recipe], ...]
    noted: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What its files are called."""
        return self.system if self.seed is None else f"{self.system}-seed-{self.seed}"


def load_study(path: str | Path) -> Study:
    """Read a study; a key nobody knows is an error, never ignored."""
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
    """Return the runs of a study, in its order; all recipes are read, so that a mistake shows before hours of training.

    Args:
        path: The study.
        out: Where everything goes.
        backbone: In place of the study's, such as a folder on a machine without network.
        seeds: In place of the study's.
        only: The systems to run; none are all.
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
        raise StudyError(f"{times} runs of {path} are called {name!r}: no two may share a system's name and a seed")
    return runs


def _check(system: System, study: Study) -> None:
    if (system.model is None) == (not system.stages):
        raise StudyError(f"system {system.name!r} needs a model, or stages to train one: one of the two")
    if system.name != Path(system.name).name or not system.name:
        raise StudyError(f"system {system.name!r} cannot give its name to a folder: leave out slashes")
    for benchmark in system.benchmarks or study.benchmarks:
        if benchmark not in BENCHMARKS:
            raise StudyError(f"no benchmark {benchmark!r}; there are {', '.join(BENCHMARKS)}")
    for (number, stage), key in product(enumerate(system.stages), ("seed", "model.start")):
        if key in stage.set and (key == "seed" or number):
            whose = "the seeds are the study's" if key == "seed" else "it starts from the model of the stage before"
            raise StudyError(f"stage {number + 1} of {system.name!r} must not set {key}: {whose}")


def _run(system: System, seed: int | None, study: Study, folder: Path, out: Path, backbone: str | None) -> Run:
    benchmarks = system.benchmarks or study.benchmarks
    if seed is None:
        assert system.model is not None
        if BACKBONE in system.model and backbone is None:
            raise StudyError(f"{system.name!r} is made of {BACKBONE}: give the study a backbone, or --backbone")
        model = system.model.replace(BACKBONE, backbone or "")
        return Run(system.name, None, benchmarks, model, (), {"model": title_of(model), "recipes": []})
    stages: list[tuple[Path, Recipe]] = []
    noted = []
    start = {"model.start": backbone} if backbone else {}
    for number, stage in enumerate(system.stages, start=1):
        recipe = load_recipe(folder / stage.recipe, start | stage.set | {"seed": seed})
        as_dict = json.loads(json.dumps(recipe.as_dict()))  # as it will be read again
        before = stages[-1][0].relative_to(out) / MODEL if stages else title_of(recipe.model.start)
        noted.append(as_dict | {"model": as_dict["model"] | {"start": str(before)}})
        # Systems that begin with the same stages share them; the one before is part of what tells a stage.
        told = hashlib.blake2b(json.dumps(noted[-1], sort_keys=True).encode(), digest_size=4).hexdigest()
        stages.append((out / "trained" / f"{number}-{Path(stage.recipe).stem}-seed-{seed}-{told}", recipe))
        start = {"model.start": str(stages[-1][0] / MODEL)}
    return Run(system.name, seed, benchmarks, start["model.start"], tuple(stages), {"model": None, "recipes": noted})

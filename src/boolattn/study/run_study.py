"""Running a study: train what is to be trained, measure, write; what was done before is not done again."""

import dataclasses
import gc
import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch

from boolattn.data.folder import DataFolder
from boolattn.encoders.encodings.registry import ENCODINGS
from boolattn.evaluation.benchmarks import load_benchmark
from boolattn.evaluation.evaluate import evaluate
from boolattn.evaluation.systems import load_system
from boolattn.evaluation.tasks import RetrievalTask, Task, WrongSystemError
from boolattn.study.plan import Run, StudyError
from boolattn.study.results import Measured, Result, result_file
from boolattn.training.provenance import Provenance
from boolattn.training.recipes import Recipe
from boolattn.training.train import RESULTS, finetune, pretrain

Tell = Callable[[str], None]
STAGES: dict[str, Callable[[Recipe, DataFolder, Path], Path]] = {"pretrain": pretrain, "finetune": finetune}
_SAID_OF_A_STAGE = ("commit", "versions", "finished", "seconds", "steps", "best")


def run_study(runs: Sequence[Run], data: DataFolder, out: Path, tell: Tell) -> None:
    """Do the runs one after another.

    Args:
        runs: From ``plan_study``.
        data: Where training data and benchmarks lie.
        out: The same as was given to ``plan_study``.
        tell: Is told what is being done.
    """
    begun = [_begun(run, out) for run in runs]  # all of them first: a changed recipe shows before hours of training
    load = cache(lambda name: load_benchmark(name, data))
    for number, (run, result) in enumerate(zip(runs, begun, strict=True), start=1):
        missing = [name for name in run.benchmarks if name not in {*result.benchmarks, *result.left_out}]
        tell(f"run {number} of {len(runs)}: {run.name}{'' if missing else ', done before'}")
        if missing:
            tasks = {name: load(name) for name in missing}  # before the training, for data that is not there
            trained = dataclasses.replace(result, stages=_train(run, data, tell))
            _measure(run, trained, tasks, result_file(out, run.name), tell)
        gc.collect()  # a trainer and its model refer to each other, and would both stay in memory
        torch.cuda.empty_cache()


def _begun(run: Run, out: Path) -> Result:
    """Return what there is of a run."""
    path = result_file(out, run.name)
    if not path.exists():
        return Result(system=run.system, seed=run.seed, **run.noted)
    result = Result.read(path)
    if {"model": result.model, "recipes": result.recipes} != run.noted:
        raise StudyError(f"{path} was made with another model or other recipes: give another --out, or delete it")
    return result


def _train(run: Run, data: DataFolder, tell: Tell) -> list[dict[str, Any]]:
    """Train all stages, of which finished ones are left as they are, and return what is to be said of each."""
    said = []
    for folder, recipe in run.stages:
        tell(f"{run.name}: training {folder.name}")
        STAGES[recipe.stage](recipe, data, folder)
        results = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
        said.append({"folder": folder.name} | {name: results[name] for name in _SAID_OF_A_STAGE})
    return said


def _measure(run: Run, result: Result, tasks: Mapping[str, Task], path: Path, tell: Tell) -> None:
    """Measure on each benchmark, writing after each."""
    system = load_system(run.model)
    system.name = run.system
    for name, task in tasks.items():
        tell(f"{run.name}: measuring {name}")
        started = time.time()
        try:
            outcome = evaluate(_as_in_training(task, run), system)
        except WrongSystemError as error:
            result = dataclasses.replace(result, left_out=result.left_out | {name: str(error)})
        else:
            measured = Measured.of(task, outcome, run.seed, Provenance.since(started))
            result = dataclasses.replace(result, benchmarks=result.benchmarks | {name: measured})
        result.write(path)


def _as_in_training(task: Task, run: Run) -> Task:
    """Let queries tell their operators to a mechanism that learned with given gates; any other finds out by itself."""
    given = [recipe for _, recipe in run.stages[-1:] if recipe.training.gates == "given"]
    mechanism = any(ENCODINGS[recipe.model.encoding].reads for _, recipe in run.stages[:1])
    return task.with_given_operators() if given and mechanism and isinstance(task, RetrievalTask) else task

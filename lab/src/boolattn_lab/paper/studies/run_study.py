"""Run a study: train, evaluate, write results; finished work is not repeated."""

import dataclasses
import gc
import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch

from boolattn.backbones.encodings.registry import ENCODINGS
from boolattn_lab.benchmarks.evaluate import evaluate
from boolattn_lab.benchmarks.sets import load_benchmark
from boolattn_lab.benchmarks.systems import load_system
from boolattn_lab.benchmarks.tasks import PairTask, RetrievalTask, Task, WrongSystemError
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.paper.provenance import Provenance
from boolattn_lab.paper.recipes import Recipe
from boolattn_lab.paper.studies.plan import Run, StudyError
from boolattn_lab.paper.studies.results import Measured, Result, result_file
from boolattn_lab.paper.train import MODEL, RESULTS, finetune, pretrain

Tell = Callable[[str], None]
STAGES: dict[str, Callable[[Recipe, DataFolder, Path], Path]] = {"pretrain": pretrain, "finetune": finetune}
_STAGE_RECORD = ("commit", "versions", "finished", "seconds", "steps", "precision", "cost", "best")


def run_study(runs: Sequence[Run], data: DataFolder, out: Path, tell: Tell) -> None:
    """Run everything in order.

    Args:
        runs: From ``plan_study``.
        data: Folder with training and benchmark data.
        out: The output folder, as given to ``plan_study``.
        tell: Called with progress messages.
    """
    existing = [_existing(run, out) for run in runs]  # all first: a changed recipe must show before training
    for run, result in zip(runs, existing, strict=True):
        if _due(run, result):
            _refuse_second_training(run, out)
    load = cache(lambda name: load_benchmark(name, data))
    for number, (run, result) in enumerate(zip(runs, existing, strict=True), start=1):
        due = _due(run, result)
        tell(f"run {number} of {len(runs)}: {run.name}{'' if due else ', already done'}")
        if due:
            tasks, left_out = _tasks(run, _missing(run, result), load)  # before training, to report missing data early
            for name, reason in left_out.items():
                tell(f"{run.name}: skipping {name}: {reason}")
            result = dataclasses.replace(result, left_out=result.left_out | left_out)
            trained = dataclasses.replace(result, stages=_train(run, data, tell))
            _measure(run, trained, tasks, result_file(out, run.name), tell)
        gc.collect()  # a trainer and its model form a reference cycle
        torch.cuda.empty_cache()


def _existing(run: Run, out: Path) -> Result:
    """Return the existing results of a run, or empty ones."""
    path = result_file(out, run.name)
    if not path.exists():
        return Result(system=run.system, seed=run.seed, **run.noted)
    result = Result.read(path)
    if {"model": result.model, "recipes": result.recipes} != run.noted:
        raise StudyError(f"{path} was made with another model or other recipes: use another --out, or delete it")
    return result


def _due(run: Run, result: Result) -> bool:
    """Whether a run is unfinished; one without benchmarks only trains."""
    return bool(_missing(run, result) or (run.stages and not result.stages))


def _refuse_second_training(run: Run, out: Path) -> None:
    """Refuse a run if a stage has results, its own or another system's, but is no longer the model that gave them.

    Otherwise one file, or two systems that share a stage, would mix the results of two trainings without saying so.
    """
    folders = {folder.name: folder for folder, _ in run.stages}
    for path in sorted((out / "results").glob("*.json")):
        for stage in Result.read(path).stages:
            folder = folders.get(stage["folder"])
            if folder is not None and stage != _stage_record(folder):
                raise StudyError(
                    f"{run.name} needs the model in {folder}, which gave the results in {path} but has since been "
                    f"deleted or trained again: use another --out, delete {path.name}, or use --only to run other "
                    "systems"
                )


def _stage_record(folder: Path) -> dict[str, Any] | None:
    """Return what a result file records of a finished stage; None if it is unfinished or its model was deleted."""
    if not (folder / RESULTS).exists() or not (folder / MODEL).exists():
        return None
    results = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    return {"folder": folder.name} | {name: results.get(name) for name in _STAGE_RECORD}


def _missing(run: Run, result: Result) -> list[str]:
    """Return the benchmarks that have neither been run nor skipped."""
    return [name for name in run.benchmarks if name not in {*result.benchmarks, *result.left_out}]


def _train(run: Run, data: DataFolder, tell: Tell) -> list[dict[str, Any]]:
    """Train all unfinished stages, and return a record of each stage."""
    records = []
    for folder, recipe in run.stages:
        tell(f"{run.name}: training {folder.name}")
        STAGES[recipe.stage](recipe, data, folder)
        record = _stage_record(folder)
        assert record is not None
        if (best := record["best"]["value"]) is not None:
            tell(f"{run.name}: best {recipe.training.keep_best_by} on validation queries: {best:.4f}")
        records.append(record)
    return records


def _measure(run: Run, result: Result, tasks: Mapping[str, Task], path: Path, tell: Tell) -> None:
    """Evaluate on each benchmark, and write the results after each."""
    result.write(path)
    if not tasks:
        return
    system = load_system(run.model)
    system.name = run.system
    for name, task in tasks.items():
        tell(f"{run.name}: evaluating {name}")
        started = time.time()
        try:
            outcome = evaluate(task, system)
        except WrongSystemError as error:
            result = dataclasses.replace(result, left_out=result.left_out | {name: str(error)})
        else:
            measured = Measured.of(task, outcome, run.seed, Provenance.since(started))
            result = dataclasses.replace(result, benchmarks=result.benchmarks | {name: measured})
        result.write(path)


def _tasks(run: Run, names: Sequence[str], load: Callable[[str], Task]) -> tuple[dict[str, Task], dict[str, str]]:
    """Return the benchmarks that a run can be evaluated on, and for each of the others the reason why not."""
    tasks, left_out = {}, {}
    for name in names:
        try:
            tasks[name] = _as_in_training(load(name), run)
        except WrongSystemError as error:
            left_out[name] = str(error)
    return tasks, left_out


def _as_in_training(task: Task, run: Run) -> Task:
    """Return the task with the same query labels as in training: operators, operators and scopes, or none."""
    if not run.stages:
        return task
    first, training = run.stages[0][1], run.stages[-1][1].training
    mechanism = first.model.boolean and ENCODINGS[first.model.encoding].reads
    if training.gates == "learned" or (training.gates == "given" and not mechanism):
        return task
    if isinstance(task, PairTask):
        raise WrongSystemError(f"the operators of {task.name}'s queries are not labelled: use a learned gate")
    if not isinstance(task, RetrievalTask):
        return task
    if training.gates == "words":
        return task.with_operator_words()
    return task.with_given_operators(scopes=training.scopes == "given")

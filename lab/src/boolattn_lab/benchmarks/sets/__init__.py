"""The benchmarks by name: each is a function from a data folder to a task."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from boolattn_lab.benchmarks.sets import comlq, esci_150, generated, pairs, public, quest, recipes
from boolattn_lab.benchmarks.sets.exclusions import READER_BENCHMARKS
from boolattn_lab.benchmarks.tasks import ExclusionTask, Task
from boolattn_lab.formats.folder import DataFolder

AnyTask = TypeVar("AnyTask")

BENCHMARKS: dict[str, Callable[[DataFolder], Task]] = {
    "films": generated.films,
    "films-pairs": generated.films_pairs,
    "debian": generated.debian,
    "films-unusual": generated.films_unseen,
    "debian-unusual": generated.debian_unseen,
    "recipes-not": recipes.excluding,
    "recipes-and": recipes.joining,
    "recipes-or": recipes.either,
    "recipes-mix": recipes.mixing,
    "quest-partial": quest.partial,
    "quest-partial-quarter": quest.quarter,
    "quest-gate": quest.gate,
    "quest-reading": quest.reading,
    "films-reading": generated.films_reading,
    "debian-reading": generated.debian_reading,
    "quest": quest.whole,
    "negconstraint": public.negconstraint,
    "limit-small": public.limit_small,
    "boolquestions": public.boolquestions,
    "comlq": comlq.whole,
    "comlq-test-half": comlq.test_half,
    "comlq-validation-half": comlq.validation_half,
    "stackfaq": public.stackfaq,
    "nevir": pairs.nevir,
    "excluir": pairs.excluir,
    "excluir-pairs": pairs.excluir_pairs,
    "boolquestions-not": pairs.boolquestions_not,
    "cdsco": public.cdsco,
    "esci-150": lambda data: esci_150.task(),
}


class UnknownBenchmarkError(ValueError):
    """There is no benchmark with that name."""


def load_benchmark(name: str, data: DataFolder) -> Task:
    """Load a benchmark for models from a data folder."""
    return _load(name, data, BENCHMARKS)


def load_reader_benchmark(name: str, data: DataFolder) -> ExclusionTask:
    """Load a benchmark for readers from a data folder."""
    return _load(name, data, READER_BENCHMARKS)


def _load(name: str, data: DataFolder, benchmarks: Mapping[str, Callable[[DataFolder], AnyTask]]) -> AnyTask:
    if name not in benchmarks:
        known = ", ".join([*BENCHMARKS, *READER_BENCHMARKS])
        raise UnknownBenchmarkError(f"no benchmark {name!r}; choose from {known}")
    try:
        return benchmarks[name](data)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"{name} needs {error.filename or error}: see lab/docs/benchmarks.md for the layout of the data folder"
        ) from error

"""The latency of BoolAttn: an encoder with and without it, called alternately in one process."""

import copy
import dataclasses
import random
import statistics
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar, cast

import torch
from sentence_transformers import SentenceTransformerTrainer
from torch import Tensor
from transformers import AutoModel, BertConfig, PreTrainedModel

from boolattn.attention import BoolAttnConfig
from boolattn.backbones.attach.plugin import attach
from boolattn_lab.paper.recipes import Recipe, RecipeError
from boolattn_lab.paper.sources import TrainingData
from boolattn_lab.paper.train import make_trainer

VARIANTS = {"paper": BoolAttnConfig(), "light": BoolAttnConfig.light()}
SHAPES = ((1, 16), (1, 64), (32, 16), (32, 64))  # batch, tokens
Name = TypeVar("Name", bound=Hashable)

WARM_UP_ROUNDS, FEWEST_ROUNDS = 3, 15


@dataclass(frozen=True, slots=True)
class Cell:
    """One input shape and one configuration to run it with."""

    attention: str
    compiled: bool
    batch: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Row:
    """A variant's time as a multiple of the bare encoder's: the ratio of the medians."""

    variant: str
    gates: str
    attention: str
    compiled: bool
    batch: int
    tokens: int
    threads: int
    ratio: float
    bare_ms: float


def cells(shapes: Sequence[tuple[int, int]] = SHAPES, compiled: bool = False) -> list[Cell]:
    """Return the cells to measure: each shape with both attention implementations, and compiled on request."""
    plain = [Cell(attention, False, *shape) for attention, shape in product(("sdpa", "eager"), shapes)]
    return plain + [Cell("sdpa", True, *shape) for shape in shapes if compiled]


def load(folder: str | None, attention: str) -> PreTrainedModel:
    """Load an encoder; without a folder, all-MiniLM-L6-v2's shape with random weights, which takes the same time."""
    if folder is not None:
        return cast(PreTrainedModel, AutoModel.from_pretrained(folder, attn_implementation=attention).eval())
    shape = BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536)
    return cast(PreTrainedModel, AutoModel.from_config(shape, attn_implementation=attention).eval())


def measure(cell: Cell, folder: str | None, seconds: float) -> Iterator[Row]:
    """Measure one cell for about the given time, with at least fifteen rounds."""
    torch.manual_seed(0)
    bare = load(folder, cell.attention)
    ids = torch.randint(5, bare.config.vocab_size, (cell.batch, cell.tokens))
    mask, gates = torch.ones_like(ids), torch.ones(cell.batch, len(BoolAttnConfig().operators))
    prepare: Callable[[PreTrainedModel], Callable[..., Tensor]] = _compile if cell.compiled else _as_it_is

    calls: dict[tuple[str, str], Callable[[], Tensor]] = {}
    plain = prepare(bare)
    calls["bare", ""] = lambda: plain(ids, mask)
    for variant, config in VARIANTS.items():
        # All share the same weights in memory, so that CPU caches favour none.
        shared = {id(weight): weight for weight in bare.parameters()}
        attached = prepare(attach(copy.deepcopy(bare, shared), config))
        calls[variant, "open"] = lambda attached=attached: attached(ids, mask, operators=gates)  # type: ignore[misc]
        if not cell.compiled:  # a compiled graph has no branch: its gates are always computed
            zeros = torch.zeros_like(gates)
            calls[variant, "closed"] = lambda attached=attached, zeros=zeros: attached(ids, mask, operators=zeros)  # type: ignore[misc]

    medians = medians_of(calls, seconds)
    bare_time = medians.pop(("bare", ""))
    for (variant, state), median in medians.items():
        yield Row(
            variant,
            state,
            cell.attention,
            cell.compiled,
            cell.batch,
            cell.tokens,
            torch.get_num_threads(),
            ratio=median / bare_time,
            bare_ms=bare_time * 1e3,
        )


def _as_it_is(model: PreTrainedModel) -> Callable[..., Tensor]:
    return model


def _compile(model: PreTrainedModel) -> Callable[..., Tensor]:
    torch.compiler.reset()
    compiled: Callable[..., Tensor] = torch.compile(model, fullgraph=True, dynamic=False)
    return compiled


@torch.inference_mode()
def medians_of(calls: Mapping[Name, Callable[[], object]], seconds: float) -> dict[Name, float]:
    """Call all functions in turn, in a new order each round, so that other load on the machine affects all equally."""
    order, shuffle = list(calls), random.Random(0).shuffle
    times: dict[Name, list[float]] = {name: [] for name in calls}
    for _ in range(WARM_UP_ROUNDS):
        for call in calls.values():
            call()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[order[0]]) < FEWEST_ROUNDS:
        shuffle(order)
        for name in order:
            start = time.perf_counter()
            calls[name]()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(each) for name, each in times.items()}


def step_time_ratio(recipe: Recipe, data: TrainingData, seconds: float) -> float:
    """Return the time of a training step with BoolAttn divided by that of the same step without it.

    A step is the recipe's: forward, backward and optimiser on one batch that is already tokenised. The recipe must
    start from a plain model, which both share, and train all of it: a frozen backbone would leave nothing to compare.
    """
    if recipe.training.learns != "full":
        raise RecipeError(
            f"[training] learns = {recipe.training.learns!r} would train different weights in the two models: to "
            f"compare their step times, use --set training.learns=full"
        )
    with TemporaryDirectory() as folder:
        steps = {
            boolean: _step(make_trainer(_with_boolean(recipe, boolean), data, Path(folder)))
            for boolean in (True, False)
        }
        medians = medians_of(steps, seconds)
    return medians[True] / medians[False]


def _with_boolean(recipe: Recipe, boolean: bool) -> Recipe:
    return dataclasses.replace(recipe, model=dataclasses.replace(recipe.model, boolean=boolean))


def _step(trainer: SentenceTransformerTrainer) -> Callable[[], None]:
    optimizer = trainer.create_optimizer()
    batch = next(iter(trainer.get_train_dataloader()))
    trainer.model.train()

    def step() -> None:
        # The timer runs without gradients; training needs them.
        with torch.inference_mode(False), torch.enable_grad():
            with trainer.accelerator.autocast():
                loss = trainer.compute_loss(trainer.model, dict(batch))
            assert isinstance(loss, Tensor)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()

    return step

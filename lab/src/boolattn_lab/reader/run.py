"""Train a network from a reader recipe, with the transformers trainer; resumable."""

import dataclasses
import json
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.utils.data import Dataset, SequentialSampler
from transformers import AutoTokenizer, Trainer, TrainingArguments

from boolattn.reading.learned import Calibration, Calibrations, LearnedReader, ReaderCard, prepare
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.paper.precision import computes_bf16
from boolattn_lab.paper.provenance import commit, versions
from boolattn_lab.paper.recipes import RecipeError
from boolattn_lab.paper.train import last_checkpoint
from boolattn_lab.reader.export import agreement, export_reader, write_card
from boolattn_lab.reader.network import ReaderNetwork, reader_loss
from boolattn_lab.reader.recipe import ReaderRecipe
from boolattn_lab.reader.rows import ReaderRow, batches_of, fold_of, tensors_of, with_noise
from boolattn_lab.reader.sources import HELD_OUT, SOURCES

WEIGHTS_FILE, RECIPE_FILE = "reader.safetensors", "recipe.json"
WARMUP_STEPS, SAVE_STEPS = 100, 200
INITIAL_WEIGHTS = 0  # the same for every seed: only networks with a common start can be averaged


def train_reader(recipe: ReaderRecipe, data: DataFolder, out: Path, hold_out: int | None = None) -> ReaderNetwork:
    """Train one network per seed, or resume; return the mean of their weights.

    Args:
        recipe: How to train.
        data: The folder with the sources.
        out: Output folder for checkpoints and weights, with a subfolder per seed.
        hold_out: A fold of the sources in ``HELD_OUT`` to exclude from training, for evaluation.
    """
    folders = {seed: out / f"seed-{seed}" for seed in recipe.seeds}
    for seed, folder in folders.items():
        _claim(folder, recipe, seed, hold_out)
        if not (folder / WEIGHTS_FILE).exists():
            _train(recipe, seed, data, folder, hold_out)
    return mean_network(recipe, [folder / WEIGHTS_FILE for folder in folders.values()])


def mean_network(recipe: ReaderRecipe, weights: Sequence[Path]) -> ReaderNetwork:
    """Return a network with the mean weights of several that were trained from the same start."""
    found = [load_file(path) for path in weights]
    # A new network: the trainer leaves its own wrapped for half precision.
    network = ReaderNetwork.begin(recipe.encoder_path, recipe.layers)
    network.load_state_dict({name: torch.stack([each[name] for each in found]).mean(dim=0) for name in found[0]})
    return network.eval()


def _train(recipe: ReaderRecipe, seed: int, data: DataFolder, out: Path, hold_out: int | None) -> None:
    torch.manual_seed(INITIAL_WEIGHTS)
    network = ReaderNetwork.begin(recipe.encoder_path, recipe.layers)
    batches = _draw(recipe, seed, _rows(recipe, data, hold_out))
    trainer = _ReaderTrainer(
        model=network,
        args=_arguments(seed, out),
        train_dataset=_Batches(batches, tokenizer_of(recipe)),
        data_collator=lambda items: items[0],
        optimizers=(_optimizer(network, recipe), None),
    )
    checkpoint, started = last_checkpoint(out), time.time()
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    save_file(network.state_dict(), out / f"{WEIGHTS_FILE}.part")
    (out / f"{WEIGHTS_FILE}.part").rename(out / WEIGHTS_FILE)  # atomic
    finished = {"finished": datetime.now(UTC).isoformat(timespec="seconds"), "seconds": round(time.time() - started, 1)}
    (out / "results.json").write_text(json.dumps(finished | {"log": trainer.state.log_history}, indent=2) + "\n")


def tokenizer_of(recipe: ReaderRecipe) -> Tokenizer:
    """Return the tokenizer of the pretrained encoder, configured for the reader."""
    return prepare(AutoTokenizer.from_pretrained(recipe.encoder_path).backend_tokenizer)


def _rows(recipe: ReaderRecipe, data: DataFolder, hold_out: int | None) -> dict[str, list[ReaderRow]]:
    if unknown := sorted(set(recipe.sources) - set(SOURCES)):
        raise RecipeError(f"[sources] has no {', '.join(unknown)}; choose from {', '.join(SOURCES)}")
    found = {}
    for name in recipe.sources:
        rows = SOURCES[name](data)
        found[name] = [row for row in rows if name not in HELD_OUT or fold_of(row.query) != hold_out]
    return found


def _draw(recipe: ReaderRecipe, seed: int, rows: Mapping[str, Sequence[ReaderRow]]) -> list[list[ReaderRow]]:
    """Draw the batches of all epochs in advance, so that a resumed run sees the same batches."""
    rng, found = Random(seed), []
    for _ in range(recipe.epochs):
        epoch: list[ReaderRow] = []
        for name, times in recipe.sources.items():
            whole = int(times)
            epoch += [*rows[name]] * whole + rng.sample(list(rows[name]), round((times - whole) * len(rows[name])))
        found += batches_of([with_noise(row, rng) for row in epoch], recipe.batch_size, rng)
    return found


def _optimizer(network: ReaderNetwork, recipe: ReaderRecipe) -> torch.optim.Optimizer:
    encoder = [weight for weight in network.encoder.parameters() if weight.requires_grad]
    heads = [*network.of_query.parameters(), *network.of_tokens.parameters()]
    groups = [{"params": encoder, "lr": recipe.learning_rate}, {"params": heads, "lr": recipe.head_learning_rate}]
    return torch.optim.AdamW(groups, weight_decay=0.01, fused=True)


def _arguments(seed: int, out: Path) -> TrainingArguments:
    return TrainingArguments(
        output_dir=str(out),
        per_device_train_batch_size=1,  # one prepared batch
        num_train_epochs=1,
        lr_scheduler_type="linear",
        warmup_steps=WARMUP_STEPS,
        max_grad_norm=1.0,
        bf16=computes_bf16(),
        use_cpu=not torch.accelerator.is_available(),
        seed=seed,
        save_steps=SAVE_STEPS,
        save_total_limit=1,
        logging_steps=50,
        report_to=[],
        remove_unused_columns=False,
        dataloader_pin_memory=False,
    )


class _Batches(Dataset[dict[str, Tensor]]):
    """Prepared batches, converted to tensors when needed."""

    def __init__(self, batches: Sequence[Sequence[ReaderRow]], tokenizer: Tokenizer) -> None:
        self.batches, self.tokenizer = batches, tokenizer

    def __len__(self) -> int:
        return len(self.batches)

    def __getitem__(self, place: int) -> dict[str, Tensor]:
        return tensors_of(self.tokenizer, self.batches[place])


class _ReaderTrainer(Trainer):
    def compute_loss(self, model: Any, inputs: dict[str, Tensor], *args: Any, **kwargs: Any) -> Any:
        of_query, of_tokens = model(inputs["ids"], inputs["types"], inputs["mask"])
        return reader_loss(of_query, of_tokens, inputs)

    def _get_train_sampler(self, *args: Any) -> Any:
        return SequentialSampler(self.train_dataset)  # type: ignore[arg-type]


def _claim(out: Path, recipe: ReaderRecipe, seed: int, hold_out: int | None) -> None:
    """Record the folder's recipe; refuse the folder for any other recipe."""
    settings = recipe.as_dict() | {"seeds": [seed]}
    del settings["thresholds"]  # placed after training
    noted = json.dumps({"recipe": settings, "hold_out": hold_out}, indent=2) + "\n"
    path = out / RECIPE_FILE
    if path.exists() and path.read_text(encoding="utf-8") != noted:
        raise RecipeError(f"{out} contains a run of another recipe ({path}): use another folder, or delete this one")
    out.mkdir(parents=True, exist_ok=True)
    path.write_text(noted, encoding="utf-8")


def write_reader(recipe: ReaderRecipe, data: DataFolder, out: Path, calibrations: Path | None = None) -> Path:
    """Train on all data, and write the reader to ``out/reader``.

    Args:
        recipe: How to train.
        data: The folder with the sources.
        out: The output folder.
        calibrations: From cross-validating the recipe.
    """
    network = train_reader(recipe, data, out)
    fitted = msgspec.json.decode(calibrations.read_bytes(), type=Calibrations) if calibrations else uncalibrated(recipe)
    return ship_reader(network, recipe, fitted, data, out / "reader")


def uncalibrated(recipe: ReaderRecipe) -> Calibrations:
    """Return calibrations that keep the network's outputs, with the recipe's thresholds."""
    return {documents: Calibration(thresholds=each) for documents, each in recipe.thresholds.items()}


def ship_reader(
    network: ReaderNetwork, recipe: ReaderRecipe, calibrations: Calibrations, data: DataFolder, folder: Path
) -> Path:
    """Write a reader with its full card: how it was trained, and how well 8-bit and full precision agree."""
    training = {
        "recipe": recipe.as_dict(),
        "trained": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "versions": versions(),
    }
    tokenizer = tokenizer_of(recipe)
    export_reader(network, tokenizer, ReaderCard(recipe.name, recipe.version, calibrations), folder)
    reader = LearnedReader.load(folder)
    compared = agreement(network, reader, tokenizer, [row.query for row in SOURCES["kinds"](data)])
    write_card(dataclasses.replace(reader.card, training=training | {"int8": compared._asdict()}), folder)
    return folder

"""The paper's two training stages. An interrupted run resumes from its last checkpoint; a finished one is kept.

Both stages write checkpoints, the model and ``results.json`` to ``out``, and return the model's folder. Load it with
``DualEncoder(folder)`` or, if the recipe trains a plain model, with sentence-transformers.
"""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from transformers import set_seed
from transformers.integrations.integration_utils import is_tensorboard_available

from boolattn.backbones.dual_encoder import as_boolean
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.paper.corpus import CorpusLoss, corpus_loss
from boolattn_lab.paper.cost import Cost
from boolattn_lab.paper.labels import pack
from boolattn_lab.paper.losses import BooleanLoss, RankingLoss, contrastive_loss, triplet_loss
from boolattn_lab.paper.models import build_model, freeze_parameters, limit_lengths, unlimit_lengths
from boolattn_lab.paper.precision import used_precision
from boolattn_lab.paper.provenance import commit, versions
from boolattn_lab.paper.recipes import Recipe, RecipeError
from boolattn_lab.paper.sampling import QUERIES, DrawAnew, Drawing
from boolattn_lab.paper.sources import TrainingData, load_training_data
from boolattn_lab.paper.validation import NAME, validation_of

MODEL, RESULTS, RECIPE, CHECKPOINTS = "model", "results.json", "recipe.json", "checkpoints"
_STATE = "trainer_state.json"  # the last file of a checkpoint


def train(recipe: Recipe, data: DataFolder, out: Path) -> Path:
    """Train, or resume from the last checkpoint of an interrupted run, and return the model's folder.

    Args:
        recipe: The recipe.
        data: The data folder.
        out: Output folder for checkpoints, the model and ``results.json``.
    """
    _require_own(out, recipe)
    if (out / RESULTS).exists():
        return out / MODEL
    started = time.time()
    trainer = make_trainer(recipe, load_training_data(data, recipe.data, recipe.seed), out / CHECKPOINTS)
    cost = Cost()
    trainer.add_callback(cost)
    if trainer.is_world_process_zero():  # not earlier: a run that fails while loading must not claim the folder
        _claim(out, recipe)
    checkpoint = last_checkpoint(out / CHECKPOINTS)
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    if trainer.is_world_process_zero():
        unlimit_lengths(trainer.model, recipe)
        trainer.model.save(str(out / MODEL))
        _write_results(out / RESULTS, recipe, trainer, cost, started, checkpoint)
    trainer.accelerator.wait_for_everyone()  # a process that exits early aborts the others
    trainer.accelerator.end_training()
    return out / MODEL


def make_trainer(recipe: Recipe, data: TrainingData, checkpoints: Path) -> SentenceTransformerTrainer:
    """Assemble model, data and losses."""
    set_seed(recipe.seed)
    model = build_model(recipe)
    freeze_parameters(model, recipe)
    settings = recipe.training
    corpus = _corpus_loss(recipe, model, data)  # before lengths are limited: documents are encoded as in an index
    limit_lengths(model, recipe)
    alone = recipe.losses.only_understanding or settings.candidates == "corpus"
    if settings.gates == "given" and as_boolean(model) is None:  # labels would only end up in its model card
        settings = replace(settings, gates="learned")
    drawing = Drawing(
        data.train,
        data.documents,
        settings,
        recipe.seed,
        label_rows(model, data, recipe.model.query_tokens),
        related=recipe.losses.logical,
        alone=alone,
    )
    # Before the losses: creating the arguments connects the processes of a distributed run.
    arguments = _arguments(recipe, drawing.columns, model, bool(data.validation), checkpoints)
    return SentenceTransformerTrainer(
        model=model,
        args=arguments,
        train_dataset=drawing.dataset(),
        loss=BooleanLoss(model, corpus or _batch_loss(recipe, model), recipe.losses),
        evaluator=validation_of(recipe, data) if data.validation else None,
        callbacks=[DrawAnew(drawing)],
    )


def _corpus_loss(recipe: Recipe, model: SentenceTransformer, data: TrainingData) -> CorpusLoss | None:
    settings, tokens = recipe.training, recipe.model.document_tokens
    if settings.candidates == "batch":
        return None
    return corpus_loss(model, data.train, data.documents, tokens, settings.scale, settings.excluded_counts)


def _batch_loss(recipe: Recipe, model: SentenceTransformer) -> RankingLoss:
    if recipe.stage == "pretrain":
        return triplet_loss(model, recipe.training.margin, recipe.training.distance)
    return contrastive_loss(model, recipe.training.scale, recipe.training.gather_negatives)


def label_rows(model: SentenceTransformer, data: TrainingData, query_tokens: int) -> list[list[int]]:
    """Label every training query, and its tokens if the model has BoolAttn."""
    boolean = as_boolean(model)
    if boolean is None:
        return [pack(example.question, (), (), 0) for example in data.train]
    if boolean.tower.tokenizer.padding_side != "right":
        raise RecipeError("token labels count from the left: load the model with a tokenizer that pads on the right")
    texts = [example.question.text for example in data.train]
    _, offsets = boolean.tower.with_offsets(texts, model.prompts.get("query") or "", task="query")
    operators = boolean.tower.operators
    return [
        pack(example.question, row, operators, query_tokens) for example, row in zip(data.train, offsets, strict=True)
    ]


def last_checkpoint(folder: Path) -> Path | None:
    """Return the last complete checkpoint."""
    whole = [path for path in folder.glob("checkpoint-*") if _is_whole(path / _STATE)]
    return max(whole, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


def _is_whole(state: Path) -> bool:
    try:
        json.loads(state.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return True


def _arguments(
    recipe: Recipe, columns: Sequence[str], model: SentenceTransformer, evaluates: bool, checkpoints: Path
) -> SentenceTransformerTrainingArguments:
    settings, devices = recipe.training, int(os.environ.get("WORLD_SIZE", "1"))
    precision = used_precision(settings.precision)
    if settings.batch_size % devices:
        raise RecipeError(f"a batch of {settings.batch_size} cannot be split evenly across {devices} devices")
    others = settings.triplet_route if recipe.stage == "pretrain" else "document"
    routes: dict[str, str] = {column: "query" if column in QUERIES else others for column in columns}
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(checkpoints),
        seed=recipe.seed,
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=settings.batch_size // devices,
        learning_rate=settings.learning_rate,
        weight_decay=settings.weight_decay,
        lr_scheduler_type=settings.schedule,
        use_cpu=not torch.accelerator.is_available(),  # must be explicit, or bf16 is refused
        bf16=precision == "bf16",
        fp16=precision == "fp16",
        eval_strategy="epoch" if evaluates else "no",
        save_strategy="epoch" if evaluates else "steps",
        save_steps=settings.checkpoint_steps,
        save_total_limit=2,
        load_best_model_at_end=evaluates,
        metric_for_best_model=f"eval_{NAME}_{model.similarity_fn_name}_{settings.keep_best_by}",
        greater_is_better=True,
        logging_steps=settings.log_steps,
        report_to=["tensorboard"] if is_tensorboard_available() else [],
        dataloader_pin_memory=torch.cuda.is_available(),
        router_mapping=routes,
        prompts={column: model.prompts.get(route) or "" for column, route in routes.items()},
        ddp_find_unused_parameters=False,  # a step is several forward calls; see BooleanLoss
    )
    if arguments.world_size != devices:
        raise RecipeError(
            f"training sees only {arguments.world_size} of {devices} processes: on CPUs, set ACCELERATE_USE_CPU=1"
        )
    if arguments.n_gpu > 1:
        raise RecipeError("several GPUs require one process each: start with `accelerate launch`, or use only one GPU")
    return arguments


def _noted(recipe: Recipe) -> str:
    return json.dumps(recipe.as_dict(), indent=2) + "\n"


def _require_own(out: Path, recipe: Recipe) -> None:
    """Refuse a folder with a run of another recipe, whose checkpoints would be mistaken for this run's."""
    noted = out / RECIPE
    if noted.exists() and noted.read_text(encoding="utf-8") != _noted(recipe):
        raise RecipeError(f"{out} contains a run of another recipe ({noted}): use another folder, or delete this one")


def _claim(out: Path, recipe: Recipe) -> None:
    """Record the folder's recipe."""
    _require_own(out, recipe)  # again: another run may have started while this one was loading
    out.mkdir(parents=True, exist_ok=True)
    (out / RECIPE).write_text(_noted(recipe), encoding="utf-8")


def _write_results(
    path: Path,
    recipe: Recipe,
    trainer: SentenceTransformerTrainer,
    cost: Cost,
    started: float,
    checkpoint: Path | None,
) -> None:
    results: dict[str, Any] = {
        "recipe": recipe.as_dict(),
        "seed": recipe.seed,
        "commit": commit(),
        "versions": versions(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(time.time() - started, 1),
        "resumed_from": checkpoint.name if checkpoint else None,
        "steps": trainer.state.global_step,
        "precision": used_precision(recipe.training.precision),
        "cost": cost.of(trainer.model),
        "best": {"step": trainer.state.best_global_step, "value": trainer.state.best_metric},
        "log": trainer.state.log_history,
    }
    path.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def pretrain(recipe: Recipe, data: DataFolder, out: str | Path) -> Path:
    """Appendix B: BoolAttn learns cues and gates, and gets "an okay initialization" of scopes and biases.

    L = L_cue + L_gate + 0.2 L_triplet in the paper's recipe.
    """
    return train(_of_stage(recipe, "pretrain"), data, Path(out))


def finetune(recipe: Recipe, data: DataFolder, out: str | Path) -> Path:
    """Appendix D: the model learns to place queries close to the documents that answer them.

    One positive, redrawn at every step, and random negatives per query; the best epoch is kept.
    """
    return train(_of_stage(recipe, "finetune"), data, Path(out))


def _of_stage(recipe: Recipe, stage: str) -> Recipe:
    if recipe.stage != stage:
        raise RecipeError(f"this recipe is for the stage {recipe.stage!r}: run boolattn-lab train {recipe.stage}")
    return recipe

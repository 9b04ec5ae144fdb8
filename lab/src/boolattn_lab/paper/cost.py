"""What a training run costs: parameters, memory and the time of a step."""

import statistics
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

_RESET, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")  # Linux


class Cost(TrainerCallback):
    """Measures a run from its first step; step times exclude validation and checkpoints."""

    def __init__(self) -> None:
        """Reset the peak memory of this process."""
        self._started, self._steps = 0.0, list[float]()
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()
        elif _RESET.exists():
            with suppress(OSError):  # if not permitted, the peak covers the whole process
                _RESET.write_text("5", encoding="utf-8")

    def on_step_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Start the clock."""
        self._started = time.perf_counter()

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Stop the clock."""
        self._steps.append(time.perf_counter() - self._started)

    def of(self, model: nn.Module) -> dict[str, float | None]:
        """Return the cost of training a model: parameters, median step time and peak memory of the process."""
        weights = list(model.parameters())
        return {
            "parameters": sum(weight.numel() for weight in weights),
            "trained_parameters": sum(weight.numel() for weight in weights if weight.requires_grad),
            "step_seconds": round(statistics.median(self._steps), 4) if self._steps else None,
            "peak_memory_mb": _peak_memory(),
        }


def _peak_memory() -> float | None:
    if torch.cuda.is_available():
        return round(torch.cuda.max_memory_allocated() / 1e6, 1)
    if not _STATUS.exists():
        return None
    lines = _STATUS.read_text(encoding="utf-8").splitlines()
    found = [line.split()[1] for line in lines if line.startswith("VmHWM:")]  # in KiB
    return round(int(found[0]) * 1024 / 1e6, 1) if found else None

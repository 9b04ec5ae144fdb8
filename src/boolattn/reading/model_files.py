"""The files of a model: their digests, to detect damage, and running a network of them."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def file_digest(path: Path) -> str:
    """Return the sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_digests(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the sha256 of those files that exist."""
    return {name: file_digest(folder / name) for name in names if (folder / name).is_file()}


def settings_digest(settings: Mapping[str, Any]) -> str:
    """Return the sha256 of settings as JSON, without their own ``checksum``."""
    values = {name: value for name, value in settings.items() if name != "checksum"}
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def onnx_session(path: Path, threads: int | None = None) -> Any:
    """Open a network.

    Args:
        path: The ONNX file.
        threads: By default ``OMP_NUM_THREADS``, or all cores.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # before the import, which starts telemetry
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or int(os.environ.get("OMP_NUM_THREADS", 0))
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

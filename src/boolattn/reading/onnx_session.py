"""Run an ONNX file with onnxruntime, which sends no telemetry unless the user turns it on."""

import os
from pathlib import Path
from typing import Any


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

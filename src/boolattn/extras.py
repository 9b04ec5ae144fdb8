"""Which extra provides a package that is not installed."""

import sys
from importlib.util import find_spec

# As in pyproject.toml, keyed by import name.
_EXTRAS = {
    "models": (
        "bm25s",
        "jinja2",
        "safetensors",
        "sentence_transformers",
        "torch",
        "transformers",
        "zstandard",
    ),
    "onnx": ("onnx", "onnxscript"),
    "openvino": ("openvino",),
    "serve": ("fastapi", "prometheus_client", "starlette", "uvicorn"),
}
_EXTRA_OF = {package: extra for extra, packages in _EXTRAS.items() for package in packages}


def is_installed(extra: str) -> bool:
    """Return whether all packages of an extra are installed; imports none of them."""
    return all(sys.modules.get(package) or find_spec(package) for package in _EXTRAS[extra])


def install_advice(what: str, error: ImportError) -> str | None:
    """Return what to install after a failed import; None if no extra provides the package.

    >>> install_advice("boolattn.load_encoder", ModuleNotFoundError("No module named 'torch'", name="torch"))
    "boolattn.load_encoder needs torch: pip install 'boolattn[models]'"
    """
    package = (error.name or "").partition(".")[0]
    extra = _EXTRA_OF.get(package) if isinstance(error, ModuleNotFoundError) else None
    return extra and f"{what} needs {package}: pip install 'boolattn[{extra}]'"

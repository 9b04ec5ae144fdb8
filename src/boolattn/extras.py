"""Which extra provides a package that is not installed."""

# As in pyproject.toml, keyed by import name.
_EXTRAS = {
    "models": (
        "bm25s",
        "jinja2",
        "safetensors",
        "sentence_transformers",
        "Stemmer",
        "torch",
        "transformers",
    ),
    "onnx": ("onnx", "onnxscript"),
    "openvino": ("openvino",),
    "serve": ("fastapi", "prometheus_client", "starlette", "uvicorn"),
    "evaluation": ("ijson", "ir_measures", "platformdirs", "pyroaring", "rapidfuzz", "scipy", "zstandard"),
}
_EXTRA_OF = {package: extra for extra, packages in _EXTRAS.items() for package in packages}


def install_advice(what: str, error: ImportError) -> str | None:
    """Return what to install after a failed import; None if no extra provides the package.

    >>> install_advice("boolattn.load", ModuleNotFoundError("No module named 'torch'", name="torch"))
    "boolattn.load needs torch: pip install 'boolattn[models]'"
    """
    package = (error.name or "").partition(".")[0]
    extra = _EXTRA_OF.get(package) if isinstance(error, ModuleNotFoundError) else None
    return extra and f"{what} needs {package}: pip install 'boolattn[{extra}]'"

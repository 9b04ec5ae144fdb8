"""Which extra brings a package that is not installed."""

# As pyproject.toml has them, under the names by which they are imported.
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
    "evaluation": ("ijson", "ir_measures", "platformdirs", "pyroaring", "rapidfuzz", "zstandard"),
}
_EXTRA_OF = {package: extra for extra, packages in _EXTRAS.items() for package in packages}


def install_advice(what: str, error: ImportError) -> str | None:
    """Return what to install for something that could not be imported; None if no extra brings it.

    >>> install_advice("boolattn.load", ModuleNotFoundError("No module named 'torch'", name="torch"))
    "boolattn.load needs torch: pip install 'boolattn[models]'"
    """
    package = (error.name or "").partition(".")[0]
    extra = _EXTRA_OF.get(package) if isinstance(error, ModuleNotFoundError) else None
    return extra and f"{what} needs {package}: pip install 'boolattn[{extra}]'"

"""The README of a saved Boolean model."""

from importlib.resources import files
from pathlib import Path
from string import Template

from torch import nn


def write_model_card(folder: Path, dimensions: int | None, encoding: str, readout: nn.Module, modules: str) -> None:
    """Write the model card: what the model is and how to load it.

    Args:
        folder: The model's folder.
        dimensions: Size of its vectors.
        encoding: The name of its encoding.
        readout: The module that pools a query's tokens into a vector.
        modules: The modules, as sentence-transformers prints them.
    """
    template = Template(files("boolattn.encoders").joinpath("model_card.md").read_text(encoding="utf-8"))
    card = template.substitute(
        dimensions=dimensions, encoding=encoding, readout=type(readout).__name__, modules=modules
    )
    (folder / "README.md").write_text(card, encoding="utf-8")

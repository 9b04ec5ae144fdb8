"""boolattn-lab ship, demo-vectors: write files that ship with the library."""

from pathlib import Path
from typing import Annotated

import typer

from boolattn.cli.errors import user_errors
from boolattn.cli.options import Backbone


def ship(
    model: Annotated[Path, typer.Argument(help="Folder of a trained Boolean model with an unchanged backbone.")],
    out: Annotated[Path, typer.Argument(help="Output folder, for boolattn.load_encoder and --model.")],
    made_with: Annotated[str, typer.Option(help="The hub name of the backbone that users need.")],
    backbone: Backbone = None,
) -> None:
    """Write a model's adapter, in half precision and without the backbone."""
    from boolattn.backbones.storage.adapters import save_without_backbone
    from boolattn.backbones.storage.model_names import load_backbone
    from boolattn_lab.benchmarks.model_parts import load_boolean
    from boolattn_lab.paper.shipping import require_backbone, round_to_half

    with user_errors():
        trained = load_boolean(str(model), backbone)
        require_backbone(trained, load_backbone(backbone or made_with, out.name, made_with), made_with)
        round_to_half(trained)
        save_without_backbone(trained, out, made_with)
    size = sum(path.stat().st_size for path in out.rglob("*.safetensors"))
    typer.echo(f"{out}: {size / 1e6:.1f} MB, for {made_with}")


def demo_vectors(
    out: Annotated[Path | None, typer.Option(help="The file to write; by default the one that ships.")] = None,
    backbone: Backbone = None,
) -> None:
    """Compute the vectors of `boolattn demo`: after a change of its films, its queries or the shipped reader."""
    from sentence_transformers import SentenceTransformer

    from boolattn.demo.output import read_queries
    from boolattn.demo.sample_films import BACKBONE, VECTORS_FILE
    from boolattn_lab.benchmarks.demo_vectors import write_vectors

    path = out or VECTORS_FILE
    with user_errors():
        model = SentenceTransformer(backbone or BACKBONE)
        count = write_vectors(path, model.encode, read_queries())
    typer.echo(f"{path}: {count} vectors, {path.stat().st_size / 1000:.0f} kB")

"""boolattn export: an embedding model that runs without torch."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from boolattn.cli.errors import user_errors
from boolattn.cli.options import require_output_folder


def export(
    model: Annotated[str, typer.Argument(help="A plain sentence-transformers model: a folder or hub name.")],
    out: Annotated[
        Path, typer.Argument(callback=require_output_folder, help="Output folder, for boolattn.ExportedEncoder.")
    ],
    precision: Annotated[Literal["fp32", "int8"], typer.Option(help="int8 is smaller and faster, and less exact.")] = (
        "fp32"
    ),
) -> None:
    """Write an embedding model as ONNX, for onnxruntime or OpenVINO; running it needs no torch."""
    from sentence_transformers import SentenceTransformer

    from boolattn.backbones.onnx_export import export_encoder
    from boolattn.backbones.storage.model_names import title_of

    with user_errors():
        export_encoder(SentenceTransformer(model, device="cpu"), out, precision, title_of(model))
    size = sum(path.stat().st_size for path in out.iterdir())
    typer.echo(f"{out}: {size / 1e6:.1f} MB, {precision}")

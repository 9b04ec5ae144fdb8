"""boolattn ship."""

from pathlib import Path
from typing import Annotated

import typer


def ship(
    model: Annotated[Path, typer.Argument(help="The folder of a trained Boolean model, its backbone left as it was.")],
    out: Annotated[Path, typer.Argument(help="Where to; the folder's name is the adapter's, as in boolattn.load.")],
    made_with: Annotated[str, typer.Option(help="The hub name of its backbone, which users are to have.")],
    backbone: Annotated[
        str | None, typer.Option(envvar="BOOLATTN_BACKBONE", help="A folder that holds that backbone, to compare with.")
    ] = None,
) -> None:
    """Write what a model adds to its backbone, in half precision, and nothing of the backbone itself."""
    from boolattn.encoders.storage.adapters import require_backbone, round_to_half, save_without_backbone
    from boolattn.encoders.storage.model_names import load_backbone, load_boolean

    try:
        trained = load_boolean(str(model), backbone)
        require_backbone(trained, load_backbone(backbone or made_with, out.name, made_with), made_with)
        round_to_half(trained)
        save_without_backbone(trained, out, made_with)
    except (ValueError, OSError) as error:
        raise typer.BadParameter(str(error)) from error
    size = sum(path.stat().st_size for path in out.rglob("*.safetensors"))
    typer.echo(f"{out}: {size / 1e6:.1f} MB, for {made_with}")

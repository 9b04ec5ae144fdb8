"""A reader's recipe -> the folder that ships."""

import json
from datetime import UTC, datetime
from pathlib import Path

from boolattn.data.folder import DataFolder
from boolattn.reading.learned import ReaderCard
from boolattn.training.provenance import commit, versions
from boolattn.training.reader.export import export_reader
from boolattn.training.reader.recipe import ReaderRecipe
from boolattn.training.reader.run import tokenizer_of, train_reader


def write_reader(recipe: ReaderRecipe, data: DataFolder, out: Path, calibration: Path | None = None) -> Path:
    """Train on all data, and write the reader to ``out/reader``.

    Args:
        recipe: How to train.
        data: The folder with the sources' data.
        out: Where everything goes.
        calibration: What the recipe's measurement found, on queries that its readers had not seen.
    """
    network = train_reader(recipe, data, out)
    fitted = json.loads(calibration.read_text(encoding="utf-8")) if calibration else {"scale": 1.0, "shift": 0.0}
    card = ReaderCard(
        recipe.name,
        recipe.version,
        (fitted["scale"], fitted["shift"]),
        training={
            "recipe": recipe.as_dict(),
            "trained": datetime.now(UTC).date().isoformat(),
            "commit": commit(),
            "versions": versions(),
        },
    )
    export_reader(network, tokenizer_of(recipe), card, out / "reader")
    return out / "reader"

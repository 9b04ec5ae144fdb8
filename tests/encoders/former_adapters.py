"""Adapters in the layout of earlier versions."""

import hashlib
import json
from pathlib import Path

from safetensors.torch import load_file, save_file


def digests_of(folder: Path, parts: tuple[str, ...]) -> dict[str, str]:
    """Return the sha256 of every weight file in these parts of a folder."""
    weights = (path for part in parts for path in sorted((folder / part).rglob("*.safetensors")))
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in weights}


def with_former_checksums(folder: Path) -> None:
    """Write the checksums of a saved model as boolattn 0.1 did: only of its weights."""
    checksums = folder / "boolattn_checksums.json"
    names = [name for name in json.loads(checksums.read_text()) if name.endswith(".safetensors")]
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    checksums.write_text(json.dumps(digests))


def mechanism_as_saved_before(folder: Path) -> None:
    """Rewrite a mechanism without a query route as boolattn 0.1 wrote it."""
    settings, weights = json.loads((folder / "boolattn.json").read_text()), load_file(folder / "boolattn.safetensors")
    (folder / "boolattn.json").write_text(json.dumps(settings["mechanism"]))
    former = {name.removeprefix("mechanism."): value for name, value in weights.items()}
    save_file(former, folder / "boolattn.safetensors")


def as_saved_before(folder: Path) -> None:
    """Rewrite an adapter in the layout of boolattn 0.1: a tower and a readout, each in its folder, with a record."""
    settings, weights = json.loads((folder / "boolattn.json").read_text()), load_file(folder / "boolattn.safetensors")
    route, mechanism = settings["route"], settings["mechanism"]
    for part, file in (("readout", "model.safetensors"), ("tower", "boolattn.safetensors")):
        (folder / part).mkdir()
        prefix = {"readout": "readout.", "tower": "mechanism."}[part]
        found = {name.removeprefix(prefix): each for name, each in weights.items() if name.startswith(prefix)}
        if found:
            save_file(found, folder / part / file)
    (folder / "boolattn.safetensors").unlink()
    (folder / "readout" / "config.json").write_text(json.dumps(route.pop("pooling")))
    (folder / "tower" / "boolean_tower.json").write_text(json.dumps(route.pop("tower")))
    if mechanism is not None:
        (folder / "tower" / "boolattn.json").write_text(json.dumps(mechanism))
    record = route | {"weights": digests_of(folder, ("tower", "readout")), "boolattn": "0.1.0"}
    (folder / "boolattn.json").write_text(json.dumps(record))

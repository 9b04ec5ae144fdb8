"""Digests of files and settings, to detect damage."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def file_digests(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the sha256 of those files that exist."""
    paths = [path for name in names if (path := folder / name).is_file()]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def settings_digest(settings: Mapping[str, Any]) -> str:
    """Return the sha256 of settings as JSON, without their own ``checksum``."""
    values = {name: value for name, value in settings.items() if name != "checksum"}
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()

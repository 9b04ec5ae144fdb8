"""Measurements as JSON files in a folder: what is there is not measured again, so a run can be interrupted."""

import json
import os
import platform
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from boolattn.retrieval.shards.durable import atomic_write

Result: TypeAlias = dict[str, Any]


class Results:
    """The measurements in a folder, by name."""

    def __init__(self, folder: Path, seed: int) -> None:
        """Use a folder, which need not exist yet."""
        self.folder, self._seed = folder, seed
        folder.mkdir(parents=True, exist_ok=True)

    def once(self, name: str, measure: Callable[[], Result]) -> Result:
        """Return the measurement of this name, after taking and storing it if it is new."""
        path = self.folder / f"{name}.json"
        if path.exists():
            found: Result = json.loads(path.read_text(encoding="utf-8"))
            return found
        before = os.getloadavg()[0]
        measured = measure()
        about = {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": machine(),
            "seed": self._seed,
            # Other work on the machine makes every time longer: the load says how far to trust them.
            "load": {"before": round(before, 1), "after": round(os.getloadavg()[0], 1)},
        }
        with atomic_write(path) as aside:
            aside.write_text(json.dumps(about | measured, indent=2) + "\n", encoding="utf-8")
        return about | measured

    def named(self, start: str) -> list[Result]:
        """Return the measurements whose names start like this."""
        paths = sorted(self.folder.glob(f"{start}*.json"))
        return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def machine() -> str:
    """Return the processor, its cores and the memory."""
    known = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    names = [line.partition(":")[2].strip() for line in known.splitlines() if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    return f"{names[0] if names else platform.processor()}, {os.cpu_count()} cores, {memory:.0f} GiB"

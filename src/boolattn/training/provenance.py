"""Where figures come from: the code, the libraries and the machine that made them."""

import os
import subprocess
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("boolattn", "torch", "transformers", "sentence-transformers")


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What made some figures, when, and how long it took.

    Attributes:
        commit: Of the checkout that this code is in, if it is in one.
        versions: Package -> version.
        cpus: Of the machine.
        started: UTC.
        seconds: From then to the figures.
    """

    commit: str | None
    versions: dict[str, str]
    cpus: int | None
    started: str
    seconds: float

    @classmethod
    def since(cls, started: float) -> "Provenance":
        """Describe this process, which began with the figures at that ``time.time()``."""
        return cls(
            commit=commit(),
            versions=versions(),
            cpus=os.cpu_count(),
            started=datetime.fromtimestamp(started, UTC).isoformat(timespec="seconds"),
            seconds=round(time.time() - started, 1),
        )


def versions() -> dict[str, str]:
    """Return the versions of what figures depend on."""
    return {name: version(name) for name in PACKAGES}


def commit() -> str | None:
    """Return the commit of the checkout that this code is in, if it is in one."""
    git = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None

"""Prints the lower bounds of what pyproject.toml requires as exact versions: lowest.py [EXTRA].

Without EXTRA, those of the package alone; for `dev`, also those of the laboratory.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
lab = tomllib.loads((ROOT / "lab/pyproject.toml").read_text())["project"]["dependencies"]
extras = project["optional-dependencies"]


def bounds(requirements: list[str]) -> dict[str, str]:
    """Return the lowest version of each package that is required, also by other extras of ours."""
    found: dict[str, str] = {}
    for each in requirements:
        if ours := re.match(r"boolattn\[(.+)\]", each):
            for extra in ours[1].split(","):
                found |= bounds(extras[extra])
        elif lowest := re.match(r"([\w.-]+)(?:\[.+\])?>=([\w.]+)", each):
            found[lowest[1]] = lowest[2]
    return found


extra = sys.argv[1] if len(sys.argv) > 1 else ""
wanted = bounds(project["dependencies"] + extras.get(extra, []) + (lab if extra in ("dev", "lab") else []))
print("\n".join(f"{name}=={version}" for name, version in sorted(wanted.items())))

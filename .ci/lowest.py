"""Prints the lower bounds of what pyproject.toml requires as exact versions, for an extra or for the package alone."""

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
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


wanted = bounds(project["dependencies"]) | (bounds(extras[sys.argv[1]]) if len(sys.argv) > 1 else {})
print("\n".join(f"{name}=={version}" for name, version in sorted(wanted.items())))

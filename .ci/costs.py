"""What an installation costs: costs.py TITLE SECONDS PYTHON PROGRAM. Prints one row per figure.

SECONDS is what installing took. PROGRAM is a folder's `boolattn`, or - where boolattn is not installed.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

TIMES = 5


def megabytes(folder: Path) -> float:
    """Return the size of all files in a folder, without what pip itself takes."""
    mine = (path for path in folder.iterdir() if path.name.partition("-")[0] not in ("pip", "setuptools"))
    files = (file for path in mine for file in ([path] if path.is_file() else path.rglob("*")))
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def seconds(command: list[str]) -> tuple[float, float]:
    """Return how long a command takes, and its CPU time, which a busy machine changes less."""
    start, before = time.perf_counter(), os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    took, after = time.perf_counter() - start, os.times()
    return took, after.children_user + after.children_system - before.children_user - before.children_system


title, installing, python, program = sys.argv[1:]
packages = subprocess.run(
    [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True, check=True
).stdout.strip()
print(f"{title}: installed in {installing} s, {megabytes(Path(packages)):.0f} MB")
commands = {"import sentence_transformers": [python, "-c", "import sentence_transformers"]}
if program != "-":
    commands = {
        "import boolattn": [python, "-c", "import boolattn"],
        "read a query": [python, "-c", "import boolattn; boolattn.read('films but not about war')"],
        "boolattn --help": [program, "--help"],
        "boolattn demo": [program, "demo"],
    }
for name, command in commands.items():
    (first, _), *others = [seconds(command) for _ in range(TIMES)]
    best, cpu = map(min, zip(*others, strict=True))
    print(f"{title}: {name}: first {first:.2f} s, then at best {best:.2f} s and {cpu:.2f} s of CPU time")

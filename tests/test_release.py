"""What a release needs: every extra is tried, the audit finds what it looks for, and `.ci/release` refuses the rest."""

import json
import re
import shutil
import subprocess
import tomllib
from email.message import Message
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]


def script(name):
    """Return a script of .ci as a module."""
    spec = spec_from_file_location(f"ci_{name}", ROOT / ".ci" / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def package(licence="", expression="", classifiers=()):
    about = Message()
    for key, value in (("License", licence), ("License-Expression", expression)):
        if value:
            about[key] = value
    for each in classifiers:
        about["Classifier"] = f"License :: OSI Approved :: {each}"
    return SimpleNamespace(metadata=about)


def test_every_extra_is_used():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(script("smoke").USES) == {"", *extras} - {"dev"} | {"lab"}


@pytest.mark.parametrize(
    ("stated", "allowed"),
    [
        ({"expression": "Apache-2.0 OR BSD-3-Clause"}, True),
        ({"expression": "MPL-2.0 AND (Apache-2.0 OR MIT)"}, True),
        ({"expression": "MIT AND GPL-3.0-only"}, False),
        ({"classifiers": ["GNU Lesser General Public License v3 or later (LGPLv3+)", "Apache Software License"]}, True),
        ({"classifiers": ["GNU General Public License v3 (GPLv3)"]}, False),
        ({"licence": "3-Clause BSD License"}, True),
        ({"licence": "GPLv2"}, False),
        ({}, False),
    ],
    ids=str,
)
def test_the_audit_knows_licences(stated, allowed):
    assert script("audit").is_allowed(package(**stated)) == allowed


def test_the_audit_compares_versions(tmp_path, monkeypatch):
    audit = script("audit")
    installed = package(expression="MIT")
    installed.metadata["Name"], installed.version = "Some_Package", "1.0+cpu"
    monkeypatch.setattr(audit, "distributions", lambda: [installed])
    monkeypatch.setattr(audit, "HERE", tmp_path)
    for pinned, count in (("some-package==1.0", 0), ("some-package==1.1", 1), ("other==1.0", 0)):  # the last: not ours
        (tmp_path / "constraints.txt").write_text(f"{pinned}\n")
        assert len(list(audit.problems())) == count


def test_every_pinned_package_but_torch_has_a_digest():
    pinned = (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8").split()
    text = (ROOT / ".ci/constraints-hashes.txt").read_text(encoding="utf-8")
    hashed = re.findall(r"^([\w.-]+==\S+) \\\n    --hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)
    plain = [pin.lower().replace("_", "-").replace(".", "-") for pin in pinned if not pin.startswith("torch==")]
    assert sorted(plain) == sorted(pin.lower().replace("_", "-").replace(".", "-") for pin in hashed)


def test_packages_that_could_not_be_looked_up_do_not_count_as_safe(tmp_path):
    audit, found = script("audit"), tmp_path / "found.json"
    assert audit.vulnerabilities(found) == ([], 0, 0)
    rows = [{"name": "a", "skip_reason": "not found"}, {"name": "b", "version": "1", "vulns": [{"id": "CVE-1"}]}]
    found.write_text(json.dumps({"dependencies": rows}))
    assert audit.vulnerabilities(found) == (["b 1: CVE-1"], 1, 1)


@pytest.fixture
def repository(tmp_path):
    """Return a function that runs a command in a small repository with our scripts."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    (tmp_path / "src/boolattn").mkdir(parents=True)
    (tmp_path / "src/boolattn/version.py").write_text('__version__ = "1.0.0"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [1.0.0] - 2026-11-16\n\n## [0.9.0] - 2026-11-15\n")
    (tmp_path / "CITATION.cff").write_text("version: 1.0.0\n")
    (tmp_path / ".gitignore").write_text("build/\n__pycache__/\n")

    def run(*command):
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org") if command[0] == "git" else ()
        done = subprocess.run([command[0], *who, *command[1:]], cwd=tmp_path, capture_output=True, text=True)
        return done.stdout.strip() + done.stderr.strip()

    run("git", "init", "--quiet")
    run("git", "add", ".")
    run("git", "commit", "--quiet", "--message", "all")
    run.folder = tmp_path
    return run


def test_a_release_needs_what_passed_for_this_commit(repository):
    commit = repository("bash", ".ci/passed")
    assert commit == repository("git", "rev-parse", "HEAD")
    assert "not passed" in repository("bash", ".ci/release") and " run " in repository("bash", ".ci/release")
    repository("bash", ".ci/passed", "run", commit)
    assert "not passed" in repository("bash", ".ci/release") and " run " not in repository("bash", ".ci/release")
    repository("git", "commit", "--quiet", "--allow-empty", "--message", "more")
    assert " run " in repository("bash", ".ci/release")
    repository("bash", ".ci/passed", "run", commit)  # it began before the second commit
    assert " run " in repository("bash", ".ci/release")


def test_a_release_needs_committed_files_and_the_changelogs_version(repository):
    with (repository.folder / "CHANGELOG.md").open("a") as file:
        file.write("more\n")
    assert "not committed" in repository("bash", ".ci/release")
    (repository.folder / "src/boolattn/version.py").write_text('__version__ = "9.9.9"\n')
    repository("git", "commit", "--quiet", "--all", "--message", "more")
    assert "the version is 9.9.9, the newest entry of CHANGELOG.md is 1.0.0" in repository("bash", ".ci/release")

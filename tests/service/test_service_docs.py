"""The clients in docs/service.md work as written."""

import json
import os
import re
import subprocess
import sys

import pytest

from tests.service.running import ROOT

TEXT = (ROOT / "docs/service.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
CURL = [block for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) if block.startswith("curl")]


@pytest.mark.parametrize("code", PYTHON, ids=lambda code: code.split()[1])
def test_python_clients(server, code):
    code = code.replace("http://localhost:8080", server.url)
    checked = f"{code}\nassert any(name in globals() for name in ('query', 'vector', 'answer'))"
    # A process of its own: huggingface_hub reads HF_HUB_OFFLINE, which tests set, when it is imported.
    environment = {**os.environ, "HF_HUB_OFFLINE": "0"}
    done = subprocess.run([sys.executable, "-c", checked], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", CURL, ids=lambda command: re.search(r"8080(\S+)", command)[1])
def test_curl(server, command):
    command = command.replace("http://localhost:8080", server.url)
    answer = json.loads(subprocess.run(["bash", "-c", command], capture_output=True, check=True).stdout)
    assert {"data", "embeddings", "hits"} & set(answer)


def test_limits_are_the_defaults():
    from boolattn.service.settings import ServiceSettings

    settings = ServiceSettings()
    stated = dict(re.findall(r"^\| `--([\w-]+)`[^|]*\| ([\d,]+)", TEXT, re.MULTILINE))
    assert len(stated) == 7
    for name, value in stated.items():
        unit = 2**20 if name == "max-body" else 1
        assert getattr(settings, name.replace("-", "_")) == int(value.replace(",", "")) * unit

"""The clients in docs/service.md work as written."""

import json
import os
import re
import subprocess
import sys

import pytest

from tests.service.running import ROOT

TEXT = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", TEXT, re.DOTALL)
CURL = re.findall(r"```sh\n(curl.*?)```(?:\n\n```json\n(.*?)```)?", TEXT, re.DOTALL)


@pytest.mark.parametrize(("code", "output"), PYTHON, ids=lambda block: block.split()[1] if block else "")
def test_python_clients(server, code, output):
    code = code.replace("http://localhost:8080", server.url)
    checked = f"{code}\nassert any(name in globals() for name in ('query', 'vector', 'answer'))"
    # A process of its own: huggingface_hub reads HF_HUB_OFFLINE, which tests set, when it is imported.
    environment = {**os.environ, "HF_HUB_OFFLINE": "0"}
    done = subprocess.run([sys.executable, "-c", checked], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == output


@pytest.mark.parametrize(("command", "output"), CURL)
def test_curl(server, command, output):
    command = command.replace("http://localhost:8080", server.url)
    answer = json.loads(subprocess.run(["bash", "-c", command], capture_output=True, check=True).stdout)
    if output:
        assert answer == json.loads(output)
    else:
        assert {"data", "embeddings", "hits"} & set(answer)


def test_limits_are_the_defaults():
    from boolattn.service.settings import ServiceSettings

    settings = ServiceSettings()
    stated = dict(re.findall(r"^\| `--([\w-]+)`[^|]*\| ([\d,]+)", TEXT, re.MULTILINE))
    assert len(stated) == 7
    for name, value in stated.items():
        unit = 2**20 if name == "max-body" else 1
        assert getattr(settings, name.replace("-", "_")) == int(value.replace(",", "")) * unit

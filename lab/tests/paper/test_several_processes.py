import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lab.tests.paper import small

from boolattn_lab.paper.train import finetune

SCRIPT = """
import sys
from pathlib import Path
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.paper import train as running
from boolattn_lab.paper.train import finetune
from lab.tests.paper import small

usual = running.contrastive_loss


def gathering(*settings):
    loss = usual(*settings)
    assert loss.gather_across_devices, "the softmax must run over the batch of all processes"
    return loss


running.contrastive_loss = gathering
start, data, out = sys.argv[1:]
finetune(small.recipe("finetune", start, "films", **small.SHARED), DataFolder(Path(data)), out)
"""


@pytest.mark.long
def test_two_processes_share_the_batches_of_one(start, data, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", str(script)]
    together, alone = tmp_path / "together", tmp_path / "alone"
    found = subprocess.run(
        [*launch, start, str(data.path), str(together)], capture_output=True, text=True,
        env=os.environ | {"ACCELERATE_USE_CPU": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path.cwd())},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr[-3000:]
    finetune(small.recipe("finetune", start, "films", **small.SHARED), data, alone)
    one, two = (json.loads((out / "results.json").read_text()) for out in (alone, together))
    assert one["steps"] == two["steps"] == 8
    assert [row.keys() for row in one["log"]] == [row.keys() for row in two["log"]]

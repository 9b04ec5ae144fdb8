"""What `boolattn-lab bench queries` measures on real queries."""

import json

import pytest
import zstandard
from typer.testing import CliRunner

from boolattn_lab.cli import app


@pytest.mark.parametrize("prefix", ["", "training-free:"])
def test_the_command_reports_changed_vectors_and_time(prefix, tmp_path, minilm_folder):
    rows = [
        {"source": "a", "query": "tallest building in the world"},
        {"source": "a", "query": "films set in Vietnam NOT war"},
        {"source": "b", "query": "how to cook rice without a rice cooker"},
    ]
    (tmp_path / "real-queries").mkdir()
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "real-queries" / "queries.jsonl.zst").write_bytes(zstandard.compress(lines.encode()))
    arguments = ["bench", "queries", "--model", f"{prefix}{minilm_folder}", "--data", str(tmp_path)]
    done = CliRunner().invoke(app, [*arguments, "--seconds", "0.1", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["sources"]["a"] == {"queries": 2, "read": 1, "changed": 1}
    assert found["sources"]["b"]["changed"] == 0
    assert set(found["ratios"]) == {"1", "32"} and found["reader_milliseconds"] > 0
    assert 0 < found["screen_microseconds"] < 1000 * found["reader_milliseconds"]
    assert "vectors changed" in CliRunner().invoke(app, [*arguments, "--seconds", "0.1"]).stdout

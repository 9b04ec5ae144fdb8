import json
import subprocess
import sys

WITHOUT_TORCH = """
import sys
sys.modules |= dict.fromkeys(("torch", "transformers", "sentence_transformers"))  # importing them fails
from boolattn_lab.cli import app
app(sys.argv[1:])
"""


def test_a_reader_is_measured_without_torch(tmp_path):
    rows = [{"query": "movies set in Vietnam but not about war", "excluded": ["war"]}, {"query": "a", "excluded": []}]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["evaluate", "reading", "--queries", str(tmp_path / "rows.jsonl"), "--json"]
    run = subprocess.run([sys.executable, "-c", WITHOUT_TORCH, *command], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout)["recall"] == 1.0

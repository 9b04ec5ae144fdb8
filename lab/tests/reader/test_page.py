"""The script of lab/docs/train-a-reader.md trains a reader on a file of one's own."""

import json

from boolattn.reading.learned import LearnedReader
from tests.docs.blocks import ROOT, blocks_of, run_python

ROWS = [
    {"query": "hotels in Lisbon bar the old town", "excluded": ["old town"], "kind": "topic"},
    {"query": "weather in Hanoi", "excluded": []},
]


def test_the_page_trains_a_reader(start, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "DIR").mkdir()
    (tmp_path / "DIR" / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "lab" / "recipes").mkdir(parents=True)
    (tmp_path / "lab" / "recipes" / "reader.toml").write_text(
        f'name = "x"\nversion = "0"\nstart = {json.dumps(start)}\nlayers = 1\nepochs = 1\nbatch_size = 8\n'
        "[sources]\nkinds = 1\n"
    )
    (script,) = [
        block.code for block in blocks_of(ROOT / "lab" / "docs" / "train-a-reader.md") if block.language == "python"
    ]
    small = script.replace('{"mine": 3, "wordings": 2, "kinds": 3, "handwritten": 1, "questions": 1}', '{"mine": 3}')
    assert small != script
    run_python(small, {"__name__": "__main__"})
    reader = LearnedReader.load(tmp_path / "runs" / "mine" / "reader")
    assert reader.name == "mine 1" and len(reader.read([row["query"] for row in ROWS])) == 2

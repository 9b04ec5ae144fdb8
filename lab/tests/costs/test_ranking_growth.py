"""Each step ranks its share of the documents in a separate process, and reports its cost."""

import pytest
from lab.tests.benchmarks import data_folder

from boolattn_lab.costs import growth


@pytest.mark.long
def test_steps_and_picture(tmp_path, minilm_folder, monkeypatch):
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(growth, "RANKING_SIZES", (2, None))
    folder = data_folder.make(tmp_path / "data")
    steps = list(growth.measure_growth(folder, str(minilm_folder)))
    assert [step.documents for step in steps] == [2, 6]
    assert all(step.seconds > 0 and step.peak_mb > 100 for step in steps), "a process with torch in it"
    growth.plot_growth(steps, tmp_path / "growth.png")
    assert (tmp_path / "growth.png").read_bytes().startswith(b"\x89PNG")

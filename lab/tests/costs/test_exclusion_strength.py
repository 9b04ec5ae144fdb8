import pytest

from boolattn import DualEncoder
from boolattn.retrieval.index.memory import MemoryIndex
from boolattn.retrieval.search.searcher import SearchSettings
from boolattn_lab.benchmarks.tasks import RetrievalTask
from boolattn_lab.costs.exclusion_strength import STRENGTHS, plot_curve, strength_curve
from tests.retrieval.search.vietnam import FILMS, QUERY, WAR


@pytest.fixture
def task():
    return RetrievalTask("films", {"q": QUERY}, FILMS.items, {"q": {"cooking", "river", "hanoi"}}, negated={"q": WAR})


def test_more_strength_excludes_more(minilm_folder, task, tmp_path, monkeypatch):
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path))
    monkeypatch.setattr("boolattn_lab.costs.exclusion_strength.DEPTH", 4)
    model = DualEncoder.training_free(str(minilm_folder))
    points = strength_curve([task], model, "MiniLM", lambda name: MemoryIndex())
    assert [point.strength for point in points] == list(STRENGTHS)
    left = [point.measures["films"]["violation@20"] for point in points]
    assert left == sorted(left, reverse=True) and left[0] > left[-1]
    assert points[-1].measures["films"]["R@20"] == 1
    plot_curve(points, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_the_default_is_on_the_curve():
    assert SearchSettings().strength in STRENGTHS

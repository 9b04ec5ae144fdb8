import json

import pytest
import zstandard

from boolattn_lab.benchmarks.sets import generated as module
from boolattn_lab.benchmarks.sets.generated import long_questions
from boolattn_lab.formats.folder import DataFolder


@pytest.fixture
def task(tmp_path, monkeypatch):
    """Chains of pages, each of which mentions the next in one of its three sentences; readers know the first two."""
    pages = [
        {"title": f"Lake {name}", "text": f"It is deep . It flows into Lake {after} . Wolves live there ."}
        for name, after in zip("ABCDEFGHIJKLMNOP", "BCDEFGHIJKLMNOPQ", strict=True)
    ]
    path = tmp_path / "wiki-intros" / "wiki_intros.jsonl.zst"
    path.parent.mkdir()
    path.write_bytes(zstandard.compress("\n".join(map(json.dumps, pages)).encode()))
    for name, value in {"PAGES": 2, "SINGLE": 3, "PAIRS": 2}.items():
        monkeypatch.setattr(module, name, value)
    return long_questions(DataFolder(tmp_path))


def test_some_questions_have_one_part_and_some_two(task):
    assert [len(task.negated[key]) for key in task.queries] == [1, 1, 1, 2, 2]
    assert [len(task.answers[key]) for key in task.queries] == [2, 2, 2, 4, 4]
    assert all(" and " in task.queries[key] for key in ("3", "4"))


def test_documents_are_the_sentences_of_pages_no_reader_learned_from(task):
    documents = dict(task.documents())
    assert set.union(*task.answers.values(), *task.negated.values()) <= set(documents)
    assert not any(identifier.startswith(("Lake A#", "Lake B#")) for identifier in documents)
    for key, query in task.queries.items():
        titles = {identifier.partition("#")[0] for identifier in task.answers[key]}
        assert all(title in query for title in titles)

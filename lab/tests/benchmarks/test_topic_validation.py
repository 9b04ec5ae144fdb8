import json

import pytest

from boolattn.reading.options import ReadingOptions
from boolattn_lab.benchmarks.sets.topics import comlq_topics
from boolattn_lab.formats.folder import DataFolder

PASSAGES = {
    "1": "Lake Ohrid Lake Ohrid is a deep lake of the Balkans.",
    "2": "Lake Prespa Lake Prespa is a lake of the Balkans, beside Lake Ohrid.",
    "3": "Bread is baked.",
}
QUERIES = [
    {"_id": "2", "text": "What is a deep lake of the Balkans?", "type": "1p"},
    {"_id": "3", "text": "What is a deep lake of the Balkans?", "type": "1p"},  # of the test half
    {"_id": "4", "text": "Which lake of the Balkans is not deep?", "type": "2in"},
    {"_id": "6", "text": "What is baked?", "type": "1p"},  # nothing to confuse it with
]


@pytest.fixture
def task(tmp_path):
    folder = tmp_path / "comlq"
    (folder / "qrels").mkdir(parents=True)
    rows = [{"_id": key, "text": text} for key, text in PASSAGES.items()]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, QUERIES)))
    judged = ["query-id\tcorpus-id\tscore", "2\t1\t2", "3\t1\t2", "4\t2\t2", "6\t3\t2"]
    (folder / "qrels" / "test.tsv").write_text("\n".join(judged))
    return comlq_topics(DataFolder(tmp_path))


def test_a_question_excludes_the_subject_of_a_passage_that_looks_like_its_answer(task):
    assert list(task.queries) == ["2"]  # not of the test half, not negated already, and confusable
    assert task.answers["2"] == {"1": 2} and task.negated["2"] == {"2"}
    assert task.queries["2"].startswith("What is a deep lake of the Balkans") and "Lake Prespa" in task.queries["2"]


def test_the_exclusion_is_one_that_a_reader_finds(task):
    options = ReadingOptions("rules")
    [reading] = options.read(list(task.queries.values()))
    assert "Lake Prespa" in options.applied(reading).plan().negatives[0].text

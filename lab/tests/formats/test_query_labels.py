import pytest
import zstandard

from boolattn_lab.formats import BadRowError, QueryLabels, SkipBad, read_query_labels
from boolattn_lab.formats.query_labels import locate


def write(path, *lines: str):
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(zstandard.compress(data) if path.suffix == ".zst" else data)
    return path


@pytest.mark.parametrize("name", ["queries.jsonl", "queries.jsonl.zst"])
def test_labels_are_read_and_soft_is_false_by_default(tmp_path, name):
    path = write(
        tmp_path / name,
        '{"query": "pasta no cheese", "excluded": ["cheese"], "kind": "topic", "id": 7}',
        '{"query": "pasta", "excluded": [], "soft": true}',
    )
    assert list(read_query_labels(path)) == [
        QueryLabels("pasta no cheese", ("cheese",), kind="topic"),
        QueryLabels("pasta", (), soft=True),
    ]


def test_a_file_without_labels_has_none(tmp_path):
    assert list(read_query_labels(write(tmp_path / "q.jsonl", '{"query": "pasta"}'))) == [QueryLabels("pasta")]


@pytest.mark.parametrize(
    ("line", "field", "problem"),
    [
        ('{"excluded": []}', "query", "missing"),
        ('{"query": "", "excluded": []}', "query", "length >= 1"),
        ('{"query": "pasta", "excluded": "cheese"}', "excluded", "Expected `array"),
        ('{"query": "pasta", "excluded": ["cheese"]}', "excluded", "'cheese' does not occur in the query"),
        ('{"query": "pasta", "excluded": [], "soft": "yes"}', "soft", "Expected `bool`"),
        ('{"query": "pasta", "excluded": [], "kind": "thing"}', "kind", "Invalid enum value 'thing'"),
        ('{"query": "pasta"}', "excluded", "earlier rows have it"),
    ],
)
def test_a_bad_row_is_named_by_file_line_and_field(tmp_path, line, field, problem):
    path = write(tmp_path / "q.jsonl", '{"query": "soup", "excluded": []}', line)
    with pytest.raises(BadRowError) as caught:
        list(read_query_labels(path))
    assert str(caught.value).startswith(f"{path}, line 2, field {field!r}: ")
    assert problem in caught.value.problem
    skip = SkipBad()
    assert [row.query for row in read_query_labels(path, skip)] == ["soup"]
    assert skip.total == 1


def test_labels_that_start_halfway_are_refused(tmp_path):
    path = write(tmp_path / "q.jsonl", '{"query": "soup"}', '{"query": "pasta", "excluded": []}')
    with pytest.raises(BadRowError, match="label every row or none"):
        list(read_query_labels(path))


def test_a_label_is_located_as_whole_words_first():
    assert locate("warfare but no War films", "war") == (15, 18)
    assert locate("eggless cakes", "egg") == (0, 3)
    assert locate("plain cakes", "egg") is None

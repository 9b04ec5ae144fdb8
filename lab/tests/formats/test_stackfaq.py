import pytest

from boolattn_lab.formats import BadRowError, StackFaqThread, read_stackfaq


def test_threads(tmp_path):
    path = tmp_path / "threads.jsonl"
    path.write_text('{"id": 0, "question": "Q?", "rephrased": ["q", "Q"], "answers": ["A"]}\n{"question": "Q?"}\n')
    threads = read_stackfaq(path)
    assert next(threads) == StackFaqThread("Q?", ("q", "Q"), ("A",))
    with pytest.raises(BadRowError, match="line 2, field 'rephrased'"):
        next(threads)
